//! What a commit promises besides its rules: who is told when, what text survives, what a closing store still writes.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use adapter_store::Store;
use futures::future::join_all;
use kernel::context::Scope;
use kernel::ledger::{LedgerError, Op};
use kernel::port::{CommitObserver, EventRange, Ledger, Runs};
use serde_json::json;
use testkit::contract::{applied, seeded};
use testkit::database::{Engine, TestDatabase};
use testkit::sample::{append, open_run};
use types::id::{RunId, TenantId};
use types::run::RunEvent;

use crate::open::{on, options};

/// Writes down what it is told.
#[derive(Default)]
struct Scribe(Mutex<Vec<String>>);

impl Scribe {
    fn note(&self, line: String) {
        self.0.lock().expect("no panic before").push(line);
    }

    fn take(&self) -> Vec<String> {
        std::mem::take(&mut *self.0.lock().expect("no panic before"))
    }
}

impl CommitObserver for Scribe {
    fn run_events(&self, events: &[RunEvent]) {
        self.note(format!("events {:?}", events.iter().map(|event| event.offset).collect::<Vec<_>>()));
    }

    fn runs_changed(&self, runs: &[(Scope, RunId)]) {
        self.note(format!("runs {}", runs.len()));
    }

    fn committed(&self, batches: usize, _took: Duration) {
        self.note(format!("committed {batches}"));
    }

    fn events_emitted(&self) {
        self.note("emitted".to_owned());
    }

    fn epochs_raised(&self, epochs: &[(TenantId, u64)]) {
        self.note(format!("epochs {:?}", epochs.iter().map(|(_, epoch)| *epoch).collect::<Vec<_>>()));
    }
}

#[tokio::test]
async fn observers_are_told_before_the_caller() {
    let database = TestDatabase::sqlite().await;
    let scribe = Arc::new(Scribe::default());
    let mut options = options(database.url());
    options.observer = scribe.clone();
    let store = Store::connect(options).await.expect("a store that opens");
    let sample = seeded(&store).await;
    scribe.take();

    let run = sample.run();
    let events = [append(sample.run_event(run.id, "a")), append(sample.run_event(run.id, "b"))];
    let emitted = Op::EventEmit(Arc::new(sample.event(run.id, "live")));
    applied(&store, sample.opening([open_run(&run), emitted].into_iter().chain(events))).await;
    assert_eq!(scribe.take(), ["events [1, 2]", "runs 1", "emitted", "committed 1"]);
    applied(&store, sample.opening([Op::EpochRaise(sample.scope.tenant_id)])).await;
    assert_eq!(scribe.take(), ["epochs [1]", "committed 1"]);
    let refused = store.commit(sample.opening([open_run(&sample.run())]).under_epoch(0)).await;
    assert!(refused.is_err());
    assert_eq!(scribe.take(), ["committed 1"]);
}

async fn no_text_holds_u0000(engine: Engine) {
    let (store, _alive) = on(engine).await;
    let sample = seeded(&store).await;
    let mut run = sample.run();
    run.input.preview = Some("a\0b".to_owned());
    run.labels.insert("team\0".to_owned(), "\0".to_owned());
    let mut event = sample.run_event(run.id, "noted");
    event.payload = json!({ "text": "a\0b", "exact": 12345678901234567890123456789_u128.to_string() });
    applied(&store, sample.opening([open_run(&run), append(event)])).await;
    let read = store.find_run(sample.scope, run.id).await.expect("a read").expect("the run");
    assert_eq!(read.input.preview.as_deref(), Some("a\u{FFFD}b"));
    assert_eq!(read.labels.get("team\u{FFFD}").map(String::as_str), Some("\u{FFFD}"));
    let events = store.list_run_events(sample.scope, run.id, EventRange { after: 0, limit: 1 }).await.expect("events");
    assert_eq!(events[0].payload["text"], "a\u{FFFD}b");
}

#[tokio::test]
async fn no_text_holds_u0000_on_sqlite() {
    no_text_holds_u0000(Engine::Sqlite).await;
}

#[tokio::test]
async fn no_text_holds_u0000_on_postgres() {
    no_text_holds_u0000(Engine::Postgres).await;
}

/// Numbers keep their digits: a document is stored as it was written.
async fn documents_are_kept_exactly(engine: Engine) {
    let (store, _alive) = on(engine).await;
    let sample = seeded(&store).await;
    let run = sample.run();
    let text = r#"{"z":1.10,"a":123456789012345678901234567890,"e":1e+400,"n":null}"#;
    let mut event = sample.run_event(run.id, "noted");
    event.payload = serde_json::from_str(text).expect("JSON");
    applied(&store, sample.opening([open_run(&run), append(event)])).await;
    let events = store.list_run_events(sample.scope, run.id, EventRange { after: 0, limit: 1 }).await.expect("events");
    assert_eq!(events[0].payload.to_string(), text);
}

#[tokio::test]
async fn documents_are_kept_exactly_on_sqlite() {
    documents_are_kept_exactly(Engine::Sqlite).await;
}

#[tokio::test]
async fn documents_are_kept_exactly_on_postgres() {
    documents_are_kept_exactly(Engine::Postgres).await;
}

async fn a_closing_store_writes_what_waits(engine: Engine) {
    let (store, database) = on(engine).await;
    let sample = seeded(&store).await;
    let runs: Vec<_> = (0..50).map(|_| sample.run()).collect();
    let writing = join_all(runs.iter().map(|run| store.commit(sample.opening([open_run(run)]))));
    // The batches are in line before the store is told to close.
    let (answers, closed) = futures::join!(writing, async {
        tokio::task::yield_now().await;
        store.close().await
    });
    closed.expect("a store that closes");
    assert!(answers.iter().all(Result::is_ok));
    let late = store.commit(sample.opening([open_run(&sample.run())])).await;
    assert!(matches!(late, Err(LedgerError::Unavailable(_))), "{late:?}");
    let again = crate::open::store(&database).await;
    let count = again.count_runs(sample.scope, &types::run::RunFilter::default(), 100).await.expect("a count");
    assert_eq!(count, 50);
}

#[tokio::test]
async fn a_closing_store_writes_what_waits_on_sqlite() {
    a_closing_store_writes_what_waits(Engine::Sqlite).await;
}

#[tokio::test]
async fn a_closing_store_writes_what_waits_on_postgres() {
    a_closing_store_writes_what_waits(Engine::Postgres).await;
}

/// A caller that gives up does not undo what it asked for.
#[tokio::test]
async fn a_caller_that_leaves_is_still_written() {
    let (store, _alive) = on(Engine::Sqlite).await;
    let sample = seeded(&store).await;
    let run = sample.run();
    {
        let mut leaving = std::pin::pin!(store.commit(sample.opening([open_run(&run)])));
        // Whether it waits or another thread has written it by now: nobody asks again.
        let _ = futures::poll!(leaving.as_mut());
    }
    applied(&store, sample.opening([open_run(&sample.run())])).await;
    assert!(store.find_run(sample.scope, run.id).await.expect("a read").is_some());
}
