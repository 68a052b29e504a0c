//! How much a list reads does not grow with the table: the plans that both databases make of it say so.

use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use chrono::TimeDelta;
use kernel::context::Scope;
use kernel::port::CommitObserver;
use kernel::secret::SecretString;
use sea_orm::{ConnectionTrait, DbBackend, DbErr, ExecResult, IdenStatic, Iterable, QueryResult, Statement};
use testkit::contract::{applied, seeded};
use testkit::database::{Engine, TestDatabase};
use testkit::sample::{Sample, move_run, noon, open_run};
use types::id::RunId;
use types::run::{RunEvent, RunFilter, RunQuery, RunStatus};

use super::{counters, page, tally};
use crate::{Durability, Store, StoreOptions, Target};

/// Runs beside the one that goes on, a minute apart: enough that reading them all would be the worse plan.
const MANY: i64 = 20_000;

/// A connection that notes how the database would answer each question.
struct Planner<C> {
    connection: C,
    plans: Mutex<Vec<String>>,
}

impl<C: ConnectionTrait> Planner<C> {
    fn new(connection: C) -> Self {
        Self { connection, plans: Mutex::default() }
    }

    async fn note(&self, statement: &Statement) -> Result<(), DbErr> {
        // SQLite tells it in the fourth column, PostgreSQL in the only one.
        let (explain, column) = match self.get_database_backend() {
            DbBackend::Sqlite => ("EXPLAIN QUERY PLAN", 3),
            _ => ("EXPLAIN", 0),
        };
        let asking = Statement { sql: format!("{explain} {}", statement.sql), ..statement.clone() };
        let rows = self.connection.query_all_raw(asking).await?;
        let lines: Result<Vec<String>, _> = rows.iter().map(|row| row.try_get_by_index(column)).collect();
        self.plans.lock().unwrap().push(lines?.join("\n"));
        Ok(())
    }

    /// The plans of what was asked since the last time.
    fn take(&self) -> Vec<String> {
        std::mem::take(&mut self.plans.lock().unwrap())
    }
}

#[async_trait::async_trait]
impl<C: ConnectionTrait> ConnectionTrait for Planner<C> {
    fn get_database_backend(&self) -> DbBackend {
        self.connection.get_database_backend()
    }

    async fn execute_raw(&self, statement: Statement) -> Result<ExecResult, DbErr> {
        self.connection.execute_raw(statement).await
    }

    async fn execute_unprepared(&self, sql: &str) -> Result<ExecResult, DbErr> {
        self.connection.execute_unprepared(sql).await
    }

    async fn query_one_raw(&self, statement: Statement) -> Result<Option<QueryResult>, DbErr> {
        self.note(&statement).await?;
        self.connection.query_one_raw(statement).await
    }

    async fn query_all_raw(&self, statement: Statement) -> Result<Vec<QueryResult>, DbErr> {
        self.note(&statement).await?;
        self.connection.query_all_raw(statement).await
    }
}

struct Deaf;

impl CommitObserver for Deaf {
    fn run_events(&self, _: &[RunEvent]) {}
    fn runs_changed(&self, _: &[(Scope, RunId)]) {}
    fn committed(&self, _: usize, _: Duration) {}
    fn events_emitted(&self) {}
}

async fn opened(database: &TestDatabase) -> Store {
    let target = match database.url().strip_prefix("sqlite://") {
        Some(path) => Target::Sqlite(PathBuf::from(path)),
        None => Target::Postgres(SecretString::new(database.url().to_owned())),
    };
    let options = StoreOptions {
        target,
        pool_size: 1,
        lanes: 1,
        durability: Durability::Process,
        wait: Duration::ZERO,
        cursor_key: [7; 32],
        observer: Arc::new(Deaf),
    };
    Store::connect(options).await.unwrap()
}

