//! Who reads, what soit depends on, and what dead processes left.

use std::time::Duration;

use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;

use super::catalog::Catalog;
use crate::health::Readiness;

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Dependency {
    name: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Reaped {
    kind: &'static str,
}

/// Who reads, what soit depends on, and what dead processes left.
#[derive(Debug)]
pub(crate) struct Liveness {
    readers: Gauge,
    dependencies: Family<Dependency, Gauge>,
    reaped: Family<Reaped, Counter>,
    checkpoint_age: Gauge,
    copies: Counter,
    failed_copies: Counter,
    copy_age: Gauge,
}

impl Liveness {
    pub(super) fn new(catalog: &mut Catalog) -> Self {
        Self {
            readers: catalog.add("soit_stream_readers", &[], "Readers of live streams", Gauge::default()),
            dependencies: catalog.add(
                "soit_dependency_up",
                &["name"],
                "1 while the health check of that name passes",
                Family::default(),
            ),
            reaped: catalog.add(
                "soit_reaped_total",
                &["kind"],
                "What dead processes left and this one closed",
                Family::default(),
            ),
            checkpoint_age: catalog.add(
                "soit_chain_checkpoint_age_seconds",
                &[],
                "How long the oldest entry of any hash chain waits for a signed checkpoint",
                Gauge::default(),
            ),
            copies: catalog.add(
                "soit_checkpoint_copies_total",
                &[],
                "Checkpoints that `CHECKPOINT_SINK` took from this process",
                Counter::default(),
            ),
            failed_copies: catalog.add(
                "soit_checkpoint_copy_failures_total",
                &[],
                "Copies of checkpoints that `CHECKPOINT_SINK` did not take",
                Counter::default(),
            ),
            copy_age: catalog.add(
                "soit_checkpoint_copy_age_seconds",
                &[],
                "How long the oldest checkpoint waits to be copied to `CHECKPOINT_SINK`",
                Gauge::default(),
            ),
        }
    }

    /// The oldest entry that no checkpoint covers waits so long.
    pub(crate) fn waits_for_checkpoint(&self, age: Duration) {
        self.checkpoint_age.set(i64::try_from(age.as_secs()).unwrap_or(i64::MAX));
    }

    /// So many checkpoints were copied out, the oldest that was not waits so long, and the last one may not have been taken.
    pub(crate) fn copied(&self, copies: u64, oldest: Duration, has_failed: bool) {
        self.copies.inc_by(copies);
        self.failed_copies.inc_by(u64::from(has_failed));
        self.copy_age.set(i64::try_from(oldest.as_secs()).unwrap_or(i64::MAX));
    }

    /// What is so at this moment, taken when somebody asks for the metrics.
    pub(crate) fn now(&self, readers: usize, readiness: &Readiness) {
        self.readers.set(i64::try_from(readers).unwrap_or(i64::MAX));
        for (name, check) in &readiness.checks {
            self.dependencies.get_or_create(&Dependency { name: name.clone() }).set(i64::from(check.ok));
        }
    }

    /// Something of a dead process was closed.
    pub(crate) fn reaped(&self, kind: &'static str, count: u64) {
        self.reaped.get_or_create(&Reaped { kind }).inc_by(count);
    }
}
