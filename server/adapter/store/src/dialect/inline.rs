//! SQLite's connection for the ledger: a statement runs on the thread that asks for it.
//!
//! A pooled connection hands each statement to a thread of its own and back, which costs more than the statement. A
//! batch has a dozen of them, so the ledger's lane has a thread to itself and this connection on it.

use std::path::{Path, PathBuf};

use kernel::ledger::Durability;
use rusqlite::types::{ToSqlOutput, Value as Owned, ValueRef};
use rusqlite::{Connection, OpenFlags, ToSql, params_from_iter};
use sea_orm::Value;

use super::checkpoint::WRITERS_LIMIT;
use super::database::{CUT, STATEMENTS};
use super::record::{FromRecord, Record};
use super::session::stored_time;
use crate::error::Trouble;

/// Where the connection is opened, and the one at rest.
pub(crate) struct Inline {
    path: PathBuf,
    resting: Option<Ready>,
}

/// A connection outside of any transaction.
struct Ready {
    connection: Connection,
    level: Durability,
}

/// A connection inside a transaction. Dropped, it is closed, which undoes what it wrote.
pub(crate) struct Working(Ready);

impl Inline {
    pub(super) fn new(path: &Path) -> Self {
        Self { path: path.to_owned(), resting: None }
    }

    /// Begins a transaction that holds SQLite's one write lock.
    pub(super) fn begin(&mut self, level: Durability) -> Result<Working, Trouble> {
        let mut ready = match self.resting.take() {
            Some(ready) => ready,
            None => open(&self.path)?,
        };
        if ready.level != level {
            // It is a property of the connection, and cannot change inside a transaction.
            let word = match level {
                Durability::Process => "NORMAL",
                Durability::Power => "FULL",
            };
            ready.connection.pragma_update(None, "synchronous", word)?;
            ready.level = level;
        }
        ready.connection.prepare_cached("BEGIN IMMEDIATE")?.execute([])?;
        Ok(Working(ready))
    }

    /// Ends the transaction, and keeps the connection if it ended in order.
    pub(super) fn end(&mut self, working: Working, sql: &'static str) -> Result<(), Trouble> {
        working.0.connection.prepare_cached(sql)?.execute([])?;
        self.resting = Some(working.0);
        Ok(())
    }

    /// Lets go of the file.
    pub(super) fn close(&mut self) {
        self.resting = None;
    }
}

fn open(path: &Path) -> Result<Ready, Trouble> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags)?;
    connection.busy_timeout(CUT)?;
    connection.set_prepared_statement_cache_capacity(STATEMENTS);
    connection.pragma_update(None, "synchronous", "FULL")?;
    connection.pragma_update(None, "foreign_keys", "ON")?;
    connection.pragma_update(None, "cache_size", -16_000)?;
    connection.pragma_update(None, "wal_autocheckpoint", WRITERS_LIMIT)?;
    Ok(Ready { connection, level: Durability::Power })
}

impl Working {
    /// Runs one statement once for each of the lists of values.
    pub(crate) fn execute(&mut self, sql: &str, rows: impl IntoIterator<Item = Vec<Value>>) -> Result<(), Trouble> {
        let mut statement = self.0.connection.prepare_cached(sql)?;
        for values in rows {
            statement.execute(params_from_iter(values.iter().map(Stored)))?;
        }
        Ok(())
    }

    /// Reads all rows of one statement, run once for each of the lists of values.
    pub(crate) fn each<T: FromRecord, const N: usize>(
        &mut self,
        sql: &str,
        lists: impl IntoIterator<Item = [Value; N]>,
    ) -> Result<Vec<T>, Trouble> {
        let mut statement = self.0.connection.prepare_cached(sql)?;
        let mut all = Vec::new();
        for values in lists {
            let mut rows = statement.query(params_from_iter(values.iter().map(Stored)))?;
            while let Some(row) = rows.next()? {
                all.push(T::read(&Record::Inline(row))?);
            }
        }
        Ok(all)
    }

    /// Reads all rows of a statement.
    pub(crate) fn all<T: FromRecord>(&mut self, sql: &str, values: &[Value]) -> Result<Vec<T>, Trouble> {
        let mut statement = self.0.connection.prepare_cached(sql)?;
        let mut rows = statement.query(params_from_iter(values.iter().map(Stored)))?;
        let mut all = Vec::new();
        while let Some(row) = rows.next()? {
            all.push(T::read(&Record::Inline(row))?);
        }
        Ok(all)
    }
}

/// A value in its stored form, the same as the pool writes.
struct Stored<'a>(&'a Value);

