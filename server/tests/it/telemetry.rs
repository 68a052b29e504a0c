//! What leaves as telemetry: a real collector gets the spans of a call in the caller's trace, and none of the content.

use std::io::Read;
use std::time::Duration;

use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::HeaderMap;
use axum::routing::post;
use opentelemetry_proto::tonic::collector::trace::v1::ExportTraceServiceRequest;
use opentelemetry_proto::tonic::trace::v1::Span;
use opentelemetry_proto::tonic::trace::v1::span::SpanKind;
use prost::Message;
use reqwest::Method;
use serde_json::{Value, json};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use crate::util::process::{Caller, Soit};

const TRACE: &str = "4bf92f3577b34da6a3ce929d0e0e4736";
const PARENT: &str = "00f067aa0ba902b7";

/// A collector of OTLP over HTTP.
struct Collector {
    endpoint: String,
    received: UnboundedReceiver<(HeaderMap, Vec<u8>)>,
    /// Everything that came, unpacked.
    bytes: Vec<u8>,
    services: Vec<String>,
    spans: Vec<Span>,
}

async fn receive(State(received): State<UnboundedSender<(HeaderMap, Vec<u8>)>>, headers: HeaderMap, body: Bytes) {
    let mut message = Vec::new();
    flate2::read::GzDecoder::new(&body[..]).read_to_end(&mut message).expect("a gzip body");
    received.send((headers, message)).expect("the test listens");
}

impl Collector {
    async fn start() -> Self {
        let (sender, received) = unbounded_channel();
        let socket = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let endpoint = format!("http://{}", socket.local_addr().expect("an address"));
        let router = Router::new().route("/v1/traces", post(receive)).with_state(sender);
        #[expect(clippy::disallowed_methods, reason = "the collector ends with the test's runtime")]
        tokio::spawn(async move { axum::serve(socket, router).await });
        Self { endpoint, received, bytes: Vec::new(), services: Vec::new(), spans: Vec::new() }
    }

    fn names(&self) -> Vec<&str> {
        self.spans.iter().map(|span| span.name.as_str()).collect()
    }

    /// Waits until spans of these names have come.
    async fn wait_for(&mut self, names: &[&str]) {
        while names.iter().any(|name| !self.names().contains(name)) {
            let next = tokio::time::timeout(Duration::from_secs(20), self.received.recv()).await;
            let Ok(Some((headers, message))) = next else {
                panic!("of {names:?} only {:?} came", self.names());
            };
            assert_eq!(headers.get("x-tenant").and_then(|value| value.to_str().ok()), Some("lab"));
            let request = ExportTraceServiceRequest::decode(&message[..]).expect("an export of traces");
            self.bytes.extend(message);
            for of_resource in request.resource_spans {
                let attributes = of_resource.resource.expect("a resource").attributes;
                self.services.extend(attributes.iter().map(|pair| format!("{}={:?}", pair.key, pair.value)));
                self.spans.extend(of_resource.scope_spans.into_iter().flat_map(|scope| scope.spans));
            }
        }
    }

    fn span(&self, name: &str) -> &Span {
        self.spans.iter().find(|span| span.name == name).expect("it came")
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The names of a span's attributes.
fn attributes(span: &Span) -> Vec<&str> {
    span.attributes.iter().map(|pair| pair.key.as_str()).collect()
}

fn settings(endpoint: &str) -> [(&'static str, &str); 4] {
    [
        ("OTEL_EXPORTER_OTLP_ENDPOINT", endpoint),
        ("OTEL_EXPORTER_OTLP_HEADERS", "x-tenant=lab"),
        // Nothing but what callers sample, and what matters anyway.
        ("OTEL_TRACES_SAMPLER_ARG", "0"),
        ("OTEL_BSP_SCHEDULE_DELAY", "100"),
    ]
}

async fn call(caller: &Caller, model: &str, words: &str, traceparent: Option<String>) -> reqwest::StatusCode {
    let body: Value = json!({ "model": model, "messages": [{ "role": "user", "content": words }] });
    let mut request = caller.request(Method::POST, "/v1/chat/completions", Some(body));
    if let Some(traceparent) = traceparent {
        request = request.header("traceparent", traceparent);
    }
    let answer = request.send().await.expect("an answer");
    let status = answer.status();
    answer.bytes().await.expect("a whole body");
    status
}

#[tokio::test(flavor = "multi_thread")]
async fn a_collector_gets_a_call_in_its_caller_s_trace_and_no_content() {
    const CANARY: &str = "canary-prompt-4711";
    let mut collector = Collector::start().await;
    let endpoint = collector.endpoint.clone();
    let mut soit = Soit::new(&settings(&endpoint));
    soit.start().await;
    let admin = soit.admin().await;
    let sampled = Some(format!("00-{TRACE}-{PARENT}-01"));
    assert_eq!(call(&admin, "model:test:echo", CANARY, sampled).await, 200);
    assert_eq!(call(&admin, "model:test:nothing-like-it", CANARY, None).await, 404);

    collector.wait_for(&["POST /v1/chat/completions", "chat echo", "chat"]).await;
    let (request, chat, refused) =
        (collector.span("POST /v1/chat/completions"), collector.span("chat echo"), collector.span("chat"));
    assert_eq!((hex(&request.trace_id), hex(&request.parent_span_id)), (TRACE.to_owned(), PARENT.to_owned()));
    assert_eq!((hex(&chat.trace_id), &chat.parent_span_id), (TRACE.to_owned(), &request.span_id));
    assert_eq!((request.kind(), chat.kind()), (SpanKind::Server, SpanKind::Client));
    for name in [
        "gen_ai.operation.name",
        "gen_ai.provider.name",
        "gen_ai.request.model",
        "gen_ai.usage.input_tokens",
        "gen_ai.usage.output_tokens",
        "run.id",
    ] {
        assert!(attributes(chat).contains(&name), "{name}: {:?}", attributes(chat));
    }
    assert_ne!(hex(&refused.trace_id), TRACE);
    assert!(attributes(refused).contains(&"error.type"), "refusals are sent although nobody sampled them");
    assert_eq!(refused.status.as_ref().map(|status| status.message.as_str()), Some("model_not_found"));
    assert!(collector.services.iter().any(|pair| pair.starts_with("service.name=") && pair.contains("soit")));
    assert!(!collector.names().contains(&"GET /health/ready"), "what nobody sampled is not sent");
    assert!(collector.spans.iter().all(|span| span.events.is_empty()));
    assert!(!collector.bytes.windows(CANARY.len()).any(|window| window == CANARY.as_bytes()));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_collector_that_is_away_changes_nothing() {
    let endpoint = format!("http://127.0.0.1:{}", crate::util::process::free_port());
    let mut soit = Soit::new(&settings(&endpoint));
    soit.start().await;
    let admin = soit.admin().await;
    for _ in 0..20 {
        assert_eq!(call(&admin, "model:test:echo", "hello", None).await, 200);
    }
}
