//! What a database's error means: for the ledger, for readers, for the start.

use std::ffi::c_int;

use kernel::ledger::{LedgerError, Refusal};
use kernel::port::StoreError;
use rusqlite::ffi;
use sea_orm::sqlx::error::{DatabaseError, ErrorKind};
use sea_orm::sqlx::sqlite::SqliteError;
use sea_orm::{DbErr, RuntimeErr, SqlxError};

use crate::row::Corrupt;

/// Why a store did not open.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// The URL cannot be read.
    #[error("the database URL cannot be read: {0}")]
    Url(String),
    /// The database did not answer in time.
    #[error("the database cannot be reached: {0}")]
    Unreachable(String),
    /// The server is too old.
    #[error("PostgreSQL {found} is too old, use 15 or later")]
    Version {
        /// The version it reports.
        found: String,
    },
    /// The server does not sync: what it commits does not survive a power cut.
    #[error("PostgreSQL runs with fsync=off, set it to on: the ledger must survive a power cut")]
    Unsynced,
    /// The database refused.
    #[error("the database failed: {0}")]
    Database(String),
}

impl OpenError {
    pub(crate) fn of(error: &DbErr) -> Self {
        match Trouble::of(error) {
            Trouble::Down(text) => Self::Unreachable(text),
            _ => Self::Database(error.to_string()),
        }
    }
}

/// What went wrong, as far as it decides what happens next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Trouble {
    /// A unique constraint: its name.
    Unique(String),
    /// A foreign key.
    Reference,
    /// Worth another try: a deadlock, a serialisation failure, a busy file.
    Busy(String),
    /// The database cannot be reached or was too slow.
    Down(String),
    /// No room left.
    Full,
    /// Everything else.
    Other(String),
}

impl Trouble {
    pub(crate) fn of(error: &DbErr) -> Self {
        let text = error.to_string();
        let (DbErr::Conn(cause) | DbErr::Exec(cause) | DbErr::Query(cause)) = error else {
            return if matches!(error, DbErr::ConnectionAcquire(_)) { Self::Down(text) } else { Self::Other(text) };
        };
        let RuntimeErr::SqlxError(cause) = cause else { return Self::Other(text) };
        match cause.as_ref() {
            SqlxError::Database(cause) => Self::of_database(cause.as_ref()),
            SqlxError::Io(_) | SqlxError::Tls(_) | SqlxError::Protocol(_) | SqlxError::PoolTimedOut => Self::Down(text),
            SqlxError::PoolClosed | SqlxError::WorkerCrashed => Self::Down(text),
            _ => Self::Other(text),
        }
    }

    fn of_database(error: &dyn DatabaseError) -> Self {
        let code = error.code();
        let code = code.as_deref().unwrap_or_default();
        if error.try_downcast_ref::<SqliteError>().is_some() {
            return Self::of_sqlite(code.parse().unwrap_or_default(), error.message());
        }
        match error.kind() {
            ErrorKind::UniqueViolation => Self::Unique(error.constraint().unwrap_or_default().to_owned()),
            ErrorKind::ForeignKeyViolation => Self::Reference,
            _ => Self::of_postgres(code, error.to_string()),
        }
    }

    /// By the extended result code, whose last byte is the plain one.
    fn of_sqlite(code: c_int, message: &str) -> Self {
        match code {
            ffi::SQLITE_CONSTRAINT_UNIQUE => return Self::Unique(unique_of_sqlite(message, "_key")),
            ffi::SQLITE_CONSTRAINT_PRIMARYKEY => return Self::Unique(unique_of_sqlite(message, "_pkey")),
            ffi::SQLITE_CONSTRAINT_FOREIGNKEY => return Self::Reference,
            _ => {}
        }
        let text = format!("SQLite says {code}: {message}");
        match code & 0xff {
            ffi::SQLITE_BUSY | ffi::SQLITE_LOCKED => Self::Busy(text),
            ffi::SQLITE_IOERR => Self::Down(text),
            ffi::SQLITE_FULL => Self::Full,
            _ => Self::Other(text),
        }
    }

    /// By SQLSTATE.
    fn of_postgres(code: &str, text: String) -> Self {
        match code {
            // serialisation failure, deadlock, lock not available
            "40001" | "40P01" | "55P03" => Self::Busy(text),
            "53100" => Self::Full,
            // statement and idle timeouts, shutdowns, too many connections
            "57014" | "25P03" | "57P01" | "57P02" | "57P03" | "57P05" | "53300" => Self::Down(text),
            code if code.starts_with("08") => Self::Down(text),
            _ => Self::Other(text),
        }
    }
}

/// The violated constraint's name. SQLite names only the columns: `UNIQUE constraint failed: users.email_key`.
fn unique_of_sqlite(message: &str, ending: &str) -> String {
    let columns = message.rsplit(": ").next().unwrap_or_default();
    let columns: Vec<(&str, &str)> = columns.split(", ").filter_map(|column| column.split_once('.')).collect();
    let table = columns.first().map_or("", |(table, _)| table);
    if ending == "_pkey" {
        return format!("{table}{ending}");
    }
    let names: Vec<&str> = columns.iter().map(|(_, column)| *column).collect();
    format!("{table}_{}{ending}", names.join("_"))
}

impl From<DbErr> for Trouble {
    fn from(error: DbErr) -> Self {
        Self::of(&error)
    }
}

impl From<rusqlite::Error> for Trouble {
    fn from(error: rusqlite::Error) -> Self {
        match error {
            rusqlite::Error::SqliteFailure(cause, message) => {
                Self::of_sqlite(cause.extended_code, message.as_deref().unwrap_or_default())
            }
            other => Self::Other(other.to_string()),
        }
    }
}

impl From<Corrupt> for Trouble {
    fn from(corrupt: Corrupt) -> Self {
        Self::Other(corrupt.to_string())
    }
}

/// What a batch is told that met this trouble alone.
impl From<Trouble> for LedgerError {
    fn from(trouble: Trouble) -> Self {
        match trouble {
            Trouble::Unique(constraint) => Refusal::Unique { constraint }.into(),
            Trouble::Reference => Refusal::Missing { what: "row that this one refers to" }.into(),
            Trouble::Busy(text) | Trouble::Down(text) => Self::Unavailable(text),
            Trouble::Full => Self::StorageFull,
            Trouble::Other(text) => Self::Internal(text),
        }
    }
}

/// What a reader is told.
pub(crate) fn reading(error: DbErr) -> StoreError {
    match Trouble::of(&error) {
        Trouble::Down(text) | Trouble::Busy(text) => StoreError::Unavailable(text),
        _ => StoreError::Internal(error.to_string()),
    }
}
