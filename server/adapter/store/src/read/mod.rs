//! Reading, and the few small writes that are no batches: deliveries and processes.

mod account;
mod audit;
mod catalog;
mod claims;
mod dead_letter;
mod directory;
mod event;
mod filter;
mod instance;
mod joined;
mod notice;
mod outbox;
mod overview;
mod page;
mod people;
mod process;
mod reaper;
mod runs;
mod spend;
mod tally;
mod views;

#[cfg(test)]
mod plan;

pub(crate) use catalog::Snapshots;
