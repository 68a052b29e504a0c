//! Opening PostgreSQL: a pool that reads, a pool that writes, and what the server must be like.

use std::str::FromStr;
use std::time::{Duration, Instant};

use kernel::secret::SecretString;
use sea_orm::sqlx::postgres::{PgConnectOptions, PgConnection, PgPoolOptions};
use sea_orm::sqlx::{ConnectOptions, Connection};
use sea_orm::{ConnectionTrait, DatabaseConnection, SqlxError, SqlxPostgresConnector, Statement};

use super::database::{CUT, STATEMENTS};
use crate::error::OpenError;

/// Writing connections beside those of the lanes, for what is no batch.
pub const EXTRA_WRITERS: usize = 2;
const OLDEST: u32 = 150_000;
/// Held while the schema changes, so that two processes do not change it at once.
const MIGRATION_LOCK: i64 = 0x736f_6974;

/// A ledger transaction is cut after 5 s. Every statement of a writer names rows by key, and tables that were small
/// when a plan was made grow: the planner is kept from reading them whole.
const WRITER: &[(&str, &str)] = &[
    ("statement_timeout", "5000"),
    ("idle_in_transaction_session_timeout", "5000"),
    ("enable_seqscan", "off"),
    ("enable_hashjoin", "off"),
    ("enable_mergejoin", "off"),
];
const READER: &[(&str, &str)] = &[("statement_timeout", "30000"), ("default_transaction_read_only", "on")];

fn options(url: &SecretString, settings: &[(&str, &str)]) -> Result<PgConnectOptions, OpenError> {
    let options = PgConnectOptions::from_str(url.expose()).map_err(|error| OpenError::Url(error.to_string()))?;
    Ok(options
        .application_name("soit")
        .statement_cache_capacity(STATEMENTS)
        .options(settings.iter().copied())
        .disable_statement_logging())
}

/// For the one connection that hears what other processes tell.
pub(super) fn listener_options(url: &SecretString) -> Result<PgConnectOptions, OpenError> {
    options(url, &[])
}

async fn connect(options: PgConnectOptions, connections: u32, wait: Duration) -> Result<DatabaseConnection, OpenError> {
    let started = Instant::now();
    loop {
        let pool = PgPoolOptions::new()
            .max_connections(connections)
            .min_connections(1)
            .acquire_timeout(CUT)
            .test_before_acquire(false)
            .before_acquire(|connection, idle| Box::pin(answers(connection, idle.idle_for)))
            .connect_with(options.clone())
            .await;
        match pool {
            Ok(pool) => return Ok(SqlxPostgresConnector::from_sqlx_postgres_pool(pool)),
            Err(_) if started.elapsed() < wait => tokio::time::sleep(Duration::from_millis(500)).await,
            Err(error) => return Err(OpenError::Unreachable(error.to_string())),
        }
    }
}

/// Whether a connection that was idle for a while is still there; one in use needs no question.
async fn answers(connection: &mut PgConnection, idle_for: Duration) -> Result<bool, SqlxError> {
    if idle_for > Duration::from_secs(1) {
        connection.ping().await?;
    }
    Ok(true)
}

/// The reading pool and the writing pool: a connection a lane and a few for what is no batch.
pub(super) async fn open(
    url: &SecretString,
    readers: u32,
    lanes: usize,
    wait: Duration,
) -> Result<(DatabaseConnection, DatabaseConnection), OpenError> {
    let read = connect(options(url, READER)?, readers.max(1), wait).await?;
    inspect(&read).await?;
    let writers = u32::try_from(lanes.saturating_add(EXTRA_WRITERS)).unwrap_or(u32::MAX);
    let write = connect(options(url, WRITER)?, writers, wait).await?;
    Ok((read, write))
}

async fn inspect(connection: &DatabaseConnection) -> Result<(), OpenError> {
    let number = setting(connection, "server_version_num").await?;
    if number.parse::<u32>().is_ok_and(|number| number < OLDEST) {
        return Err(OpenError::Version { found: setting(connection, "server_version").await? });
    }
    match setting(connection, "fsync").await?.as_str() {
        "off" => Err(OpenError::Unsynced),
        _ => Ok(()),
    }
}

/// What the server gives to all its clients but superusers.
pub(super) async fn most_connections(connection: &DatabaseConnection) -> Result<u32, OpenError> {
    let number = async |name| setting(connection, name).await.map(|text| text.parse::<u32>().unwrap_or_default());
    let reserved = number("superuser_reserved_connections").await?;
    Ok(number("max_connections").await?.saturating_sub(reserved))
}

async fn setting(connection: &DatabaseConnection, name: &str) -> Result<String, OpenError> {
    let sql = "SELECT current_setting($1)";
    let statement = Statement::from_sql_and_values(connection.get_database_backend(), sql, [name.into()]);
    let row = connection.query_one_raw(statement).await.map_err(|error| OpenError::of(&error))?;
    row.and_then(|row| row.try_get_by_index(0).ok()).ok_or_else(|| OpenError::Database(format!("no setting `{name}`")))
}

/// One connection for changing the schema; it holds a lock until it is closed.
pub(crate) async fn migration_connection(url: &SecretString, wait: Duration) -> Result<DatabaseConnection, OpenError> {
    let connection = connect(options(url, &[])?, 1, wait).await?;
    let lock = format!("SELECT pg_advisory_lock({MIGRATION_LOCK})");
    connection.execute_unprepared(&lock).await.map_err(|error| OpenError::of(&error))?;
    Ok(connection)
}
