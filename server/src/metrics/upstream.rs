//! Calls to model providers, and the part of a request's time that is soit's own.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use futures::stream::{self, StreamExt};
use kernel::policy::Permit;
use kernel::port::{Answer, Clock, ModelCall, ModelProvider, UpstreamError, UpstreamKind};
use moka::sync::Cache;
use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::histogram::{Histogram, exponential_buckets};
use types::id::RunId;

use super::Metrics;
use super::catalog::Catalog;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Call {
    provider: &'static str,
    outcome: &'static str,
}

/// Calls to model providers.
#[derive(Debug)]
pub(crate) struct Upstream {
    calls: Family<Call, Counter>,
    overhead: Histogram,
    waits: Cache<RunId, Duration>,
}

impl Upstream {
    pub(super) fn new(catalog: &mut Catalog) -> Self {
        let labels = &["provider", "outcome"];
        Self {
            calls: catalog.add("soit_model_calls_total", labels, "Calls sent to model providers", Family::default()),
            overhead: catalog.add(
                "soit_own_overhead_seconds",
                &[],
                "Time to the head of a governed answer, without the wait for the provider",
                Histogram::new(exponential_buckets(0.000_05, 2.0, 18)),
            ),
            // Requests whose client left never ask for their wait.
            waits: Cache::builder().max_capacity(10_000).time_to_live(Duration::from_secs(600)).build(),
        }
    }

    /// A request that belongs to a run was answered.
    pub(crate) fn answered(&self, run_id: RunId, took: Duration) {
        if let Some(waited) = self.waits.remove(&run_id) {
            self.overhead.observe(took.saturating_sub(waited).as_secs_f64());
        }
    }

    pub(super) fn waited(&self, run_id: RunId, time: Duration) {
        self.waits.entry(run_id).and_upsert_with(|entry| entry.map_or(time, |entry| entry.into_value() + time));
    }

    pub(super) fn called(&self, provider: &'static str, failure: Option<UpstreamKind>) {
        let outcome = match failure {
            None => "ok",
            Some(UpstreamKind::Connect) => "connect",
            Some(UpstreamKind::Reset) => "reset",
            Some(UpstreamKind::Timeout) => "timeout",
            Some(UpstreamKind::Status(429)) => "rate_limited",
            Some(UpstreamKind::Status(400..=499)) => "client_error",
            Some(UpstreamKind::Status(_)) => "server_error",
            Some(UpstreamKind::ErrorInBody) => "error_in_body",
            Some(UpstreamKind::Garbage) => "garbage",
            Some(UpstreamKind::Cut) => "cut",
            Some(UpstreamKind::Credential) => "credential",
        };
        self.calls.get_or_create(&Call { provider, outcome }).inc();
    }
}

/// A provider whose answers are waited for with a watch in hand.
pub struct MeteredProvider {
    inner: Arc<dyn ModelProvider>,
    metrics: Arc<Metrics>,
    clock: Arc<dyn Clock>,
}

impl MeteredProvider {
    /// Measures in front of a provider.
    pub fn new(inner: Arc<dyn ModelProvider>, metrics: Arc<Metrics>, clock: Arc<dyn Clock>) -> Self {
        Self { inner, metrics, clock }
    }
}

#[async_trait]
impl ModelProvider for MeteredProvider {
    async fn call(&self, permit: Permit<ModelCall>) -> Result<Answer, UpstreamError> {
        let (run_id, provider) = (permit.call().run_id, permit.call().kind.as_str());
        let started = self.clock.monotonic();
        let result = self.inner.call(permit).await;
        self.metrics.upstream.waited(run_id, self.clock.monotonic().saturating_sub(started));
        self.metrics.upstream.called(provider, result.as_ref().err().map(|error| error.kind));
        let (mut frames, request_id) = match result? {
            Answer::Stream { frames, request_id } => (frames, request_id),
            whole @ Answer::Whole { .. } => return Ok(whole),
        };
        // Clients see a head only when the first frame is there: it belongs to the wait.
        let (metrics, clock) = (Arc::clone(&self.metrics), Arc::clone(&self.clock));
        let first = async move {
            let started = clock.monotonic();
            let frame = frames.next().await;
            metrics.upstream.waited(run_id, clock.monotonic().saturating_sub(started));
            stream::iter(frame).chain(frames)
        };
        Ok(Answer::Stream { frames: stream::once(first).flatten().boxed(), request_id })
    }
}
