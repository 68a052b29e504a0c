//! A connection as the rest of the store sees it: it counts statements and writes values in their stored form.

use std::sync::Arc;

use chrono::{DateTime, SecondsFormat, Utc};
use sea_orm::{ConnectionTrait, DbBackend, DbErr, ExecResult, QueryResult, Statement, Value};

use crate::meter::Meter;

/// A connection or transaction that every statement of the store goes through.
pub(crate) struct Session<C> {
    inner: C,
    meter: Arc<Meter>,
}

impl<C> Session<C> {
    pub(crate) fn new(inner: C, meter: Arc<Meter>) -> Self {
        Self { inner, meter }
    }

    pub(crate) fn into_inner(self) -> C {
        self.inner
    }
}

#[async_trait::async_trait]
impl<C: ConnectionTrait> ConnectionTrait for Session<C> {
    fn get_database_backend(&self) -> DbBackend {
        self.inner.get_database_backend()
    }

    async fn execute_raw(&self, statement: Statement) -> Result<ExecResult, DbErr> {
        self.meter.statement();
        self.inner.execute_raw(stored(statement)).await
    }

    async fn execute_unprepared(&self, sql: &str) -> Result<ExecResult, DbErr> {
        self.meter.statement();
        self.inner.execute_unprepared(sql).await
    }

    async fn query_one_raw(&self, statement: Statement) -> Result<Option<QueryResult>, DbErr> {
        self.meter.statement();
        self.inner.query_one_raw(stored(statement)).await
    }

    async fn query_all_raw(&self, statement: Statement) -> Result<Vec<QueryResult>, DbErr> {
        self.meter.statement();
        self.inner.query_all_raw(stored(statement)).await
    }
}

/// Times as fixed text on SQLite; U+0000, which PostgreSQL's text cannot hold, as U+FFFD on both.
fn stored(mut statement: Statement) -> Statement {
    let sqlite = statement.db_backend == DbBackend::Sqlite;
    for value in statement.values.iter_mut().flat_map(|values| values.0.iter_mut()) {
        match value {
            Value::ChronoDateTimeUtc(time) if sqlite => *value = Value::String(time.map(stored_time)),
            Value::String(Some(text)) if text.contains('\0') => *text = text.replace('\0', "\u{FFFD}"),
            _ => {}
        }
    }
    statement
}

/// A time as SQLite keeps it: the order of texts is the order of times.
pub(super) fn stored_time(time: DateTime<Utc>) -> String {
    time.to_rfc3339_opts(SecondsFormat::Micros, true)
}
