//! Traces to a collector, as OTLP over HTTP.
//!
//! Spans wait in a bounded queue and are sent by the SDK's own thread; a collector that is away costs lost spans, nothing
//! else. A share of traces is sent, and beyond it every span that failed, was refused or cost something.

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
pub(super) fn provider(
    settings: &config::Telemetry,
    extra_roots: Option<&[u8]>,
) -> anyhow::Result<Option<SdkTracerProvider>> {
    let Some(endpoint) = &settings.otlp_endpoint else { return Ok(None) };
    let exporter = SpanExporter::builder()
        .with_http()
        .with_http_client(Client::new(extra_roots)?)
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
        .with_sampler(RecordAll(Sampler::ParentBased(Box::new(Sampler::TraceIdRatioBased(settings.otlp_share)))))
        .with_span_processor(Finish(BatchSpanProcessor::builder(exporter).build()))
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
    fn new(extra_roots: Option<&[u8]>) -> anyhow::Result<Self> {
        let http = reqwest::Client::builder().tls_backend_preconfigured(adapter_outbound::tls(extra_roots)?);
        let http = http.timeout(PATIENCE).no_proxy().build()?;
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

/// Records what the inner sampler would drop, so that it can still be sent once it turns out to matter.
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

/// Attribute of a span that failed or was refused.
const ERROR: &str = "error.type";
/// Attribute of a span that was metered, so that it may have cost something.
const METERED: &str = "gen_ai.usage.input_tokens";
const OPERATION: &str = "gen_ai.operation.name";
const MODEL: &str = "gen_ai.request.model";

/// Finishes spans as the conventions want them, and hands on what is sampled, and of the rest what matters anyway.
#[derive(Debug)]
struct Finish<P>(P);

impl<P: SpanProcessor> SpanProcessor for Finish<P> {
    fn on_start(&self, span: &mut Span, context: &Context) {
        self.0.on_start(span, context);
    }

    fn on_end(&self, mut span: SpanData) {
        // Which model a call is for is decided after its span began, when its name can no longer be recorded.
        if let (Some(operation), Some(model)) = (attribute(&span, OPERATION), attribute(&span, MODEL)) {
            span.name = format!("{operation} {model}").into();
        }
        let error = attribute(&span, ERROR);
        if let (Some(error), Status::Unset) = (&error, &span.status) {
            span.status = Status::error(error.clone());
        }
        let matters = matches!(span.status, Status::Error { .. }) || attribute(&span, METERED).is_some();
        if !span.span_context.is_sampled() {
            if !matters {
                return;
            }
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

/// An attribute as text; of several, the last one recorded.
fn attribute(span: &SpanData, name: &str) -> Option<String> {
    let found = span.attributes.iter().rev().find(|attribute| attribute.key.as_str() == name);
    found.map(|attribute| attribute.value.to_string())
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use opentelemetry::trace::{Span as _, TraceContextExt, Tracer, TracerProvider};

    use super::*;

    #[derive(Clone, Debug, Default)]
    struct Sent(Arc<Mutex<Vec<SpanData>>>);

    impl SpanProcessor for Sent {
        fn on_start(&self, _: &mut Span, _: &Context) {}

        fn on_end(&self, span: SpanData) {
            self.0.lock().unwrap().push(span);
        }

        fn force_flush(&self) -> OTelSdkResult {
            Ok(())
        }

        fn shutdown_with_timeout(&self, _: Duration) -> OTelSdkResult {
            Ok(())
        }
    }

    #[test]
    fn of_what_is_not_sampled_failures_refusals_and_costs_are_kept_below_any_parent() {
        let sent = Sent::default();
        let provider = SdkTracerProvider::builder()
            .with_sampler(RecordAll(Sampler::ParentBased(Box::new(Sampler::TraceIdRatioBased(0.0)))))
            .with_span_processor(Finish(sent.clone()))
            .build();
        let tracer = provider.tracer("test");
        let parent = Context::new().with_span(tracer.start("request"));
        let child = |attributes: &[(&'static str, &'static str)]| {
            let mut span = tracer.start_with_context("chat", &parent);
            attributes.iter().for_each(|(name, value)| span.set_attribute(KeyValue::new(*name, *value)));
            span.end();
        };
        child(&[(OPERATION, "chat"), (MODEL, "dull")]);
        child(&[(OPERATION, "chat"), (MODEL, "dear"), (METERED, "7")]);
        child(&[(OPERATION, "chat"), (ERROR, "budget_exhausted")]);
        let sent = sent.0.lock().unwrap();
        let names: Vec<&str> = sent.iter().map(|span| span.name.as_ref()).collect();
        assert_eq!(names, ["chat dear", "chat"]);
        assert!(sent.iter().all(|span| span.span_context.is_sampled()));
        assert_eq!(sent.last().unwrap().status, Status::error("budget_exhausted"));
    }
}
