//! Dev only: fakes, port contract suites, test databases, scripted upstreams.
//!
//! A fake and the real adapter run the same [`contract`], so that fakes cannot lie. [`sample`] makes what batches are
//! made of, [`database`] gives each test a database of its own.
#![expect(clippy::expect_used, clippy::panic, clippy::indexing_slicing, reason = "what is wrong here is a failed test")]

pub mod contract;
pub mod database;
pub mod fake;
pub mod interleaving;
pub mod name_server;
pub mod redis;
pub mod s3;
pub mod sample;
pub mod totp;
pub mod upstream;
