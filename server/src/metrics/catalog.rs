//! Registers metrics and remembers how each is described.

use prometheus_client::registry::{Metric, Registry};

/// How one metric is described in the documentation.
#[derive(Clone, Copy, Debug)]
pub(super) struct Row {
    pub(super) name: &'static str,
    pub(super) labels: &'static [&'static str],
    pub(super) meaning: &'static str,
}

/// The registry and the descriptions of what is in it.
#[derive(Debug, Default)]
pub(super) struct Catalog {
    pub(super) registry: Registry,
    pub(super) rows: Vec<Row>,
}

impl Catalog {
    /// Registers a metric under its full name.
    pub(super) fn add<M: Metric + Clone>(
        &mut self,
        name: &'static str,
        labels: &'static [&'static str],
        meaning: &'static str,
        metric: M,
    ) -> M {
        self.describe(name, labels, meaning);
        // The encoder puts `_total` behind counters by itself.
        self.registry.register(name.trim_end_matches("_total"), meaning, metric.clone());
        metric
    }

    /// Describes a metric that a collector encodes.
    pub(super) fn describe(&mut self, name: &'static str, labels: &'static [&'static str], meaning: &'static str) {
        self.rows.push(Row { name, labels, meaning });
    }
}
