//! Opening a SQLite file: write-ahead log, one connection that writes, a pool that reads.

use std::path::Path;
use std::time::Duration;

use sea_orm::sqlx::ConnectOptions;
use sea_orm::sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqlitePoolOptions, SqliteSynchronous};
use sea_orm::{DatabaseConnection, SqlxSqliteConnector};

use super::checkpoint::WRITERS_LIMIT;
use super::database::{CUT, STATEMENTS};
use crate::error::OpenError;

fn options(path: &Path) -> SqliteConnectOptions {
    SqliteConnectOptions::new()
        .filename(path)
        .create_if_missing(true)
        .journal_mode(SqliteJournalMode::Wal)
        .synchronous(SqliteSynchronous::Full)
        .foreign_keys(true)
        .busy_timeout(CUT)
        .statement_cache_capacity(STATEMENTS)
        .disable_statement_logging()
}

async fn connect(options: SqliteConnectOptions, connections: u32) -> Result<DatabaseConnection, OpenError> {
    let pool = SqlitePoolOptions::new()
        .max_connections(connections)
        .min_connections(1)
        .idle_timeout((connections > 1).then_some(Duration::from_secs(60)))
        .max_lifetime(None)
        .acquire_timeout(CUT)
        .test_before_acquire(false)
        .connect_with(options)
        .await
        .map_err(|error| OpenError::Unreachable(error.to_string()))?;
    Ok(SqlxSqliteConnector::from_sqlx_sqlite_pool(pool))
}

/// The reading pool and the one writing connection.
pub(super) async fn open(path: &Path, readers: u32) -> Result<(DatabaseConnection, DatabaseConnection), OpenError> {
    let writing = options(path).pragma("cache_size", "-16000").pragma("wal_autocheckpoint", WRITERS_LIMIT.to_string());
    let write = connect(writing, 1).await?;
    let read = connect(options(path).pragma("query_only", "ON"), readers.max(1)).await?;
    Ok((read, write))
}

/// One connection for changing the schema.
pub(crate) async fn migration_connection(path: &Path) -> Result<DatabaseConnection, OpenError> {
    connect(options(path), 1).await
}
