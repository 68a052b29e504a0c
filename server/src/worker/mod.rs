//! Background loops of a process: they prove that it is alive, end what dead processes left, seal chains, and deliver events.
//! Background loops of a process: they prove that it is alive, end what dead processes left, deliver events, and close accounts.
//!
//! Each loop is nudged or polls, takes no input, may run in several processes at once, and ends when nothing new is to
//! begin. Start at [`start()`].

mod backoff;
mod cancel;
mod close;
mod count;
mod degraded;
mod dispatch;
mod epochs;
mod heartbeat;
mod notice;
mod reap;
mod seal;
mod start;
mod sweep;
mod tail;
mod tidy;

pub use dispatch::{BEGIN, deliver_due};
pub use reap::reap;
pub use seal::seal_due;
pub use start::start;
pub use sweep::sweep;
