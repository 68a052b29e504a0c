//! What was used and how runs went, told from counters alone: how much was called costs nothing to ask.
//!
//! Not here: the counters themselves, which `ledger` moves. Start at [`UsageReports`].

mod daily;
mod figures;
mod filter;
mod overview;
mod reports;
mod summary;

pub use reports::UsageReports;
pub use summary::{HOURS_KEPT, MINUTES_KEPT};
