//! Traces to a collector, as OTLP over HTTP.
//!
//! Spans wait in a bounded queue and are sent by the SDK's own thread; a collector that is away costs lost spans, nothing
//! else. A share of traces is sent, and beyond it every span that failed.

use std::collections::HashMap;
use std::time::Duration;

use async_trait::async_trait;
use opentelemetry::trace::{SpanContext, SpanKind, Status, TraceFlags, TraceId};
use opentelemetry::{Context, KeyValue};
use opentelemetry_http::{Bytes, HttpClient, HttpError, Request, Response};
use opentelemetry_otlp::{Compression, Protocol, SpanExporter, WithExportConfig, WithHttpConfig};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::error::OTelSdkResult;
use opentelemetry_sdk::trace::{
    BatchSpanProcessor, Sampler, SamplingDecision, SamplingResult, SdkTracerProvider, ShouldSample, Span, SpanData,
    SpanProcessor,
};
use tokio::runtime::Handle;

use crate::config;

/// How long sending a batch may take.
const PATIENCE: Duration = Duration::from_secs(10);

/// The provider of traces, where a collector is named.
pub(super) fn provider(settings: &config::Telemetry) -> anyhow::Result<Option<SdkTracerProvider>> {
    let Some(endpoint) = &settings.otlp_endpoint else { return Ok(None) };
    let exporter = SpanExporter::builder()
        .with_http()
        .with_http_client(Client::new()?)
        .with_endpoint(format!("{}/v1/traces", endpoint.as_str().trim_end_matches('/')))
        .with_protocol(Protocol::HttpBinary)
        .with_headers(settings.otlp_headers().into_iter().collect::<HashMap<_, _>>())
        .with_compression(Compression::Gzip)
        .with_timeout(PATIENCE)
        .build()?;
    let resource = Resource::builder_empty()
        .with_service_name(settings.service_name.clone())
        .with_attribute(KeyValue::new("service.version", env!("CARGO_PKG_VERSION")))
        .build();
    let provider = SdkTracerProvider::builder()
        .with_resource(resource)
        .with_sampler(Sampler::ParentBased(Box::new(RecordAll(Sampler::TraceIdRatioBased(settings.otlp_share)))))
        .with_span_processor(KeepFailures(BatchSpanProcessor::builder(exporter).build()))
        .build();
    Ok(Some(provider))
}

/// Sends on the runtime: the SDK calls it from a thread of its own.
#[derive(Debug)]
struct Client {
    http: reqwest::Client,
    runtime: Handle,
}

impl Client {
    #[expect(clippy::disallowed_methods, reason = "the operator names the collector; no workspace has a say in it")]
    fn new() -> reqwest::Result<Self> {
        let http = reqwest::Client::builder().timeout(PATIENCE).no_proxy().build()?;
        Ok(Self { http, runtime: Handle::current() })
    }
}

#[async_trait]
impl HttpClient for Client {
    async fn send_bytes(&self, request: Request<Bytes>) -> Result<Response<Bytes>, HttpError> {
        let request = reqwest::Request::try_from(request)?;
        let http = self.http.clone();
        let sending = self.runtime.spawn(async move {
            let response = http.execute(request).await?;
            Ok::<_, reqwest::Error>((response.status(), response.bytes().await?))
        });
        let (status, body) = sending.await??;
        let mut answer = Response::new(body);
        *answer.status_mut() = status;
        Ok(answer)
    }
}

/// Records what the inner sampler would drop, so that it can still be sent when it fails.
#[derive(Clone, Debug)]
struct RecordAll(Sampler);

impl ShouldSample for RecordAll {
    fn should_sample(
        &self,
        parent: Option<&Context>,
        trace: TraceId,
        name: &str,
        kind: &SpanKind,
        attributes: &[KeyValue],
        links: &[opentelemetry::trace::Link],
    ) -> SamplingResult {
        let mut result = self.0.should_sample(parent, trace, name, kind, attributes, links);
        if result.decision == SamplingDecision::Drop {
            result.decision = SamplingDecision::RecordOnly;
        }
        result
    }
}

/// Hands on what is sampled, and of the rest what failed.
#[derive(Debug)]
struct KeepFailures<P>(P);

impl<P: SpanProcessor> SpanProcessor for KeepFailures<P> {
    fn on_start(&self, span: &mut Span, context: &Context) {
        self.0.on_start(span, context);
    }

    fn on_end(&self, mut span: SpanData) {
        if matches!(span.status, Status::Error { .. }) && !span.span_context.is_sampled() {
            let context = &span.span_context;
            span.span_context = SpanContext::new(
                context.trace_id(),
                context.span_id(),
                TraceFlags::SAMPLED,
                context.is_remote(),
                context.trace_state().clone(),
            );
        }
        self.0.on_end(span);
    }

    fn force_flush(&self) -> OTelSdkResult {
        self.0.force_flush()
    }

    fn shutdown_with_timeout(&self, timeout: Duration) -> OTelSdkResult {
        self.0.shutdown_with_timeout(timeout)
    }

    fn set_resource(&mut self, resource: &Resource) {
        self.0.set_resource(resource);
    }
}
