//! Tasks that wait, and how long they did.

use std::time::Duration;

use kernel::task::TYPES;
use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::{Histogram, exponential_buckets};

use super::catalog::Catalog;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Type {
    r#type: &'static str,
}

/// Tasks that wait, and how long they did.
#[derive(Debug)]
pub(crate) struct Tasks {
    ready: Family<Type, Gauge>,
    wait: Histogram,
}

impl Tasks {
    pub(super) fn new(catalog: &mut Catalog) -> Self {
        let ready = "Tasks that may be taken and are not, by type; `other` of types this version does not do";
        Self {
            ready: catalog.add("soit_tasks_ready", &["type"], ready, Family::default()),
            wait: catalog.add(
                "soit_task_wait_seconds",
                &[],
                "Time from when a task was ready to when it was taken",
                Histogram::new(exponential_buckets(0.01, 2.0, 18)),
            ),
        }
    }

    /// How many tasks of each type are ready.
    pub(crate) fn ready(&self, counts: &[(String, u64)]) {
        let sum = |is_counted: &dyn Fn(&str) -> bool| -> i64 {
            let counted = counts.iter().filter(|(name, _)| is_counted(name)).map(|(_, count)| *count);
            i64::try_from(counted.sum::<u64>()).unwrap_or(i64::MAX)
        };
        for name in TYPES {
            self.ready.get_or_create(&Type { r#type: name }).set(sum(&|other| other == *name));
        }
        self.ready.get_or_create(&Type { r#type: "other" }).set(sum(&|name| !TYPES.contains(&name)));
    }

    /// A task was taken that had been ready for so long.
    pub(crate) fn taken(&self, waited: Duration) {
        self.wait.observe(waited.as_secs_f64());
    }
}
