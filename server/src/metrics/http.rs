//! Requests at the doors.

use std::time::Duration;

use axum::http::{Method, StatusCode};
use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::histogram::{Histogram, exponential_buckets};

use super::catalog::Catalog;

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Answer {
    route: String,
    method: &'static str,
    status: u16,
}

/// Requests at the doors.
#[derive(Debug)]
pub(crate) struct Http {
    requests: Family<Answer, Counter>,
    seconds: Histogram,
}

impl Http {
    pub(super) fn new(catalog: &mut Catalog) -> Self {
        let labels = &["route", "method", "status"];
        Self {
            requests: catalog.add("soit_http_requests_total", labels, "Requests answered", Family::default()),
            seconds: catalog.add(
                "soit_http_request_seconds",
                &[],
                "Time from the head of a request to the head of its answer",
                Histogram::new(exponential_buckets(0.000_5, 2.0, 18)),
            ),
        }
    }

    /// A request was answered; `route` is the pattern, never the path.
    pub(crate) fn answered(&self, route: Option<&str>, method: &Method, status: StatusCode, took: Duration) {
        let route = route.unwrap_or("unmatched").to_owned();
        self.requests.get_or_create(&Answer { route, method: word(method), status: status.as_u16() }).inc();
        self.seconds.observe(took.as_secs_f64());
    }
}

/// A method a client made up is not a label.
fn word(method: &Method) -> &'static str {
    const KNOWN: [&str; 7] = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];
    KNOWN.into_iter().find(|known| *known == method.as_str()).unwrap_or("other")
}
