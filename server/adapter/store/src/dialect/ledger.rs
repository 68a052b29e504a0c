//! A transaction of the ledger: on PostgreSQL a pooled one, on SQLite one whose statements run on the lane's own thread.

use std::future::Future;
use std::sync::Arc;

use chrono::{DateTime, Utc};
use sea_orm::sea_query::{Query, SelectStatement};
use sea_orm::{ConnectionTrait, DatabaseTransaction, DbBackend, DbErr, QueryTrait};
use tokio::sync::OwnedMutexGuard;

use super::database::Turn;
use super::expression::{SQLITE_NOW, now};
use super::inline::Working;
use super::record::{FromRecord, Record};
use super::session::Session;
use crate::error::Trouble;
use crate::meter::Meter;

/// What rows can be read from.
pub(crate) trait Rows: Send {
    /// All rows of a query.
    fn all<T, Q>(&mut self, query: Q) -> impl Future<Output = Result<Vec<T>, Trouble>> + Send
    where
        T: FromRecord,
        Q: QueryTrait<QueryStatement = SelectStatement> + Send;
}

impl<C: ConnectionTrait + Send> Rows for Session<C> {
    async fn all<T, Q>(&mut self, query: Q) -> Result<Vec<T>, Trouble>
    where
        T: FromRecord,
        Q: QueryTrait<QueryStatement = SelectStatement> + Send,
    {
        let rows = self.query_all_raw(query.build(self.get_database_backend())).await?;
        rows.iter().map(|row| T::read(&Record::Pooled(row))).collect()
    }
}

/// A transaction of the ledger. Dropped without [`LedgerTransaction::commit`], it is undone.
pub(crate) enum LedgerTransaction {
    /// PostgreSQL.
    Pooled(Session<DatabaseTransaction>),
    /// SQLite.
    Inline {
        /// The connection.
        working: Working,
        /// The turn to write.
        turn: OwnedMutexGuard<Turn>,
        /// Counts the statements.
        meter: Arc<Meter>,
    },
}

impl Rows for LedgerTransaction {
    async fn all<T, Q>(&mut self, query: Q) -> Result<Vec<T>, Trouble>
    where
        T: FromRecord,
        Q: QueryTrait<QueryStatement = SelectStatement> + Send,
    {
        match self {
            Self::Pooled(session) => session.all(query).await,
            Self::Inline { working, meter, .. } => {
                meter.statement();
                let statement = query.build(DbBackend::Sqlite);
                let values = statement.values.map(|values| values.0).unwrap_or_default();
                working.all(&statement.sql, &values)
            }
        }
    }
}

impl LedgerTransaction {
    /// The database's clock.
    pub(crate) async fn now(&mut self) -> Result<DateTime<Utc>, Trouble> {
        let silent = || Trouble::from(DbErr::Custom("the database tells no time".to_owned()));
        match self {
            Self::Pooled(session) => {
                let asking = Query::select().expr(now(session.get_database_backend())).to_owned();
                let row = session.query_one(&asking).await?.ok_or_else(silent)?;
                Ok(row.try_get_by_index(0)?)
            }
            Self::Inline { working, meter, .. } => {
                meter.statement();
                let told: Vec<(DateTime<Utc>,)> = working.all(&format!("SELECT {SQLITE_NOW}"), &[])?;
                told.first().map(|(now,)| *now).ok_or_else(silent)
            }
        }
    }

    pub(crate) async fn commit(self) -> Result<(), Trouble> {
        match self {
            Self::Pooled(session) => Ok(session.into_inner().commit().await?),
            Self::Inline { working, mut turn, .. } => turn.end(working, "COMMIT"),
        }
    }

    pub(crate) async fn rollback(self) -> Result<(), Trouble> {
        match self {
            Self::Pooled(session) => Ok(session.into_inner().rollback().await?),
            Self::Inline { working, mut turn, .. } => turn.end(working, "ROLLBACK"),
        }
    }
}
