//! The database behind the store: reading sessions and writing transactions.

use std::sync::Arc;
use std::time::Duration;

use kernel::ledger;
use sea_orm::{
    AccessMode, ConnectionTrait, DatabaseConnection, DatabaseTransaction, DbBackend, DbErr, IsolationLevel, RuntimeErr,
    SqliteTransactionMode, SqlxError, TransactionOptions, TransactionTrait,
};
use tokio::sync::{Mutex, OwnedMutexGuard};

use super::session::Session;
use super::{postgres, sqlite};
use crate::error::OpenError;
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
    /// SQLite's one writer.
    gate: Option<Arc<Mutex<Writer>>>,
    durability: Durability,
    meter: Arc<Meter>,
}

/// What is known of SQLite's writing connection: the level it is set to, or nothing after a transaction that did not end
/// in order. Such a connection may still be inside it, and nobody could write any more.
type Writer = Option<ledger::Durability>;

impl Database {
    pub(crate) async fn open(options: &StoreOptions) -> Result<Self, OpenError> {
        let (read, write) = match &options.target {
            Target::Sqlite(path) => sqlite::open(path, options.pool_size).await?,
            Target::Postgres(url) => postgres::open(url, options.pool_size, options.lanes, options.wait).await?,
        };
        let gate =
            matches!(options.target, Target::Sqlite(_)).then(|| Arc::new(Mutex::new(Some(ledger::Durability::Power))));
        Ok(Self { read, write, gate, durability: options.durability, meter: Arc::default() })
    }

    pub(crate) fn backend(&self) -> DbBackend {
        self.read.get_database_backend()
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
        let level = match self.durability {
            Durability::Standard => asked,
            Durability::Strict => ledger::Durability::Power,
            Durability::Process => ledger::Durability::Process,
        };
        match &self.gate {
            Some(gate) => self.begin_sqlite(Arc::clone(gate), level).await,
            None => self.begin_postgres(level).await,
        }
    }

    /// The level is a property of the connection and cannot change inside a transaction.
    async fn begin_sqlite(
        &self,
        gate: Arc<Mutex<Writer>>,
        level: ledger::Durability,
    ) -> Result<WriteTransaction, DbErr> {
        let mut turn = gate.lock_owned().await;
        // In doubt until the transaction ends in order.
        let present = match turn.take() {
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

    async fn begin_postgres(&self, level: ledger::Durability) -> Result<WriteTransaction, DbErr> {
        let transaction = self.write.begin().await?;
        if level == ledger::Durability::Process {
            transaction.execute_unprepared("SET LOCAL synchronous_commit = off").await?;
        }
        Ok(WriteTransaction { session: Session::new(transaction, Arc::clone(&self.meter)), turn: None })
    }

    /// How many connections the server gives to all its clients; none for a file.
    pub(crate) async fn most_connections(&self) -> Result<Option<u32>, OpenError> {
        match self.gate {
            Some(_) => Ok(None),
            None => postgres::most_connections(&self.read).await.map(Some),
        }
    }

    pub(crate) async fn close(&self) -> Result<(), DbErr> {
        self.read.close_by_ref().await?;
        self.write.close_by_ref().await
    }
}

/// A transaction that may write. Dropped without [`WriteTransaction::commit`], it is undone.
pub(crate) struct WriteTransaction {
    session: Session<DatabaseTransaction>,
    /// SQLite's one writer, and the level it is set to.
    turn: Option<(OwnedMutexGuard<Writer>, ledger::Durability)>,
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
fn pass_on(turn: Option<(OwnedMutexGuard<Writer>, ledger::Durability)>, done: &Result<(), DbErr>) {
    if let (Some((mut turn, level)), Ok(())) = (turn, done) {
        *turn = Some(level);
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
        let gate = Some(Arc::new(Mutex::new(Some(ledger::Durability::Power))));
        Database { read, write, gate, durability: Durability::Standard, meter: Arc::default() }
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
