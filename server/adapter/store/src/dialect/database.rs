//! The database behind the store: reading sessions and writing transactions.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use kernel::ledger;
use kernel::secret::SecretString;
use sea_orm::{
    AccessMode, ConnectionTrait, DatabaseConnection, DatabaseTransaction, DbBackend, DbErr, IsolationLevel, RuntimeErr,
    SqliteTransactionMode, SqlxError, TransactionOptions, TransactionTrait,
};
use tokio::sync::{Mutex, OwnedMutexGuard};

use super::checkpoint::Checkpoints;
use super::inline::{Inline, Working};
use super::ledger::LedgerTransaction;
use super::session::Session;
use super::{postgres, rewrite, sqlite, statistics};
use crate::error::{OpenError, Trouble};
use crate::meter::Meter;
use crate::options::{Durability, StoreOptions, Target};

/// A transaction that takes longer is cut.
pub(crate) const CUT: Duration = Duration::from_secs(5);
/// Prepared statements kept by a connection.
pub(super) const STATEMENTS: usize = 512;

/// The database behind the store.
pub(crate) struct Database {
    read: DatabaseConnection,
    write: DatabaseConnection,
    /// SQLite's one writer: who holds it writes.
    gate: Option<Arc<Mutex<Turn>>>,
    durability: Durability,
    /// Of the server, where it is one.
    url: Option<SecretString>,
    /// The file, where it is one.
    path: Option<PathBuf>,
    meter: Arc<Meter>,
}

/// SQLite's two writing connections: whoever holds them writes.
pub(crate) struct Turn {
    /// The level the pooled one is set to, or nothing after a transaction that did not end in order. Such a connection may
    /// still be inside it, and nobody could write any more.
    pooled: Option<ledger::Durability>,
    /// The ledger's.
    ledger: Inline,
    /// None once the store is closed.
    checkpoints: Option<Checkpoints>,
}

impl Turn {
    fn new(path: &Path) -> Result<Self, OpenError> {
        let checkpoints = Checkpoints::start(path).map_err(|error| OpenError::Database(error.to_string()))?;
        let pooled = Some(ledger::Durability::Power);
        Ok(Self { pooled, ledger: Inline::new(path), checkpoints: Some(checkpoints) })
    }

    /// Ends a transaction of the ledger.
    pub(super) fn end(&mut self, working: Working, sql: &'static str) -> Result<(), Trouble> {
        self.ledger.end(working, sql)?;
        self.note();
        Ok(())
    }

    fn note(&self) {
        if let Some(checkpoints) = &self.checkpoints {
            checkpoints.note();
        }
    }
}

impl Database {
    pub(crate) async fn open(options: &StoreOptions) -> Result<Self, OpenError> {
        let (read, write) = match &options.target {
            Target::Sqlite(path) => sqlite::open(path, options.pool_size).await?,
            Target::Postgres(url) => postgres::open(url, options.pool_size, options.lanes, options.wait).await?,
        };
        let gate = match &options.target {
            Target::Sqlite(path) => Some(Arc::new(Mutex::new(Turn::new(path)?))),
            Target::Postgres(_) => None,
        };
        let url = match &options.target {
            Target::Sqlite(_) => None,
            Target::Postgres(url) => Some(url.clone()),
        };
        let path = match &options.target {
            Target::Sqlite(path) => Some(path.clone()),
            Target::Postgres(_) => None,
        };
        Ok(Self { read, write, gate, durability: options.durability, url, path, meter: Arc::default() })
    }

    pub(crate) fn backend(&self) -> DbBackend {
        self.read.get_database_backend()
    }

    /// The server's URL; none for a file.
    pub(crate) fn url(&self) -> Option<&SecretString> {
        self.url.as_ref()
    }

    pub(crate) fn meter(&self) -> &Meter {
        &self.meter
    }

    /// Statements that each see what is committed.
    pub(crate) fn reader(&self) -> Session<DatabaseConnection> {
        Session::new(self.read.clone(), Arc::clone(&self.meter))
    }

    /// Statements that all see one moment.
    pub(crate) async fn snapshot(&self) -> Result<Session<DatabaseTransaction>, DbErr> {
        let postgres = self.gate.is_none();
        let options = TransactionOptions {
            isolation_level: postgres.then_some(IsolationLevel::RepeatableRead),
            access_mode: postgres.then_some(AccessMode::ReadOnly),
            sqlite_transaction_mode: None,
        };
        let transaction = self.read.begin_with_options(options).await?;
        Ok(Session::new(transaction, Arc::clone(&self.meter)))
    }

