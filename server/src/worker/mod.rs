//! Background loops of a process: they prove that it is alive, end what dead processes left, and deliver events.
//!
//! Each loop is nudged or polls, takes no input, may run in several processes at once, and ends when nothing new is to
//! begin. Start at [`start()`].

mod backoff;
mod cancel;
mod dispatch;
mod epochs;
mod heartbeat;
mod notice;
mod reap;
mod start;
mod tail;
mod tidy;

pub use dispatch::deliver_due;
pub use reap::reap;
pub use start::start;
