//! Model providers: one folder for each wire, one line in the registry.
//!
//! Not here: prices, retries, failover, what may be forwarded. The kernel decided all of it before the permit came.

mod registry;

mod openai_compatible;
pub(crate) mod test;

pub use registry::Providers;
pub use test::{ReceivedCall, TestProvider};
