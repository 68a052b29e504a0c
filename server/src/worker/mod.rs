//! Background loops of a process: they prove that it is alive, end what dead processes left, seal chains, and deliver events.
//! They also do tasks and close accounts.
//!
//! Each loop is nudged or polls, takes no input, may run in several processes at once, and ends when nothing new is to
//! begin. Start at [`start()`].

mod backoff;
mod cancel;
mod close;
mod copy;
mod count;
mod degraded;
mod dispatch;
mod epochs;
mod heartbeat;
mod index;
mod notice;
mod purge;
mod reap;
mod seal;
mod start;
mod sweep;
mod tail;
mod tasks;
mod tidy;

pub use copy::copy_due;
pub use dispatch::{BEGIN, deliver_due};
pub use purge::purge;
pub use reap::reap;
pub use seal::seal_due;
pub use start::start;
pub use sweep::sweep;
