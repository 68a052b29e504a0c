//! What a call costs: the price that counts, the worst case held, and the lines of the cost row.
//!
//! Invariant: integers only. A missing rate is never read as zero: the row says `unpriced` and why.

mod lines;
mod resolve;

pub(super) use lines::{Bill, bill, worst_case};
pub use resolve::resolve;
