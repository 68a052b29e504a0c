//! Puts soit together: the only place that knows every adapter.
//!
//! [`App`] is what doors and workers share; one is built at the start of a process, and one in each integration test.
//! [`compose`] builds it, in the order in which a process starts.

mod app;
mod build;
mod checkpoint_sink;
mod checks;
mod database;
mod first_account;
mod neighbours;
mod objects;
mod shared;
mod signing;

pub use app::{App, Parts};
pub(crate) use build::extra_roots;
pub use build::{compose, compose_for_command};
pub use database::{Schema, migrate, open_beside};
pub use first_account::{Chosen, make_first_account};
pub use shared::Shared;
