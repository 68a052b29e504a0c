//! A database of one's own for each test, with the schema in place.
//!
//! SQLite: a copy of a file migrated once a process. PostgreSQL: a copy of a template migrated once a server, made on the
//! server that `TEST_POSTGRES_URL` names; without it such tests fail and say so. Both are removed when dropped.
//! [`Proxy`] lets a server go away.

mod postgres;
mod proxy;
mod sqlite;

use sea_orm_migration::sea_orm::{ConnectOptions, ConnectionTrait, Database, Statement};

pub use proxy::{Fault, Proxy};

/// Which database a test runs on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Engine {
    /// A file.
    Sqlite,
    /// A server.
    Postgres,
}

/// A database of one's own.
pub struct TestDatabase {
    url: String,
    engine: Engine,
    /// Removes the database.
    _guard: Guard,
}

enum Guard {
    Sqlite(#[expect(dead_code, reason = "removes the folder when dropped")] tempfile::TempDir),
    Postgres(#[expect(dead_code, reason = "drops the database when dropped")] postgres::Dropper),
}

impl TestDatabase {
    /// On SQLite or on PostgreSQL.
    pub async fn new(engine: Engine) -> Self {
        match engine {
            Engine::Sqlite => Self::sqlite().await,
            Engine::Postgres => Self::postgres().await,
        }
    }

    /// A SQLite file.
    pub async fn sqlite() -> Self {
        let (url, folder) = sqlite::create().await;
        Self { url, engine: Engine::Sqlite, _guard: Guard::Sqlite(folder) }
    }

    /// A database of the PostgreSQL server that `TEST_POSTGRES_URL` names.
    pub async fn postgres() -> Self {
        let (url, dropper) = postgres::create().await;
        Self { url, engine: Engine::Postgres, _guard: Guard::Postgres(dropper) }
    }

    /// `sqlite://PATH` or `postgres://…`, as `DATABASE_URL` takes it.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// The first column, a text, of what a query finds: for what no port reads.
    pub async fn texts(&self, sql: &str) -> Vec<String> {
        let mut options = ConnectOptions::new(&self.url);
        options.max_connections(1).sqlx_logging(false);
        let connection = Database::connect(options).await.expect("the test's database");
        let asking = Statement::from_string(connection.get_database_backend(), sql);
        let rows = connection.query_all_raw(asking).await.unwrap_or_else(|error| panic!("`{sql}` failed: {error}"));
        connection.close().await.expect("a connection that closes");
        rows.iter().map(|row| row.try_get_by_index(0).expect("a text")).collect()
    }

    /// Which database it is on.
    pub fn engine(&self) -> Engine {
        self.engine
    }
}
