//! A store in memory that decides by the ledger's own rules, and objects in memory, for tests of what stands on the ports.

mod accounts;
mod artifacts;
mod audit;
mod catalog;
mod chains;
mod claims;
mod counters;
mod directory;
mod exports;
mod feedbacks;
mod ledger;
mod mailer;
mod mails;
mod objects;
mod outbox;
mod page;
mod people;
mod processes;
mod runs;
mod second_factors;
mod signer;
mod spend;
mod store;
mod subjects;
mod totp;
mod unique;
mod views;

pub use mailer::FakeMailer;
pub use objects::{FakeObjects, Mood};
pub use signer::FakeSigner;
pub use store::FakeStore;
pub use totp::FakeTotp;
