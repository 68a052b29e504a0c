//! The one way out: a client that dials only addresses the kernel checked, follows no redirect, asks no proxy and never
//! sends twice.
//!
//! Invariant: no other module makes an HTTP client. Not here: whether a target may be called, and what is said to it.

mod body;
mod client;
mod event_stream;
mod failure;
mod peer;
#[cfg(test)]
mod tests;

pub(crate) use body::Body;
pub(crate) use client::Response;
pub use client::{Http, HttpError, tls};
pub(crate) use event_stream::{Event, EventParser};
pub(crate) use failure::Failure;
