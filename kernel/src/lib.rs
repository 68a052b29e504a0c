//! The domain of soit: use cases, policy and ledger rules.
//!
//! Pure: no I/O, no clock, no randomness. Whatever the domain needs from the world is a trait in [`port`]; whatever it
//! decides to write is a [`ledger::Batch`]; whatever it lets out is a [`policy::Permit`]. Doors (REST, gateway, console,
//! command line) call one function here for one use case. Start at [`gateway`] to see a governed call whole.

mod check;
mod digest;
mod names;

pub mod artifact;
pub mod budget;
pub mod chain;
pub mod change;
pub mod context;
pub mod control;
pub mod egress_policy;
pub mod error;
pub mod evidence;
pub mod export;
pub mod feedback;
pub mod gateway;
pub mod identity;
pub mod json;
pub mod ledger;
pub mod modelhub;
pub mod observe;
pub mod outbox;
pub mod page;
pub mod policy;
pub mod port;
pub mod reaper;
pub mod record;
pub mod repeat;
pub mod replay;
pub mod retention;
pub mod search;
pub mod secret;
pub mod task;
pub mod usage;
pub mod view;

pub use context::OpContext;
pub use error::{Error, Result};
