//! What the two databases say differently: opening, transactions, clocks, and the few expressions without a common form.

mod database;
mod expression;
mod postgres;
mod session;
mod sqlite;

pub(crate) use database::{CUT, Database, WriteTransaction};
pub(crate) use expression::{contains, epoch_seconds, now};
pub use postgres::EXTRA_WRITERS;
pub(crate) use postgres::migration_connection as postgres_migration_connection;
pub(crate) use sqlite::migration_connection as sqlite_migration_connection;
