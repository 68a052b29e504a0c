//! A store in memory that decides by the ledger's own rules, for tests of what stands on the ports.

mod audit;
mod catalog;
mod claims;
mod directory;
mod ledger;
mod outbox;
mod page;
mod people;
mod processes;
mod runs;
mod spend;
mod store;
mod unique;
mod views;

pub use store::FakeStore;
