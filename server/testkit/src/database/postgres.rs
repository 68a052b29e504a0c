//! PostgreSQL databases: copies of a template that was migrated once a server.

use migration::{Migrator, MigratorTrait};
use sea_orm_migration::sea_orm::{ConnectOptions, ConnectionTrait, Database, DatabaseConnection, DbBackend, Statement};
use uuid::Uuid;

/// Held while the template is made: each test is a process of its own.
const TEMPLATE_LOCK: i64 = 0x736f_6974_0001;

/// Drops the database.
pub(super) struct Dropper {
    server: String,
    name: String,
}

pub(super) async fn create() -> (String, Dropper) {
    let server = server();
    let admin = connect(&server).await;
    let template = template(&admin, &server).await;
    #[expect(clippy::disallowed_methods, reason = "the name of a throw-away database")]
    let name = format!("soit_test_{}", Uuid::now_v7().simple());
    execute(&admin, &format!("CREATE DATABASE {name} TEMPLATE {template}")).await;
    admin.close().await.expect("a connection that closes");
    (named(&server, &name), Dropper { server, name })
}

fn server() -> String {
    #[expect(clippy::disallowed_methods, reason = "the test kit is told by the environment where the services are")]
    let server = std::env::var("TEST_POSTGRES_URL");
    server.expect("TEST_POSTGRES_URL must name a PostgreSQL server: run the tests with `make test`")
}

/// The same server's database of another name.
fn named(server: &str, name: &str) -> String {
    let (server, _) = server.rsplit_once('/').expect("a URL that ends in a database");
    format!("{server}/{name}")
}

async fn connect(url: &str) -> DatabaseConnection {
    let mut options = ConnectOptions::new(url);
    options.max_connections(1).sqlx_logging(false);
    Database::connect(options).await.expect("the PostgreSQL server of TEST_POSTGRES_URL")
}

async fn execute(connection: &DatabaseConnection, sql: &str) {
    connection.execute_unprepared(sql).await.unwrap_or_else(|error| panic!("`{sql}` failed: {error}"));
}

/// Named after the schema, so that an older one on the same server is no trouble.
async fn template(admin: &DatabaseConnection, server: &str) -> String {
    let name: String =
        "soit_template_".chars().chain(migration::fingerprint(DbBackend::Postgres).chars().take(16)).collect();
    execute(admin, &format!("SELECT pg_advisory_lock({TEMPLATE_LOCK})")).await;
    let known = format!("SELECT 1 FROM pg_database WHERE datname = '{name}'");
    let known = Statement::from_string(admin.get_database_backend(), known);
    if admin.query_one_raw(known).await.expect("a list of databases").is_none() {
        let draft = format!("{name}_draft");
        execute(admin, &format!("DROP DATABASE IF EXISTS {draft} WITH (FORCE)")).await;
        execute(admin, &format!("CREATE DATABASE {draft}")).await;
        let connection = connect(&named(server, &draft)).await;
        Migrator::up(&connection, None).await.expect("migrations that run on PostgreSQL");
        connection.close().await.expect("a connection that closes");
        execute(admin, &format!("ALTER DATABASE {draft} RENAME TO {name}")).await;
    }
    execute(admin, &format!("SELECT pg_advisory_unlock({TEMPLATE_LOCK})")).await;
    name
}

impl Drop for Dropper {
    /// On a thread of its own: a drop cannot wait inside a runtime.
    fn drop(&mut self) {
        let (server, name) = (self.server.clone(), self.name.clone());
        let dropping = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
            runtime.expect("a runtime").block_on(async {
                let admin = connect(&server).await;
                execute(&admin, &format!("DROP DATABASE IF EXISTS {name} WITH (FORCE)")).await;
            });
        });
        let dropped = dropping.join();
        assert!(dropped.is_ok() || std::thread::panicking(), "the test's database is not dropped");
    }
}
