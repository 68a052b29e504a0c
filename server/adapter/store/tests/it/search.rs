//! What runs are found by goes when what they kept goes, and comes to runs of an earlier soit.

use kernel::ledger::NewRun;
use kernel::port::Runs;
use testkit::contract::{applied, seeded};
use testkit::database::{Engine, TestDatabase};
use testkit::sample::{Sample, move_run, open_run};
use types::id::RunId;
use types::run::{RunFilter, RunQuery, RunStatus};

use crate::open::{on, store};

/// Letters that no other text has: a trigram of them shares no more than a byte with its neighbours in the index.
const CANARY: &str = "龘靐齉爩-7741";

async fn found(store: &impl Runs, sample: &Sample, text: &str) -> Vec<RunId> {
    let filter = RunFilter { q: Some(text.to_owned()), ..RunFilter::default() };
    let page = store.list_runs(sample.scope, &RunQuery { filter, ..RunQuery::default() }).await.expect("a page");
    page.items.into_iter().map(|run| run.id).collect()
}

fn telling(sample: &Sample) -> NewRun {
    let mut run = sample.run();
    run.input.preview = Some(format!("about {CANARY}"));
    run.labels.insert("team".to_owned(), "Refunds".to_owned());
    run
}

/// What the index and the texts are made of, as hex.
async fn kept(database: &TestDatabase) -> [String; 2] {
    let texts = match database.engine() {
        Engine::Sqlite => "SELECT hex(coalesce(input, '')) FROM run_texts",
        Engine::Postgres => "SELECT encode(convert_to(coalesce(input, ''), 'UTF8'), 'hex') FROM run_texts",
    };
    let index = match database.engine() {
        Engine::Sqlite => database.texts("SELECT hex(block) FROM run_search_data").await,
        // Dead entries of an index lie there until they are vacuumed, as those of every table do.
        Engine::Postgres => Vec::new(),
    };
    [index, database.texts(texts).await].map(|parts| parts.concat().to_lowercase())
}

fn hex(text: &str) -> String {
    text.bytes().map(|byte| format!("{byte:02x}")).collect()
}

async fn what_is_erased_is_not_found_any_more(engine: Engine) {
    let (store, database) = on(engine).await;
    let sample = seeded(&store).await;
    let runs = [telling(&sample), telling(&sample)];
    for run in &runs {
        applied(&store, sample.opening([open_run(run), move_run(run.id, RunStatus::Succeeded)])).await;
    }
    let ids = [runs[1].id, runs[0].id];
    assert_eq!(found(&store, &sample, CANARY).await, ids);
    let [index, texts] = kept(&database).await;
    assert_eq!((index.contains(&hex("靐齉")), texts.contains(&hex("靐齉"))), (engine == Engine::Sqlite, true));
    let is = |run: &NewRun| match engine {
        Engine::Sqlite => format!("x'{}'", run.id.as_uuid().simple()),
        Engine::Postgres => format!("'{}'", run.id.as_uuid()),
    };
    // What is over is only touched by a purge.
    for run in &runs {
        let listed = format!("SELECT id, tenant_id, workspace_id FROM runs WHERE id = {}", is(run));
        database.texts(&format!("INSERT INTO purge_list (subject_id, tenant_id, workspace_id) {listed}")).await;
    }
    database.texts(&format!("UPDATE runs SET input_preview = NULL, salt = NULL WHERE id = {}", is(&runs[0]))).await;
    assert_eq!(found(&store, &sample, CANARY).await, ids[..1]);
    assert_eq!(found(&store, &sample, "team=refunds").await, ids, "what is kept is found as before");
    database.texts(&format!("UPDATE runs SET labels = '{{}}' WHERE id = {}", is(&runs[0]))).await;
    assert_eq!(found(&store, &sample, "team=refunds").await, ids[..1]);
    assert_eq!(found(&store, &sample, &runs[0].id.to_string()).await, ids[1..], "and by its id for good");
    database.texts(&format!("UPDATE runs SET input_preview = NULL WHERE id = {}", is(&runs[1]))).await;
    assert_eq!(found(&store, &sample, CANARY).await, []);
    for left in kept(&database).await {
        for letter in ["龘", "靐", "齉", "爩"] {
            assert!(!left.contains(&hex(letter)), "`{letter}` is left");
        }
    }
    database.texts(&format!("DELETE FROM runs WHERE id = {}", is(&runs[1]))).await;
    assert_eq!(found(&store, &sample, &runs[1].id.to_string()).await, []);
    assert_eq!(database.texts("SELECT CAST(count(*) AS TEXT) FROM run_texts").await, ["1"]);
}

