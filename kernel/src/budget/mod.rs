//! Budgets of a workspace: made, changed, archived, and where they stand.
//!
//! Not here: holding and settling money on them (`gateway`, `policy`). Start at [`Budgets`].
//!
//! A new budget counts what its period has spent before it existed, without missing or doubling a row, in three steps:
//!
//! 1. It is written disabled, and the tenant's epoch is raised. A settle is committed under the epoch it was built
//!    under, so every settle before this moment did not know the budget, and every one after counts on it, because
//!    disabled budgets count too.
//! 2. What the counter lacks is read: the sum of the matching cost rows minus the counter, both at one moment. Later
//!    settles move both by the same amount, so the difference stays true for ever.
//! 3. The difference is added and the budget enabled, in one batch guarded by the budget's version.
//!
//! Whatever stops between them leaves a disabled budget. Enabling a budget always takes steps 2 and 3, so nothing is
//! lost then either.

mod budgets;
mod check;
mod key_spend;
mod state;

pub use budgets::Budgets;
