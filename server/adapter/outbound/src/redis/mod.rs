//! What the processes of one database share in memory, on a Redis server: calls a minute, and live events on their way to
//! the readers of other processes.
//!
//! [`Redis`] is the connection: it is kept by a loop of the process, comes back by itself, and whoever asks is answered
//! within a moment or told that it cannot be known. On it stand [`RedisLimits`] and [`RedisLive`]. Invariant: nothing here
//! is the only place of anything. What is lost with the server is counts of the last minute and words that nobody stores;
//! names of keys and channels are ids, never text of users or secrets. Start at [`Redis`].

mod failure;

mod address;
mod stream;

mod limits;
mod link;
mod live;

#[cfg(test)]
mod tests;

pub use address::{Address, AddressError};
pub use failure::Failure;
pub use limits::RedisLimits;
pub use link::Redis;
pub use live::{Figures, Hub, RedisLive};