#[tokio::test]
async fn what_is_erased_is_not_found_any_more_on_sqlite() {
    what_is_erased_is_not_found_any_more(Engine::Sqlite).await;
}

#[tokio::test]
async fn what_is_erased_is_not_found_any_more_on_postgres() {
    what_is_erased_is_not_found_any_more(Engine::Postgres).await;
}

async fn runs_of_an_earlier_soit_are_found_once_they_have_their_texts(engine: Engine) {
    let (store, database) = on(engine).await;
    let sample = seeded(&store).await;
    let runs: Vec<NewRun> = (0..5).map(|_| telling(&sample)).collect();
    for run in &runs {
        applied(&store, sample.opening([open_run(run)])).await;
    }
    applied(&store, sample.opening([move_run(runs[0].id, RunStatus::Succeeded)])).await;
    let all: Vec<RunId> = runs.iter().rev().map(|run| run.id).collect();
    assert!(!store.index_older_runs(2).await.expect("an answer"), "a fresh database has no earlier runs");
    let highest = match engine {
        Engine::Sqlite => "x'ffffffffffffffffffffffffffffffff'",
        Engine::Postgres => "'ffffffff-ffff-ffff-ffff-ffffffffffff'",
    };
    database.texts("DELETE FROM run_texts").await;
    database.texts(&format!("INSERT INTO run_text_backlog (id, below) VALUES (1, {highest})")).await;
    assert_eq!(found(&store, &sample, CANARY).await, []);
    assert!(store.index_older_runs(2).await.expect("an answer"));
    assert_eq!(found(&store, &sample, CANARY).await, all[..2]);
    // One that ends meanwhile has its text already.
    applied(&store, sample.opening([move_run(runs[1].id, RunStatus::Succeeded)])).await;
    while store.index_older_runs(2).await.expect("an answer") {}
    assert_eq!(found(&store, &sample, CANARY).await, all);
    assert!(database.texts("SELECT CAST(id AS TEXT) FROM run_text_backlog").await.is_empty());
    assert_eq!(database.texts("SELECT CAST(count(*) AS TEXT) FROM run_texts WHERE is_over").await, ["2"]);
}

#[tokio::test]
async fn runs_of_an_earlier_soit_are_found_once_they_have_their_texts_on_sqlite() {
    runs_of_an_earlier_soit_are_found_once_they_have_their_texts(Engine::Sqlite).await;
}

#[tokio::test]
async fn runs_of_an_earlier_soit_are_found_once_they_have_their_texts_on_postgres() {
    runs_of_an_earlier_soit_are_found_once_they_have_their_texts(Engine::Postgres).await;
}

/// A server without the extension, or a user who may not make it.
#[tokio::test]
async fn without_an_index_texts_are_found_all_the_same_and_it_is_told() {
    let database = TestDatabase::postgres().await;
    let store = store(&database).await;
    assert!(store.has_text_index().await.expect("an answer"));
    database.texts("DROP EXTENSION pg_trgm CASCADE").await;
    assert!(!store.has_text_index().await.expect("an answer"));
    let sample = seeded(&store).await;
    let run = telling(&sample);
    applied(&store, sample.opening([open_run(&run), move_run(run.id, RunStatus::Succeeded)])).await;
    assert_eq!(found(&store, &sample, &CANARY.to_uppercase()).await, [run.id]);
}
