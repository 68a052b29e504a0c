//! A row that was read, whichever driver read it.

use rusqlite::types::FromSql;
use sea_orm::{QueryResult, TryGetable};

use crate::error::Trouble;

/// A row, as the driver holds it.
pub(crate) enum Record<'a> {
    /// Read through the pool.
    Pooled(&'a QueryResult),
    /// Read on the connection of SQLite's ledger.
    Inline(&'a rusqlite::Row<'a>),
}

impl Record<'_> {
    /// The value at a position, which starts at 0.
    pub(crate) fn get<T: TryGetable + FromSql>(&self, position: usize) -> Result<T, Trouble> {
        match self {
            Self::Pooled(row) => Ok(row.try_get_by_index(position)?),
            Self::Inline(row) => Ok(row.get(position)?),
        }
    }
}

/// What can be read from a row whose columns stand in the order of its fields.
pub(crate) trait FromRecord: Sized + Send {
    /// Reads it.
    fn read(record: &Record<'_>) -> Result<Self, Trouble>;
}

macro_rules! tuple {
    ($($name:ident $position:literal),+) => {
        impl<$($name: TryGetable + FromSql + Send),+> FromRecord for ($($name,)+) {
            fn read(record: &Record<'_>) -> Result<Self, Trouble> {
                Ok(($(record.get::<$name>($position)?,)+))
            }
        }
    };
}

tuple!(A 0);
tuple!(A 0, B 1);
tuple!(A 0, B 1, C 2);
tuple!(A 0, B 1, C 2, D 3);
tuple!(A 0, B 1, C 2, D 3, E 4);
tuple!(A 0, B 1, C 2, D 3, E 4, F 5);
