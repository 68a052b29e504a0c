//! The schema goes up and down, and holds what the store never does wrong.

use migration::{Migrator, MigratorTrait};
use sea_orm_migration::sea_orm::{ConnectionTrait, Database};
use testkit::contract::{applied, seeded, seeded_as};
use testkit::database::{Engine, TestDatabase};
use testkit::sample::{open_run, put};

use crate::open::{on, options};

async fn goes_up_and_down(engine: Engine) {
    let database = TestDatabase::new(engine).await;
    let connection = adapter_store::connect_for_migration(&options(database.url())).await.expect("a connection");
    Migrator::down(&connection, None).await.expect("down");
    assert!(connection.execute_unprepared("SELECT 1 FROM runs").await.is_err());
    assert!(!Migrator::get_pending_migrations(&connection).await.expect("a list").is_empty());
    Migrator::up(&connection, None).await.expect("up again");
    assert!(Migrator::get_pending_migrations(&connection).await.expect("a list").is_empty());
    connection.close().await.expect("a connection that closes");
    let store = crate::open::store(&database).await;
    seeded(&store).await;
}

#[tokio::test]
async fn sqlite_goes_up_and_down() {
    goes_up_and_down(Engine::Sqlite).await;
}

#[tokio::test]
async fn postgres_goes_up_and_down() {
    goes_up_and_down(Engine::Postgres).await;
}

/// What readiness and the start compare: the migrations a database has seen, and the connections its server gives.
async fn tells_of_its_schema_and_its_server(engine: Engine) {
    let (store, _alive) = on(engine).await;
    let known: Vec<String> = Migrator::migrations().iter().map(|migration| migration.name().to_owned()).collect();
    assert_eq!(store.migrations().await.expect("a list"), known);
    let most = store.most_connections().await.expect("a number");
    assert_eq!(most.is_some_and(|most| most > 0), engine == Engine::Postgres);
}

#[tokio::test]
async fn sqlite_tells_of_its_schema() {
    tells_of_its_schema_and_its_server(Engine::Sqlite).await;
}

#[tokio::test]
async fn postgres_tells_of_its_schema_and_its_server() {
    tells_of_its_schema_and_its_server(Engine::Postgres).await;
}

/// A model that names another tenant's provider account is refused by the database, alone.
async fn no_row_points_into_another_tenant(engine: Engine) {
    use kernel::ledger::Refusal;
    use kernel::record::Row;
    let (store, _alive) = on(engine).await;
    let (sample, other) = (seeded(&store).await, seeded_as(&store, "other", 2).await);
    let mut key = sample.api_key();
    key.id = sample.ids().api_key();
    key.scope.tenant_id = other.scope.tenant_id;
    let run = sample.run();
    let writing = [sample.opening([put(Row::ApiKey(key))]), sample.opening([open_run(&run)])];
    let [refused, fine] = writing.map(|batch| {
        let store = store.clone();
        async move { kernel::port::Ledger::commit(&store, batch).await }
    });
    let (refused, fine) = futures::join!(refused, fine);
    assert!(matches!(refused, Err(kernel::ledger::LedgerError::Refused(Refusal::Missing { .. }))), "{refused:?}");
    fine.expect("the neighbour");
}

#[tokio::test]
async fn no_row_points_into_another_tenant_on_sqlite() {
    no_row_points_into_another_tenant(Engine::Sqlite).await;
}

#[tokio::test]
async fn no_row_points_into_another_tenant_on_postgres() {
    no_row_points_into_another_tenant(Engine::Postgres).await;
}

/// Text order is time order on SQLite, whatever the fraction of a second.
#[tokio::test]
async fn sqlite_keeps_times_with_six_digits() {
    let (store, database) = on(Engine::Sqlite).await;
    let sample = seeded(&store).await;
    let mut run = sample.run();
    run.started_at = "2026-01-15T12:00:00Z".parse().expect("a time");
    applied(&store, sample.opening([open_run(&run)])).await;
    let connection = Database::connect(database.url()).await.expect("a connection");
    let sql = "SELECT started_at, created_at FROM runs";
    let statement = sea_orm::Statement::from_string(connection.get_database_backend(), sql);
    let row = connection.query_one_raw(statement).await.expect("a row").expect("a row");
    let started: String = row.try_get_by_index(0).expect("text");
    let created: String = row.try_get_by_index(1).expect("text");
    assert_eq!(started, "2026-01-15T12:00:00.000000Z");
    assert_eq!((created.len(), created.ends_with('Z')), (started.len(), true));
}