/// One run that goes on, and many like one that ended.
async fn fill(database: &TestDatabase, store: &Store, sample: &Sample) {
    let ended = sample.run();
    let ops = [open_run(&ended), move_run(ended.id, RunStatus::Canceled), open_run(&sample.run())];
    applied(store, sample.opening(ops)).await;
    let columns: Vec<&str> = entity::run::Column::iter().map(|column| column.as_str()).collect();
    let (id, started_at, numbers) = match database.engine() {
        Engine::Sqlite => (
            "randomblob(16)",
            "strftime('%Y-%m-%dT%H:%M:%f', started_at, '+' || number || ' minutes') || '000Z'",
            format!(
                "(WITH RECURSIVE n (number) AS (SELECT 1 UNION ALL SELECT number + 1 FROM n WHERE number < {MANY}) SELECT number FROM n)"
            ),
        ),
        Engine::Postgres => (
            "gen_random_uuid()",
            "started_at + number * INTERVAL '1 minute'",
            format!("generate_series(1, {MANY}) AS numbers (number)"),
        ),
    };
    let values = columns.iter().map(|column| match *column {
        "id" => id,
        "started_at" => started_at,
        same => same,
    });
    let values: Vec<&str> = values.collect();
    let (columns, values) = (columns.join(", "), values.join(", "));
    let copy = format!("INSERT INTO runs ({columns}) SELECT {values} FROM runs, {numbers} WHERE ended_at IS NOT NULL");
    database.texts(&copy).await;
    // PostgreSQL gathers its figures by itself, SQLite none unless it is told to.
    if database.engine() == Engine::Postgres {
        database.texts("ANALYZE runs").await;
    }
}

/// Whether rows are found by an index: neither are all of them read nor, for an order, more than are wanted.
fn is_bounded(plan: &str, is_ordered: bool) -> bool {
    // A partial index holds the open runs alone, and is small however many ended.
    let reads_all =
        |line: &str| line.contains("Seq Scan on runs") || line.contains("SCAN runs") && !line.contains("runs_open_idx");
    let sorts = |line: &str| line.contains("Sort") || line.contains("TEMP B-TREE FOR ORDER BY");
    plan.contains("runs_") && !plan.lines().any(|line| reads_all(line) || is_ordered && sorts(line))
}

async fn the_lists_of_a_page_find_their_rows_by_an_index(engine: Engine) {
    let database = TestDatabase::new(engine).await;
    let store = opened(&database).await;
    let sample = seeded(&store).await;
    fill(&database, &store, &sample).await;
    let (db, scope) = (Planner::new(store.database().reader()), sample.scope);

    let last = noon() + TimeDelta::minutes(MANY);
    let day =
        RunFilter { started_from: Some(last - TimeDelta::days(1)), started_to: Some(last), ..RunFilter::default() };
    let newest = RunQuery { filter: day.clone(), ..RunQuery::default() };
    let first = page::page(&db, store.cursor_key(), scope, &newest).await.unwrap();
    let older = RunQuery { cursor: first.next_cursor, ..newest };
    assert!(!page::page(&db, store.cursor_key(), scope, &older).await.unwrap().items.is_empty());
    let lists = db.take();
    assert_eq!(lists.len(), 2);
    assert!(lists.iter().all(|plan| is_bounded(plan, true)), "{}", lists.join("\n\n"));

    let open = vec![RunStatus::Queued.into(), RunStatus::Running.into()];
    let open = RunFilter { status: open, ..RunFilter::default() };
    let running = RunQuery { filter: open.clone(), ..RunQuery::default() };
    assert_eq!(page::count(&db, scope, &open, 10_001).await.unwrap(), 1);
    assert_eq!(page::page(&db, store.cursor_key(), scope, &running).await.unwrap().items.len(), 1);
    tally::tally(&db, scope, &day, 10_000).await.unwrap();
    let others = db.take();
    assert_eq!(others.len(), 3);
    assert!(others.iter().all(|plan| is_bounded(plan, false)), "{}", others.join("\n\n"));
}

