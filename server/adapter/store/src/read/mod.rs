//! Reading, and the few small writes that are no batches: deliveries and processes.

mod account;
mod catalog;
mod claims;
mod directory;
mod filter;
mod instance;
mod outbox;
mod overview;
mod page;
mod process;
mod reaper;
mod runs;
mod spend;
mod tally;

#[cfg(test)]
mod plan;

pub(crate) use catalog::Snapshots;
