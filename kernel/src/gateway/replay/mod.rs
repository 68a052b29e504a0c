//! Calls that come out of recorded ones: what is kept of a call so that it can be replayed, and the calls made from that.
//!
//! A repetition takes the walk of every other call, with three differences: it is planned under what its record was planned
//! under, its provider is the record, and it holds and books nothing. Start at [`runner`].

mod change;
mod origin;
mod runner;
mod script;
mod tape;

pub(super) use origin::Origin;
pub(super) use script::Script;
pub(super) use tape::{Met, Tape, is_kept};
