//! The database behind the store: reading sessions and writing transactions.

use std::sync::Arc;
use std::time::Duration;

use kernel::ledger;
use sea_orm::{
    AccessMode, ConnectionTrait, DatabaseConnection, DatabaseTransaction, DbBackend, DbErr, IsolationLevel,
    SqliteTransactionMode, TransactionOptions, TransactionTrait,
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
    /// SQLite's one writer, with the level its connection is set to.
    gate: Option<Arc<Mutex<ledger::Durability>>>,
    durability: Durability,
    meter: Arc<Meter>,
}

impl Database {
    pub(crate) async fn open(options: &StoreOptions) -> Result<Self, OpenError> {
        let (read, write) = match &options.target {
            Target::Sqlite(path) => sqlite::open(path, options.pool_size).await?,
            Target::Postgres(url) => postgres::open(url, options.pool_size, options.lanes, options.wait).await?,
        };
        let gate = matches!(options.target, Target::Sqlite(_)).then(|| Arc::new(Mutex::new(ledger::Durability::Power)));
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
        gate: Arc<Mutex<ledger::Durability>>,
        level: ledger::Durability,
    ) -> Result<WriteTransaction, DbErr> {
        let mut present = gate.lock_owned().await;
        if *present != level {
            let sql = match level {
                ledger::Durability::Process => "PRAGMA synchronous = NORMAL",
                ledger::Durability::Power => "PRAGMA synchronous = FULL",
            };
            self.write.execute_unprepared(sql).await?;
            *present = level;
        }
        let options = TransactionOptions {
            sqlite_transaction_mode: Some(SqliteTransactionMode::Immediate),
            ..TransactionOptions::default()
        };
        let transaction = self.write.begin_with_options(options).await?;
        Ok(WriteTransaction { session: Session::new(transaction, Arc::clone(&self.meter)), turn: Some(present) })
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
    turn: Option<OwnedMutexGuard<ledger::Durability>>,
}

impl WriteTransaction {
    pub(crate) fn session(&self) -> &Session<DatabaseTransaction> {
        &self.session
    }

    pub(crate) async fn commit(self) -> Result<(), DbErr> {
        let done = self.session.into_inner().commit().await;
        drop(self.turn);
        done
    }

    pub(crate) async fn rollback(self) -> Result<(), DbErr> {
        let done = self.session.into_inner().rollback().await;
        drop(self.turn);
        done
    }
}
