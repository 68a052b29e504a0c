//! Reading, and the few small writes that are no batches: deliveries and processes.

mod account;
mod accounts;
mod artifacts;
mod audit;
mod catalog;
mod chains;
mod checkpoint_copies;
mod claims;
mod counters;
mod dead_letter;
mod directory;
mod event;
mod export;
mod feedback;
mod filter;
mod instance;
mod joined;
mod mails;
mod name;
mod notice;
mod outbox;
mod page;
mod payer;
mod people;
mod process;
mod reaper;
mod recount;
mod retentions;
mod roll;
mod runs;
mod second_factors;
mod signing_keys;
mod single_sign_on;
mod spend;
mod standing;
mod subjects;
mod tally;
mod tasks;
mod tenants;
mod text;
mod views;

#[cfg(test)]
mod plan;

pub(crate) use catalog::Snapshots;
pub(crate) use payer::Payer;
pub(crate) use process::clock;
pub(crate) use roll::mark;
