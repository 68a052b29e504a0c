//! The store: every port that reads or writes the database, on SQLite and on PostgreSQL, by one code path.
//!
//! [`Store`] fulfils `Ledger`, `Runs`, `Directory`, `Catalog`, `Outbox` and `Processes`. Writing goes through
//! [`ledger`] (group commit), reading through [`read`]; [`row`] turns records into rows and back; what the two databases
//! say differently is in [`dialect`] and nowhere else. Invariant: no rule of the domain lives here. The store loads the
//! state that batches touch, lets `kernel::ledger::State` decide, and writes the outcome.

mod dialect;
mod ledger;
mod purge;
mod read;
mod row;

mod cursor;
mod error;
mod meter;
mod options;
mod store;

pub use dialect::EXTRA_WRITERS;
pub use error::OpenError;
pub use meter::Figures;
pub use options::{Durability, StoreOptions, Target};
pub use store::{Store, connect_for_migration};
