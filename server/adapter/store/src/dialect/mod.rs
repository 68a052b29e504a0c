//! What the two databases say differently: opening, transactions, clocks, and the few expressions without a common form.

mod checkpoint;
mod database;
mod expression;
mod inline;
mod ledger;
mod notice;
mod postgres;
mod record;
mod rewrite;
mod roll;
mod search;
mod session;
mod sqlite;
mod statistics;

pub(crate) use database::{CUT, Database};
pub(crate) use expression::{SQLITE_NOW, contains, epoch_seconds, member, now, starts};
pub(crate) use ledger::{LedgerTransaction, Rows};
pub(crate) use notice::{listen, notify};
pub use postgres::EXTRA_WRITERS;
pub(crate) use postgres::migration_connection as postgres_migration_connection;
pub(crate) use record::{FromRecord, Record};
pub(crate) use roll::joined;
pub(crate) use search::{candidates, holding, indexed, unindexed};
pub(crate) use sqlite::migration_connection as sqlite_migration_connection;
