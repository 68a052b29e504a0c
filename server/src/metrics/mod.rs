//! Figures for Prometheus: what each metric is called, what it counts, and where it is counted.
//!
//! Ledger and provider are measured by decorators of their ports, so that no use case counts anything. Invariant: labels
//! are words of soit's own lists, never ids, names or text of users, so the number of series is bounded. Start at
//! [`Metrics`].

mod artifacts;
mod catalog;
mod document;
mod gates;
mod http;
mod idempotency;
mod ledger;
mod liveness;
mod mail;
mod outbox;
mod process;
mod retention;
mod shared;
mod tasks;
mod upstream;
mod whole;

pub use artifacts::MeteredObjects;
pub use document::document;
pub use ledger::MeteredLedger;
pub(crate) use mail::MeteredMailer;
pub use upstream::MeteredProvider;
pub use whole::Metrics;

#[cfg(test)]
mod tests;
