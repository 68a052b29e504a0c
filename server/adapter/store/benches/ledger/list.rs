//! The first page of a list of runs, and one far behind it.

use std::time::{Duration, Instant};

use chrono::TimeDelta;
use kernel::ledger::{Batch, Durability, NewRun, Op};
use kernel::port::{Ledger, Runs};
use testkit::database::{Engine, TestDatabase};
use testkit::sample::{Sample, move_run, noon, open_run};
use types::run::{RunQuery, RunStatus};

use crate::load::{open, world};

/// Runs of one page.
const PAGE: u32 = 50;
/// Runs of one batch.
const BATCH: usize = 250;
/// Times a page is read; the median counts.
const TIMES: usize = 51;

/// What a list of so many runs costs.
pub(crate) struct List {
    pub(crate) runs: usize,
    /// Median time of the first page.
    pub(crate) first: Duration,
    /// Median time of the page behind the last whole one that this many pages lie before.
    pub(crate) far: Duration,
    /// Which page that is.
    pub(crate) page: usize,
}

fn batch(sample: &Sample, from: usize, to: usize) -> Result<Batch, String> {
    let mut batch = Batch::opening(sample.scope, Durability::Process);
    for number in from..to {
        let seconds = i64::try_from(number).map_err(|error| error.to_string())?;
        let run = NewRun { started_at: noon() - TimeDelta::seconds(seconds), ..sample.run() };
        let end: Op = move_run(run.id, RunStatus::Succeeded);
        batch = batch.with([open_run(&run), end]);
    }
    Ok(batch)
}

/// Makes the runs and reads the first page and the ten-thousandth, or the last of fewer.
pub(crate) async fn measure(engine: Engine, runs: usize) -> Result<List, String> {
    let database = TestDatabase::new(engine).await;
    let store = open(&database).await?;
    let sample = world(&store, 0).await?;
    let mut made = 0;
    while made < runs {
        // Several at once, so that the store has something to share.
        let batches: Result<Vec<Batch>, String> = (0..8)
            .map(|part| made + part * BATCH)
            .filter(|from| *from < runs)
            .map(|from| batch(&sample, from, (from + BATCH).min(runs)))
            .collect();
        let committing = batches?.into_iter().map(|batch| store.commit(batch));
        for outcome in futures::future::join_all(committing).await {
            outcome.map_err(|error| error.to_string())?;
        }
        made += 8 * BATCH;
    }
    let whole = usize::try_from(PAGE).map_err(|error| error.to_string())?;
    let page = 10_000.min(runs / whole);
    let query = RunQuery { limit: PAGE, ..RunQuery::default() };
    let first = time(&store, &sample, &query).await?;
    let mut far = query;
    // The way there is walked with long pages; the cursor is the same one.
    for _ in 0..(page - 1) * whole / 200 {
        far.limit = 200;
        let found = store.list_runs(sample.scope, &far).await.map_err(|error| error.to_string())?;
        far.cursor = found.next_cursor;
    }
    far.limit = PAGE;
    let far = time(&store, &sample, &far).await?;
    Ok(List { runs, first, far, page })
}

async fn time(store: &impl Runs, sample: &Sample, query: &RunQuery) -> Result<Duration, String> {
    let mut times = Vec::new();
    for _ in 0..TIMES {
        let start = Instant::now();
        let found = store.list_runs(sample.scope, query).await.map_err(|error| error.to_string())?;
        times.push(start.elapsed());
        if found.items.is_empty() {
            return Err("an empty page".to_owned());
        }
    }
    times.sort_unstable();
    Ok(times.get(TIMES / 2).copied().unwrap_or_default())
}
