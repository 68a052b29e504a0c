//! How long a workspace keeps what, what is held whatever its age, and taking out what is over.
//!
//! Each class of records has a time of its own, within the bounds of the tenant. A legal hold beats them all, and beats an
//! erasure that somebody asks for. What goes is covered by an entry of the hash chain, written in the transaction that takes it
//! out: what is gone without one is missing. Objects go before the rows that name them, and each is looked for afterwards.
//! Start at [`erase_content`] and [`Purger::pass`]; what is due and what is held is the store's to say ([`crate::port::Purges`]).

mod erase;
mod hold;
mod purge;
mod rules;
mod settings;

pub use erase::{ErasePorts, Erased, erase_content, wipe};
pub use purge::{PurgePorts, Purger, Swept};
pub use settings::{Ports, Retention};
