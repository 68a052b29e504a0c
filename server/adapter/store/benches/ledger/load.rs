//! Writers that commit one synced batch after the other.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use adapter_store::{Durability, Figures, Store, StoreOptions, Target};
use futures::future::join_all;
use kernel::context::Scope;
use kernel::ledger::{Batch, CounterKey, Durability as Asked, Op};
use kernel::port::{CommitObserver, Ledger};
use kernel::secret::SecretString;
use testkit::database::{Engine, TestDatabase};
use testkit::sample::{Sample, add_cost, close_step, move_run, open_run, open_step};
use types::id::RunId;
use types::run::{RunEvent, RunStatus};

/// How long one cell is measured.
const CELL: Duration = Duration::from_secs(5);

/// Who the writers work for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Crowd {
    /// All for one workspace and its counters.
    Together,
    /// The same, under the condition that access rules are those of the decision.
    Checked,
    /// Each for a workspace of their own.
    Apart,
    /// All for one workspace, and every run ends in its batch: each is an entry of the hash chain.
    Ending,
}

/// What one cell came to.
pub(crate) struct Cell {
    pub(crate) writers: usize,
    /// Batches a second.
    pub(crate) rate: f64,
    /// Batches a transaction.
    pub(crate) shared: f64,
    /// Transactions tried again.
    pub(crate) retries: u64,
    /// The part of the time inside transactions that hash chains took.
    pub(crate) chained: f64,
    /// Deadlocks the server counted; none on SQLite.
    pub(crate) deadlocks: Option<String>,
}

struct Deaf;

impl CommitObserver for Deaf {
    fn run_events(&self, _: &[RunEvent]) {}
    fn runs_changed(&self, _: &[(Scope, RunId)]) {}
    fn committed(&self, _: usize, _: Duration) {}
    fn events_emitted(&self) {}
}

/// A store on the database, as a process opens it.
pub(crate) async fn open(database: &TestDatabase) -> Result<Store, String> {
    let url = database.url();
    let target = match url.strip_prefix("sqlite://") {
        Some(path) => Target::Sqlite(path.into()),
        None => Target::Postgres(SecretString::new(url.to_owned())),
    };
    let options = StoreOptions {
        target,
        pool_size: 4,
        lanes: 4,
        durability: Durability::Standard,
        wait: Duration::ZERO,
        cursor_key: [7; 32],
        observer: Arc::new(Deaf),
    };
    Store::connect(options).await.map_err(|error| error.to_string())
}

/// A world of its own in the store.
pub(crate) async fn world(store: &Store, number: usize) -> Result<Sample, String> {
    let name: &'static str = String::leak(format!("world-{number}"));
    let sample = Sample::named(name, u64::try_from(number + 1).map_err(|error| error.to_string())?);
    store.commit(sample.seed()).await.map_err(|error| error.to_string())?;
    Ok(sample)
}

/// A run, three steps, a cost, two counters and an event, synced.
fn work(sample: &Sample, crowd: Crowd) -> Batch {
    let run = sample.run();
    let steps = [(); 3].map(|()| sample.step(run.id));
    let [first, ..] = &steps;
    let cost = sample.cost(run.id, first.id, 1);
    let add = |name: &str| Op::CounterAdd {
        key: CounterKey::from_text(format!("bench:{name}")),
        delta: 1,
        limit: Some(i64::MAX),
    };
    let event = Op::EventEmit(Arc::new(sample.event(run.id, "live")));
    let batch = Batch::opening(sample.scope, Asked::Power).with([open_run(&run)]);
    let batch = batch.with(steps.iter().map(open_step));
    let batch = batch.with([add_cost(&cost), add("calls"), add("tokens"), event]);
    match crowd {
        Crowd::Together | Crowd::Apart => batch,
        Crowd::Checked => batch.under_epoch(0),
        Crowd::Ending => {
            batch.with(steps.iter().map(|step| close_step(step.id))).with([move_run(run.id, RunStatus::Succeeded)])
        }
    }
}

/// Measures one cell on a database of its own.
pub(crate) async fn measure(engine: Engine, writers: usize, crowd: Crowd) -> Result<Cell, String> {
    let database = TestDatabase::new(engine).await;
    let store = open(&database).await?;
    let worlds = if crowd == Crowd::Apart { writers } else { 1 };
    let mut samples = Vec::new();
    for number in 0..worlds {
        samples.push(world(&store, number).await?);
    }
    let before = store.figures();
    let done = AtomicU64::new(0);
    let start = Instant::now();
    let working = (0..writers).filter_map(|writer| samples.get(writer % worlds)).map(|sample| async {
        while start.elapsed() < CELL {
            store.commit(work(sample, crowd)).await.map_err(|error| error.to_string())?;
            done.fetch_add(1, Ordering::Relaxed);
        }
        Ok::<(), String>(())
    });
    join_all(working).await.into_iter().collect::<Result<(), String>>()?;
    let elapsed = start.elapsed().as_secs_f64();
    let Figures { transactions, retries, writing, chaining, .. } = store.figures();
    let deadlocks = match engine {
        Engine::Sqlite => None,
        Engine::Postgres => {
            let asked = "SELECT deadlocks::text FROM pg_stat_database WHERE datname = current_database()";
            database.texts(asked).await.pop()
        }
    };
    let batches = count(done.into_inner())?;
    Ok(Cell {
        writers,
        rate: batches / elapsed,
        shared: batches / count(transactions - before.transactions)?.max(1.0),
        retries: retries - before.retries,
        chained: (chaining - before.chaining).as_secs_f64() / (writing - before.writing).as_secs_f64().max(1e-6),
        deadlocks,
    })
}

fn count(number: u64) -> Result<f64, String> {
    u32::try_from(number).map(f64::from).map_err(|error| error.to_string())
}
