//! The doors: two routers over one set of use cases.
//!
//! Every request goes through [`frame`] first: it gets an id, a span, a place in the metrics, and its refusals become
//! problem documents. Handlers extract, make one kernel call and shape the answer. Invariant: no rule is decided here.
//! Start at [`router`].

mod anonymous;
mod body;
mod by_name;
mod context;
mod csrf;
mod denial;
mod download;
mod error_page;
mod evidence;
mod export;
mod frame;
mod head;
mod health;
mod idempotency;
mod keys;
mod language;
mod live;
mod metrics;
mod otlp;
mod parameter;
mod plain;
mod precondition;
mod problem;
mod router;
mod security_headers;
mod socket;
mod sse;

pub(crate) mod api;
pub(crate) mod ui;
pub(crate) mod v1;

pub use anonymous::ANONYMOUS;
pub use router::{api_router, console_router};

pub(crate) use body::Json;
pub(crate) use context::{Authenticated, Caller, InTenant, PerhapsPerson, Person};
pub(crate) use language::Reads;
pub(crate) use parameter::{Path, Query};
pub(crate) use precondition::{IfMatch, Tagged};
pub(crate) use problem::{Error, Result};
pub(crate) use security_headers::console_policy;