impl ToSql for Stored<'_> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        fn owned<T: Into<Owned>>(value: T) -> ToSqlOutput<'static> {
            ToSqlOutput::Owned(value.into())
        }
        let stored = match self.0 {
            Value::Bool(value) => value.map(owned),
            Value::Int(value) => value.map(owned),
            Value::BigInt(value) => value.map(owned),
            Value::Double(value) => value.map(owned),
            Value::String(value) => value.as_deref().map(text),
            Value::Bytes(value) => value.as_deref().map(|bytes| ToSqlOutput::Borrowed(ValueRef::Blob(bytes))),
            Value::Uuid(value) => value.as_ref().map(|id| ToSqlOutput::Borrowed(ValueRef::Blob(id.as_bytes()))),
            Value::ChronoDateTimeUtc(value) => value.map(|time| owned(stored_time(time))),
            other => {
                return Err(rusqlite::Error::ToSqlConversionFailure(format!("{other:?} has no stored form").into()));
            }
        };
        Ok(stored.unwrap_or(ToSqlOutput::Owned(Owned::Null)))
    }
}

/// PostgreSQL's text cannot hold U+0000, and the two databases keep the same.
fn text(text: &str) -> ToSqlOutput<'_> {
    if text.contains('\0') {
        ToSqlOutput::Owned(text.replace('\0', "\u{FFFD}").into())
    } else {
        ToSqlOutput::Borrowed(ValueRef::Text(text.as_bytes()))
    }
}

#[cfg(test)]
mod tests {
    use sea_orm::prelude::DateTimeUtc;
    use sea_orm::{ConnectionTrait, DbBackend, Statement, Values};
    use testkit::database::TestDatabase;
    use types::id::Uuid;

    use super::*;

    const TABLE: &str = "CREATE TABLE kept (a BLOB, b TEXT, c INTEGER, d TEXT, e INTEGER, f TEXT)";
    const INSERT: &str = "INSERT INTO kept VALUES (?, ?, ?, ?, ?, ?)";
    const SELECT: &str = "SELECT a, b, c, d, e FROM kept";

    fn values() -> Vec<Value> {
        let time: DateTimeUtc = "2026-01-02T03:04:05.678901Z".parse().unwrap();
        let text = "nul \0 and ü".to_owned();
        vec![Uuid::from_u128(7).into(), text.into(), i64::MAX.into(), time.into(), true.into(), None::<String>.into()]
    }

    async fn opened(test: &TestDatabase) -> (Inline, sea_orm::DatabaseConnection) {
        let path = test.url().strip_prefix("sqlite://").unwrap();
        let (_, pooled) = super::super::sqlite::open(path.as_ref(), 1).await.unwrap();
        pooled.execute_unprepared(TABLE).await.unwrap();
        (Inline::new(path.as_ref()), pooled)
    }

    #[tokio::test]
    async fn both_connections_write_and_read_the_same() {
        let test = TestDatabase::sqlite().await;
        let (mut inline, pooled) = opened(&test).await;
        let session = super::super::session::Session::new(pooled, std::sync::Arc::default());
        let statement =
            Statement { values: Some(Values(values())), ..Statement::from_string(DbBackend::Sqlite, INSERT) };
        session.execute_raw(statement).await.unwrap();
        let mut working = inline.begin(Durability::Process).unwrap();
        working.execute(INSERT, [values()]).unwrap();

        type Row = (Uuid, String, i64, DateTimeUtc, bool);
        let read: Vec<Row> = working.all(SELECT, &[]).unwrap();
        inline.end(working, "COMMIT").unwrap();
        assert_eq!(read[0], read[1]);
        assert_eq!(read[0].1, "nul \u{FFFD} and ü");
        let same = Statement::from_string(DbBackend::Sqlite, "SELECT COUNT(DISTINCT a || b || c || d || e) FROM kept");
        let row = session.query_one_raw(same).await.unwrap().unwrap();
        assert_eq!(row.try_get_by_index::<i64>(0).unwrap(), 1, "the stored forms are one");
    }

    #[tokio::test]
    async fn after_a_transaction_that_broke_the_next_one_starts_anew() {
        let test = TestDatabase::sqlite().await;
        let (mut inline, _pooled) = opened(&test).await;
        let fill = "INSERT INTO kept (a) VALUES (randomblob(400000))";
        for level in [Durability::Power, Durability::Process] {
            let mut full = inline.begin(level).unwrap();
            full.0.connection.pragma_update(None, "max_page_count", 1).unwrap();
            let trouble = full.execute(fill, [Vec::new()]).unwrap_err();
            assert_eq!(trouble, Trouble::Full);
            drop(full);
            let mut next = inline.begin(level).unwrap();
            next.execute(fill, [Vec::new()]).unwrap();
            inline.end(next, "COMMIT").unwrap();
        }
        let mut last = inline.begin(Durability::Power).unwrap();
        let rows: Vec<(i64,)> = last.all("SELECT COUNT(*) FROM kept", &[]).unwrap();
        assert_eq!(rows, [(2,)], "what broke is not there");
    }
}
