//! Requests under callers' keys.

use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;

use super::catalog::Catalog;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Outcome {
    outcome: &'static str,
}

/// Requests under callers' keys.
#[derive(Debug)]
pub(crate) struct Idempotency {
    requests: Family<Outcome, Counter>,
}

impl Idempotency {
    pub(super) fn new(catalog: &mut Catalog) -> Self {
        let about = "Requests with an Idempotency-Key: done, replayed, in_flight, conflict, released";
        Self { requests: catalog.add("soit_idempotency_total", &["outcome"], about, Family::default()) }
    }

    /// A request ended so.
    pub(crate) fn count(&self, outcome: &'static str) {
        self.requests.get_or_create(&Outcome { outcome }).inc();
    }
}
