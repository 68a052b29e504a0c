//! All metrics together.

use prometheus_client::encoding::prometheus_text;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::registry::Registry;

use super::artifacts::Artifacts;
use super::catalog::{Catalog, Row};
use super::gates::Gates;
use super::http::Http;
use super::idempotency::Idempotency;
use super::ledger::Ledger;
use super::liveness::Liveness;
use super::mail::Mail;
use super::outbox::Outbox;
use super::process;
use super::retention::Retention;
use super::shared::Shared;
use super::tasks::Tasks;
use super::upstream::Upstream;

/// Every figure soit counts.
#[derive(Debug)]
pub struct Metrics {
    registry: Registry,
    rows: Vec<Row>,
    /// Requests at the doors.
    pub(crate) http: Http,
    /// Refusals by gate.
    pub(crate) gates: Gates,
    /// Requests under callers' keys.
    pub(crate) idempotency: Idempotency,
    /// Runs, steps, holds and commits.
    pub(crate) ledger: Ledger,
    /// Calls to model providers, and the time that is our own.
    pub(crate) upstream: Upstream,
    /// Content that is kept whole.
    pub(crate) artifacts: Artifacts,
    /// What purges take out.
    pub(crate) retention: Retention,
    /// Mails of the deployment itself.
    pub(crate) mail: Mail,
    /// Deliveries of events.
    pub(crate) outbox: Outbox,
    /// Tasks.
    pub(crate) tasks: Tasks,
    /// Readers, dependencies, dead processes.
    pub(crate) liveness: Liveness,
    /// What processes share through Redis.
    pub(crate) shared: Shared,
}

impl Default for Metrics {
    fn default() -> Self {
        let mut catalog = Catalog::default();
        let build = Family::<[(&str, &str); 1], Gauge>::default();
        build.get_or_create(&[("version", env!("CARGO_PKG_VERSION"))]).set(1);
        catalog.add("soit_build_info", &["version"], "Always 1; the version is the label", build);
        let http = Http::new(&mut catalog);
        let gates = Gates::new(&mut catalog);
        let idempotency = Idempotency::new(&mut catalog);
        let ledger = Ledger::new(&mut catalog);
        let upstream = Upstream::new(&mut catalog);
        let artifacts = Artifacts::new(&mut catalog);
        let retention = Retention::new(&mut catalog);
        let mail = Mail::new(&mut catalog);
        let outbox = Outbox::new(&mut catalog);
        let tasks = Tasks::new(&mut catalog);
        let liveness = Liveness::new(&mut catalog);
        let shared = Shared::new(&mut catalog);
        process::register(&mut catalog);
        let Catalog { registry, rows, .. } = catalog;
        Self {
            registry,
            rows,
            http,
            gates,
            idempotency,
            ledger,
            upstream,
            artifacts,
            retention,
            mail,
            outbox,
            tasks,
            liveness,
            shared,
        }
    }
}

impl Metrics {
    /// Every figure in Prometheus' text format.
    pub fn encode(&self) -> String {
        let mut text = String::new();
        if let Err(error) = prometheus_text::encode(&mut text, &self.registry) {
            tracing::error!(%error, "metrics cannot be written");
        }
        text
    }

    pub(super) fn rows(&self) -> &[Row] {
        &self.rows
    }
}
