//! The store whole: opened once, shared by clones, closed at the end.

use std::sync::{Arc, Mutex, PoisonError};

use kernel::port::StoreError;
use sea_orm::DatabaseConnection;
use tokio::task::JoinHandle;

use crate::cursor::CursorKey;
use crate::dialect::{Database, postgres_migration_connection, sqlite_migration_connection};
use crate::error::{OpenError, reading};
use crate::ledger::{Queue, Writer, spawn_lanes};
use crate::meter::Figures;
use crate::options::{StoreOptions, Target};
use crate::read::Snapshots;

/// The store. Clones share it; [`Store::close`] writes what waits and lets go of the database.
#[derive(Clone)]
pub struct Store(Arc<Parts>);

struct Parts {
    database: Arc<Database>,
    snapshots: Arc<Snapshots>,
    cursor_key: CursorKey,
    queue: Arc<Queue>,
    lanes: Mutex<Vec<JoinHandle<()>>>,
}

impl Store {
    /// Opens the database, whose schema must be up to date, and starts the lanes that write.
    pub async fn connect(options: StoreOptions) -> Result<Self, OpenError> {
        let database = Arc::new(Database::open(&options).await?);
        let (lanes, own_thread) = match options.target {
            Target::Sqlite(_) => (1, true),
            Target::Postgres(_) => (options.lanes, false),
        };
        let queue = Arc::new(Queue::new(lanes));
        let snapshots = Arc::<Snapshots>::default();
        let observer = Arc::clone(&options.observer);
        let writer = Writer::new(Arc::clone(&database), Arc::clone(&queue), Arc::clone(&snapshots), observer);
        let lanes = Mutex::new(spawn_lanes(&queue, &Arc::new(writer), own_thread));
        let cursor_key = CursorKey::new(options.cursor_key);
        Ok(Self(Arc::new(Parts { database, snapshots, cursor_key, queue, lanes })))
    }

    /// What the store did since it opened, and what waits now.
    pub fn figures(&self) -> Figures {
        let (opening, closing) = self.0.queue.lengths();
        Figures { opening: opening as u64, closing: closing as u64, ..self.database().meter().figures() }
    }

    /// Refuses new batches, writes those that wait, and closes the connections.
    pub async fn close(&self) -> Result<(), StoreError> {
        self.0.queue.close();
        let lanes = std::mem::take(&mut *self.0.lanes.lock().unwrap_or_else(PoisonError::into_inner));
        for lane in lanes {
            lane.await.map_err(|error| StoreError::Internal(error.to_string()))?;
        }
        self.database().close().await.map_err(reading)
    }

    pub(crate) fn queue(&self) -> &Queue {
        &self.0.queue
    }

    pub(crate) fn database(&self) -> &Database {
        &self.0.database
    }

    pub(crate) fn snapshots(&self) -> &Snapshots {
        &self.0.snapshots
    }

    pub(crate) fn cursor_key(&self) -> &CursorKey {
        &self.0.cursor_key
    }
}

impl Drop for Parts {
    /// Lanes end by themselves once nobody can submit.
    fn drop(&mut self) {
        self.queue.close();
    }
}

/// One connection for bringing the schema up to date, before [`Store::connect`]. On PostgreSQL it holds a lock, so that
/// two processes that start at once do it one after the other; close it when done.
pub async fn connect_for_migration(options: &StoreOptions) -> Result<DatabaseConnection, OpenError> {
    match &options.target {
        Target::Sqlite(path) => sqlite_migration_connection(path).await,
        Target::Postgres(url) => postgres_migration_connection(url, options.wait).await,
    }
}
