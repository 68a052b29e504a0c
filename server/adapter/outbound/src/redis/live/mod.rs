//! Live events between processes: deltas, and word of what the store has more of.
//!
//! Each process listens to the channels of what its own readers read, and tells the others so; nothing is sent that nobody
//! reads. Invariant: a stored event never travels, only the word that there is one; the store alone says what it is. Words
//! that may be lost (a connection that was gone, a queue that was full) are made up for: the readers concerned hear that
//! they lag, and go on from the store. Start at [`RedisLive`].

mod queue;
mod subject;
mod wanted;
mod word;

mod bus;
mod listen;
mod send;

pub use bus::{Figures, Hub, RedisLive};