    /// A transaction that may write; on SQLite it waits for its turn.
    pub(crate) async fn begin(&self, asked: ledger::Durability) -> Result<WriteTransaction, DbErr> {
        let level = self.level(asked);
        match &self.gate {
            Some(gate) => self.begin_sqlite(Arc::clone(gate), level).await,
            None => {
                let session = self.begin_postgres(level).await?;
                Ok(WriteTransaction { session, turn: None })
            }
        }
    }

    /// A transaction that may write and sees one moment; what others wrote to the same rows meanwhile makes it fail.
    pub(crate) async fn begin_serial(&self) -> Result<WriteTransaction, DbErr> {
        if self.gate.is_some() {
            return self.begin(ledger::Durability::Process).await;
        }
        let options = TransactionOptions {
            isolation_level: Some(IsolationLevel::RepeatableRead),
            ..TransactionOptions::default()
        };
        let transaction = self.write.begin_with_options(options).await?;
        Ok(WriteTransaction { session: Session::new(transaction, Arc::clone(&self.meter)), turn: None })
    }

    /// A transaction for batches. On SQLite its statements run on the calling thread, which must be one that may block.
    pub(crate) async fn begin_ledger(&self, asked: ledger::Durability) -> Result<LedgerTransaction, Trouble> {
        let level = self.level(asked);
        let Some(gate) = &self.gate else { return Ok(LedgerTransaction::Pooled(self.begin_postgres(level).await?)) };
        let mut turn = Arc::clone(gate).lock_owned().await;
        let working = turn.ledger.begin(level)?;
        Ok(LedgerTransaction::Inline { working, turn, meter: Arc::clone(&self.meter) })
    }

    fn level(&self, asked: ledger::Durability) -> ledger::Durability {
        match self.durability {
            Durability::Standard => asked,
            Durability::Strict => ledger::Durability::Power,
            Durability::Process => ledger::Durability::Process,
        }
    }

    /// The level is a property of the connection and cannot change inside a transaction.
    async fn begin_sqlite(&self, gate: Arc<Mutex<Turn>>, level: ledger::Durability) -> Result<WriteTransaction, DbErr> {
        let mut turn = gate.lock_owned().await;
        // In doubt until the transaction ends in order.
        let present = match turn.pooled.take() {
            Some(present) => present,
            None => self.renew().await?,
        };
        if present != level {
            let sql = match level {
                ledger::Durability::Process => "PRAGMA synchronous = NORMAL",
                ledger::Durability::Power => "PRAGMA synchronous = FULL",
            };
            self.write.execute_unprepared(sql).await?;
        }
        let options = TransactionOptions {
            sqlite_transaction_mode: Some(SqliteTransactionMode::Immediate),
            ..TransactionOptions::default()
        };
        let transaction = self.write.begin_with_options(options).await?;
        Ok(WriteTransaction { session: Session::new(transaction, Arc::clone(&self.meter)), turn: Some((turn, level)) })
    }

    /// Closes SQLite's writing connection; the pool opens another. The level a fresh one is set to.
    async fn renew(&self) -> Result<ledger::Durability, DbErr> {
        let failed = |error: SqlxError| DbErr::Conn(RuntimeErr::SqlxError(error.into()));
        let connection = self.write.get_sqlite_connection_pool().acquire().await.map_err(failed)?;
        // One that does not close in order is gone all the same.
        let _ = connection.close().await;
        Ok(ledger::Durability::Power)
    }

    async fn begin_postgres(&self, level: ledger::Durability) -> Result<Session<DatabaseTransaction>, DbErr> {
        let transaction = self.write.begin().await?;
        if level == ledger::Durability::Process {
            transaction.execute_unprepared("SET LOCAL synchronous_commit = off").await?;
        }
        Ok(Session::new(transaction, Arc::clone(&self.meter)))
    }

    /// Once this process has written some batches, a server counts its young tables: its plans follow. Nobody waits for it, and
    /// one that fails is done the next time, or by the server itself.
    pub(crate) async fn count_young(&self, batches_before: u64, batches: usize) {
        if self.gate.is_none() && statistics::is_due(batches_before, batches) {
            let _ = statistics::count_young(&self.write).await;
        }
    }

    /// How many connections the server gives to all its clients; none for a file.
    pub(crate) async fn most_connections(&self) -> Result<Option<u32>, OpenError> {
        match self.gate {
            Some(_) => Ok(None),
            None => postgres::most_connections(&self.read).await.map(Some),
        }
    }

    /// How many bytes the file has; none where there is a server.
    pub(crate) fn file_size(&self) -> Option<u64> {
        let path = self.path.as_ref()?;
        Some(std::fs::metadata(path).map_or(0, |file| file.len()))
    }

