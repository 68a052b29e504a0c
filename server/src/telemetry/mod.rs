//! Logs and traces: where `tracing`'s events and spans go.
//!
//! Invariant: nothing here adds content, and what dependencies log below `warn` is left out, since some of it would hold
//! queries or bodies. Start at [`install()`].

mod install;
mod json;
mod rate;
mod span;
mod traces;

pub use install::{Telemetry, install};
pub(crate) use span::{note_caller, request_span};
