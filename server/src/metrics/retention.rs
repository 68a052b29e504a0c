//! What purges take out.

use kernel::retention::Swept;
use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;

use super::catalog::Catalog;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Kind {
    kind: &'static str,
}

/// What purges take out.
#[derive(Debug)]
pub(crate) struct Retention {
    purged: Family<Kind, Counter>,
    failures: Counter,
    behind: Gauge,
}

impl Retention {
    pub(super) fn new(catalog: &mut Catalog) -> Self {
        Self {
            purged: catalog.add(
                "soit_purged_total",
                &["kind"],
                "What purges erased or deleted: runs whose content went, runs, steps, artifacts, bytes, costs …",
                Family::default(),
            ),
            failures: catalog.add(
                "soit_purge_failures_total",
                &[],
                "Workspaces in which something stayed that should have gone, each time a purge passed",
                Counter::default(),
            ),
            behind: catalog.add(
                "soit_purge_behind",
                &[],
                "Workspaces with more that is over than the last purge took out",
                Gauge::default(),
            ),
        }
    }

    /// Counts what a pass did.
    pub(crate) fn swept(&self, swept: &Swept) {
        for (what, number) in &swept.purged {
            self.purged.get_or_create(&Kind { kind: what.as_str() }).inc_by(*number);
        }
        self.failures.inc_by(swept.failed);
        self.behind.set(i64::try_from(swept.behind).unwrap_or(i64::MAX));
    }
}
