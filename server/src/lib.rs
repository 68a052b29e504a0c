//! The soit server: doors, workers, commands and the place where everything is put together.
//!
//! What soit decides is in `kernel`; here is what reaches it from outside (`http`), what runs it in the background
//! (`worker`), what a process needs to live (`config`, `telemetry`, `health`, `shutdown`) and the one place that knows
//! every adapter ([`compose`]). Start at [`command`], then [`compose`].

// A page of the console is one deeply nested type.
#![recursion_limit = "256"]

pub mod command;
pub mod compose;
pub mod config;
pub mod http;

pub mod backend;
mod session;

pub mod asset;
pub mod data_dir;
pub mod health;
pub mod listener;
pub mod local;
pub mod metrics;
pub mod shutdown;
pub mod task;
pub mod telemetry;
pub mod worker;