    /// Writes the file anew and empties its log: what was overwritten is in neither any more. Nothing on a server. Writers wait.
    pub(crate) async fn rewrite(&self) -> Result<(), DbErr> {
        let (Some(gate), Some(path)) = (&self.gate, self.path.clone()) else { return Ok(()) };
        let turn = Arc::clone(gate).lock_owned().await;
        let done = tokio::task::spawn_blocking(move || {
            // Held to the end, whatever becomes of who asked.
            let _turn = turn;
            rewrite::rewrite(&path)
        });
        let done = done.await.map_err(|error| DbErr::Custom(error.to_string()))?;
        done.map_err(DbErr::Custom)
    }

    pub(crate) async fn close(&self) -> Result<(), DbErr> {
        if let Some(gate) = &self.gate {
            let mut turn = gate.lock().await;
            turn.ledger.close();
            if let Some(checkpoints) = turn.checkpoints.take() {
                let ended = tokio::task::spawn_blocking(|| checkpoints.end()).await;
                ended.map_err(|error| DbErr::Custom(error.to_string()))?;
            }
        }
        self.read.close_by_ref().await?;
        self.write.close_by_ref().await
    }
}

/// A transaction that may write. Dropped without [`WriteTransaction::commit`], it is undone.
pub(crate) struct WriteTransaction {
    session: Session<DatabaseTransaction>,
    /// SQLite's one writer, and the level it is set to.
    turn: Option<(OwnedMutexGuard<Turn>, ledger::Durability)>,
}

impl WriteTransaction {
    pub(crate) fn session(&self) -> &Session<DatabaseTransaction> {
        &self.session
    }

    pub(crate) async fn commit(self) -> Result<(), DbErr> {
        let done = self.session.into_inner().commit().await;
        pass_on(self.turn, &done);
        done
    }

    pub(crate) async fn rollback(self) -> Result<(), DbErr> {
        let done = self.session.into_inner().rollback().await;
        pass_on(self.turn, &done);
        done
    }
}

/// Lets the next one write, on the same connection if this one ended in order.
fn pass_on(turn: Option<(OwnedMutexGuard<Turn>, ledger::Durability)>, done: &Result<(), DbErr>) {
    if let (Some((mut turn, level)), Ok(())) = (turn, done) {
        turn.pooled = Some(level);
        turn.note();
    }
}

#[cfg(test)]
mod tests {
    use sea_orm::ConnectionTrait;
    use testkit::database::TestDatabase;

    use super::*;
    use crate::error::Trouble;

    const FILL: &str = "INSERT INTO filler VALUES (randomblob(400000))";

    async fn database(test: &TestDatabase) -> Database {
        let path = test.url().strip_prefix("sqlite://").unwrap();
        let (read, write) = sqlite::open(path.as_ref(), 1).await.unwrap();
        write.execute_unprepared("CREATE TABLE filler (bytes BLOB NOT NULL)").await.unwrap();
        let gate = Some(Arc::new(Mutex::new(Turn::new(path.as_ref()).unwrap())));
        Database { read, write, gate, durability: Durability::Standard, url: None, path: None, meter: Arc::default() }
    }

    /// Writes once at a level.
    async fn write(database: &Database, level: ledger::Durability) -> Result<(), DbErr> {
        let transaction = database.begin(level).await?;
        transaction.session().execute_unprepared(FILL).await?;
        transaction.commit().await
    }

    #[tokio::test]
    async fn after_a_transaction_that_broke_the_next_one_starts_anew() {
        use ledger::Durability::{Power, Process};
        let test = TestDatabase::sqlite().await;
        let database = database(&test).await;
        for level in [Power, Process] {
            write(&database, level).await.unwrap();
            // Full: SQLite may undo the transaction by itself, which the driver does not know.
            database.write.execute_unprepared("PRAGMA max_page_count = 1").await.unwrap();
            let full = write(&database, level).await.unwrap_err();
            assert!(matches!(Trouble::of(&full), Trouble::Full), "{full}");
            for next in [Power, Process] {
                write(&database, next).await.unwrap();
            }
        }
        let dropped = database.begin(Power).await.unwrap();
        dropped.session().execute_unprepared(FILL).await.unwrap();
        drop(dropped);
        write(&database, Process).await.unwrap();
        let rows =
            database.read.query_all_raw(sea_orm::Statement::from_string(DbBackend::Sqlite, "SELECT 1 FROM filler"));
        assert_eq!(rows.await.unwrap().len(), 7, "what broke is not there");
    }
}
