//! The second factor: an authenticator app and recovery codes. Start at [`judge`] for what a code is worth.
//!
//! Invariant: a code counts once. Whatever is used up stands in one row, and a use is part of the write of what it opens;
//! who is overtaken reads anew and is judged again.

mod challenge;
mod confirm;
mod disable;
mod judge;
mod read;
mod recovery;
mod renew;
mod setup;
mod step_up;
mod write;

pub use challenge::Challenge;
