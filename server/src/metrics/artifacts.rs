//! Content that is kept whole, and the store it lies in.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use async_trait::async_trait;
use chrono::NaiveDate;
use kernel::artifact::{Kept, Swept};
use kernel::port::{Clock, Keys, ObjectBody, ObjectError, ObjectKey, Objects};
use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::histogram::{Histogram, exponential_buckets};

use super::Metrics;
use super::catalog::Catalog;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Place {
    place: &'static str,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Kind {
    kind: &'static str,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Request {
    operation: &'static str,
    outcome: &'static str,
}

/// Content that is kept whole, and the store it lies in.
#[derive(Debug)]
pub(crate) struct Artifacts {
    kept: Family<Place, Counter>,
    swept: Family<Kind, Counter>,
    requests: Family<Request, Counter>,
    seconds: Histogram,
}

impl Artifacts {
    pub(super) fn new(catalog: &mut Catalog) -> Self {
        Self {
            kept: catalog.add(
                "soit_artifacts_total",
                &["place"],
                "Long content that was to be kept: inline, stored, or lost where the artifact store did not take it",
                Family::default(),
            ),
            swept: catalog.add(
                "soit_artifacts_swept_total",
                &["kind"],
                "What was deleted: expired artifacts, orphan objects that no row names",
                Family::default(),
            ),
            requests: catalog.add(
                "soit_storage_requests_total",
                &["operation", "outcome"],
                "Requests to the artifact store",
                Family::default(),
            ),
            seconds: catalog.add(
                "soit_storage_put_seconds",
                &[],
                "Time the artifact store took to keep an object",
                Histogram::new(exponential_buckets(0.001, 2.0, 14)),
            ),
        }
    }

    /// What became of everything that was to be kept, taken when somebody asks for the metrics.
    pub(crate) fn kept(&self, kept: Kept) {
        for (place, count) in [("inline", kept.inline), ("stored", kept.stored), ("lost", kept.lost)] {
            self.kept.get_or_create(&Place { place }).inner().store(count, Ordering::Relaxed);
        }
    }

    /// A pass of the sweeper.
    pub(crate) fn swept(&self, swept: Swept) {
        for (kind, count) in [("expired", swept.expired), ("orphan", swept.orphans)] {
            self.swept.get_or_create(&Kind { kind }).inc_by(count);
        }
    }

    pub(super) fn asked<T>(&self, operation: &'static str, result: &Result<T, ObjectError>) {
        let outcome = match result {
            Ok(_) => "ok",
            Err(ObjectError::Missing) => "missing",
            Err(ObjectError::Full) => "full",
            Err(ObjectError::Denied(_)) => "denied",
            Err(ObjectError::NoPlace(_)) => "no_place",
            Err(ObjectError::Unavailable(_)) => "unavailable",
            Err(ObjectError::Internal(_)) => "internal",
        };
        self.requests.get_or_create(&Request { operation, outcome }).inc();
    }
}

/// An artifact store whose requests are counted.
pub struct MeteredObjects {
    inner: Arc<dyn Objects>,
    metrics: Arc<Metrics>,
    clock: Arc<dyn Clock>,
}

impl MeteredObjects {
    /// Counts in front of a store.
    pub fn new(inner: Arc<dyn Objects>, metrics: Arc<Metrics>, clock: Arc<dyn Clock>) -> Self {
        Self { inner, metrics, clock }
    }

    fn noted<T>(&self, operation: &'static str, result: Result<T, ObjectError>) -> Result<T, ObjectError> {
        self.metrics.artifacts.asked(operation, &result);
        result
    }

    fn since(&self, started: Duration) -> f64 {
        self.clock.monotonic().saturating_sub(started).as_secs_f64()
    }
}

#[async_trait]
impl Objects for MeteredObjects {
    async fn put(&self, key: &ObjectKey, bytes: Vec<u8>) -> Result<(), ObjectError> {
        let started = self.clock.monotonic();
        let put = self.inner.put(key, bytes).await;
        self.metrics.artifacts.seconds.observe(self.since(started));
        self.noted("put", put)
    }

    async fn get(&self, key: &ObjectKey) -> Result<ObjectBody, ObjectError> {
        self.noted("get", self.inner.get(key).await)
    }

    async fn head(&self, key: &ObjectKey) -> Result<Option<u64>, ObjectError> {
        self.noted("head", self.inner.head(key).await)
    }

    async fn delete(&self, key: &ObjectKey) -> Result<(), ObjectError> {
        self.noted("delete", self.inner.delete(key).await)
    }

    async fn list_days(&self) -> Result<Vec<NaiveDate>, ObjectError> {
        self.noted("list", self.inner.list_days().await)
    }

    async fn list_objects(&self, day: NaiveDate) -> Result<Keys, ObjectError> {
        self.noted("list", self.inner.list_objects(day).await)
    }

    async fn check(&self) -> Result<(), ObjectError> {
        self.noted("check", self.inner.check().await)
    }
}
