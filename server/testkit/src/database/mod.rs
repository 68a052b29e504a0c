//! A database of one's own for each test, with the schema in place.
//!
//! SQLite: a copy of a file migrated once a process. PostgreSQL: a copy of a template migrated once a server, made on the
//! server that `TEST_POSTGRES_URL` names; without it such tests fail and say so. Both are removed when dropped.

mod postgres;
mod sqlite;

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

    /// Which database it is on.
    pub fn engine(&self) -> Engine {
        self.engine
    }
}
