//! What a store is told when it opens.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use kernel::port::CommitObserver;
use kernel::secret::SecretString;

/// Which database.
#[derive(Clone, Debug)]
pub enum Target {
    /// A file of this machine; made when it is not there.
    Sqlite(PathBuf),
    /// The URL of a PostgreSQL server of version 15 or later.
    Postgres(SecretString),
}

/// How seriously the durability that batches ask for is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Durability {
    /// As asked.
    Standard,
    /// Every transaction is synced.
    Strict,
    /// None is: for measuring and throw-away installs.
    Process,
}

/// What a store is told when it opens.
#[derive(Clone)]
pub struct StoreOptions {
    /// Which database.
    pub target: Target,
    /// Connections for reading, at least 1.
    pub pool_size: u32,
    /// Transactions written at once on PostgreSQL, at least 1; SQLite has one writer.
    pub lanes: usize,
    /// How seriously durability is taken.
    pub durability: Durability,
    /// How long to wait for a server that is not there yet.
    pub wait: Duration,
    /// Signs the cursors of lists: the same for all processes of a deployment.
    pub cursor_key: [u8; 32],
    /// Told of every commit.
    pub observer: Arc<dyn CommitObserver>,
}