/// A text that few runs hold is found by the index of texts; one that many hold, by the list's own, as far as a page goes.
async fn a_text_is_found_by_an_index(engine: Engine) {
    let database = TestDatabase::new(engine).await;
    let store = opened(&database).await;
    let sample = seeded(&store).await;
    fill(&database, &store, &sample).await;
    let number = match engine {
        Engine::Sqlite => "lower(hex(id))",
        Engine::Postgres => "replace(id::text, '-', '')",
    };
    database.texts("DELETE FROM run_texts").await;
    let said = "some words that a person says to a model ".repeat(8);
    let texts = format!(
        "INSERT INTO run_texts (run_id, tenant_id, workspace_id, is_over, facts, input)
         SELECT id, tenant_id, workspace_id, ended_at IS NOT NULL, 'often ' || {number}, '{said}' FROM runs"
    );
    database.texts(&texts).await;
    if engine == Engine::Postgres {
        database.texts("ANALYZE run_texts").await;
    }
    let one = database.texts(&format!("SELECT {number} FROM runs LIMIT 1 OFFSET 7000")).await.remove(0);
    let (db, scope) = (Planner::new(store.database().reader()), sample.scope);
    let holding = |text: &str| RunFilter { q: Some(text.to_owned()), ..RunFilter::default() };
    let ask = async |text: &str| {
        let query = RunQuery { filter: holding(text), ..RunQuery::default() };
        let page = page::page(&db, store.cursor_key(), scope, &query).await.unwrap();
        (page.items.len(), db.take())
    };
    let (rows, plans) = ask(&one[4..20]).await;
    assert_eq!((rows, plans.len()), (1, 2));
    let reads_all = |plan: &str| {
        let all = ["Seq Scan", "SCAN runs", "SCAN run_texts", "SEARCH runs USING INDEX runs_workspace_id"];
        all.iter().any(|words| plan.contains(words))
    };
    let index = if engine == Engine::Sqlite { "VIRTUAL TABLE INDEX" } else { "run_texts_search_idx" };
    assert!(plans.iter().all(|plan| plan.contains(index) && !reads_all(plan)), "{}", plans.join("\n\n"));
    let (rows, plans) = ask("often").await;
    assert_eq!((rows, plans.len()), (50, 2));
    let list = plans.last().unwrap();
    assert!(list.contains("runs_workspace_id_started_at_idx") && is_bounded(list, true), "{list}");
    assert_eq!(page::count(&db, scope, &holding(&one[4..20]), 10_001).await.unwrap(), 1);
    assert_eq!(page::count(&db, scope, &holding("often"), 10_001).await.unwrap(), 10_001);
}

#[tokio::test]
async fn a_text_is_found_by_an_index_on_sqlite() {
    a_text_is_found_by_an_index(Engine::Sqlite).await;
}

#[tokio::test]
async fn a_text_is_found_by_an_index_on_postgres() {
    a_text_is_found_by_an_index(Engine::Postgres).await;
}

/// A summary of 30 days reads counters, by an index, and no run.
async fn a_summary_reads_counters_alone(engine: Engine) {
    let database = TestDatabase::new(engine).await;
    let store = opened(&database).await;
    let sample = seeded(&store).await;
    fill(&database, &store, &sample).await;
    let (db, scope) = (Planner::new(store.database().reader()), sample.scope);
    let month = (noon() - TimeDelta::days(30), noon() + TimeDelta::minutes(MANY));
    assert!(!counters::run_sums(&db, scope, month, 86_400, None).await.unwrap().is_empty());
    counters::usage(&db, scope, month, None, 100).await.unwrap();
    let plans = db.take();
    assert_eq!(plans.len(), 2);
    for (plan, table) in plans.iter().zip(["run_counts", "usage_daily"]) {
        assert!(plan.contains(table), "{plan}");
        for rows in ["runs", "steps", "costs"] {
            let is_of = |line: &str| line.split_whitespace().any(|word| word == rows);
            assert!(!plan.lines().any(is_of), "{plan}");
        }
    }
}

#[tokio::test]
async fn a_summary_reads_counters_alone_on_sqlite() {
    a_summary_reads_counters_alone(Engine::Sqlite).await;
}

#[tokio::test]
async fn a_summary_reads_counters_alone_on_postgres() {
    a_summary_reads_counters_alone(Engine::Postgres).await;
}

#[tokio::test]
async fn the_lists_of_a_page_find_their_rows_by_an_index_on_sqlite() {
    the_lists_of_a_page_find_their_rows_by_an_index(Engine::Sqlite).await;
}

#[tokio::test]
async fn the_lists_of_a_page_find_their_rows_by_an_index_on_postgres() {
    the_lists_of_a_page_find_their_rows_by_an_index(Engine::Postgres).await;
}
