//! The schema goes up and down, and holds what the store never does wrong.

use kernel::context::Scope;
use kernel::ledger::{Batch, Durability};
use kernel::port::Catalog;
use kernel::record::Row;
use migration::{Migrator, MigratorTrait};
use sea_orm_migration::sea_orm::{ConnectionTrait, Database};
use testkit::contract::{applied, seeded, seeded_as};
use testkit::database::{Engine, TestDatabase};
use testkit::sample::{open_run, put};
use types::id::{TenantId, Uuid, WorkspaceId};
use types::modelhub::{Model, Tokenizer};

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

/// An installation of the first schema, with a model in it, goes to the newest and back, and nothing is lost but what is new.
async fn a_model_of_the_first_schema_survives(engine: Engine) {
    let database = TestDatabase::new(engine).await;
    let connection = adapter_store::connect_for_migration(&options(database.url())).await.expect("a connection");
    Migrator::down(&connection, None).await.expect("down");
    Migrator::up(&connection, Some(1)).await.expect("the first schema");
    let id = |number: u8| match engine {
        Engine::Sqlite => format!("x'{number:032x}'"),
        Engine::Postgres => format!("'{number:032x}'"),
    };
    let (tenant, workspace, provider, model) = (id(1), id(2), id(3), id(4));
    let at = "'2026-01-15T12:00:00.000000Z'";
    for row in [
        format!("INSERT INTO tenants (id, name, slug, active, version) VALUES ({tenant}, 'T', 't', true, 1)"),
        format!(
            "INSERT INTO workspaces (id, tenant_id, name, slug, archived, unpriced_call_policy, content_capture, version)
             VALUES ({workspace}, {tenant}, 'W', 'w', false, 'allow', 'redacted', 1)"
        ),
        format!(
            "INSERT INTO providers (id, tenant_id, workspace_id, name, slug, kind, base_url, status, max_concurrency,
             max_retries, archived, version, created_at) VALUES ({provider}, {tenant}, {workspace}, 'P', 'p',
             'openai_compatible', 'http://127.0.0.1:9/v1', 'active', 1, 0, false, 1, {at})"
        ),
        format!(
            "INSERT INTO models (id, tenant_id, workspace_id, provider_id, model_id, model_ref, display_name,
             capabilities, enabled, version, created_at) VALUES ({model}, {tenant}, {workspace}, {provider}, 'm',
             'model:p:m', 'M', '[\"chat\"]', true, 1, {at})"
        ),
    ] {
        connection.execute_unprepared(&row).await.expect("a row of the first schema");
    }
    Migrator::up(&connection, None).await.expect("the newest schema");
    let scope = Scope {
        tenant_id: TenantId::from_uuid(Uuid::from_u128(1)),
        workspace_id: WorkspaceId::from_uuid(Uuid::from_u128(2)),
    };
    let store = crate::open::store(&database).await;
    let snapshot = Catalog::snapshot(&store, scope).await.expect("a read").expect("the workspace");
    assert_eq!(snapshot.models.iter().map(|model| model.tokenizer).collect::<Vec<_>>(), [Tokenizer::Auto]);
    let model = Model { tokenizer: Tokenizer::O200kBase, version: 2, ..snapshot.models[0].clone() };
    applied(&store, Batch::opening(scope, Durability::Power).with([put(Row::Model(scope, model.clone()))])).await;
    store.close().await.expect("a store that closes");
    assert_eq!(database.texts("SELECT tokenizer FROM models").await, ["o200k_base"]);
    let later = u32::try_from(Migrator::migrations().len() - 1).expect("a few");
    Migrator::down(&connection, Some(later)).await.expect("back to the first schema");
    assert_eq!(database.texts("SELECT model_ref FROM models").await, [model.model_ref]);
    Migrator::up(&connection, None).await.expect("the newest schema again");
    assert_eq!(database.texts("SELECT tokenizer FROM models").await, ["auto"]);
    connection.close().await.expect("a connection that closes");
}

#[tokio::test]
async fn a_model_of_the_first_schema_survives_on_sqlite() {
    a_model_of_the_first_schema_survives(Engine::Sqlite).await;
}

#[tokio::test]
async fn a_model_of_the_first_schema_survives_on_postgres() {
    a_model_of_the_first_schema_survives(Engine::Postgres).await;
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
