//! What leaves as telemetry: a real collector gets traces, and none of the content.

use std::io::Read;
use std::sync::Arc;

use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::HeaderMap;
use axum::routing::post;
use serde_json::json;
use tokio::sync::mpsc;

use crate::util::process::Soit;

type Received = Arc<mpsc::UnboundedSender<(HeaderMap, Vec<u8>)>>;

async fn receive(State(received): State<Received>, headers: HeaderMap, body: Bytes) {
    let mut text = Vec::new();
    flate2::read::GzDecoder::new(&body[..]).read_to_end(&mut text).expect("a gzip body");
    received.send((headers, text)).expect("the test listens");
}

fn contains(bytes: &[u8], text: &str) -> bool {
    bytes.windows(text.len()).any(|window| window == text.as_bytes())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_collector_gets_spans_and_no_content() {
    const CANARY: &str = "canary-prompt-4711";
    let (sender, mut received) = mpsc::unbounded_channel();
    let socket = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let endpoint = format!("http://{}", socket.local_addr().expect("an address"));
    let collector = Router::new().route("/v1/traces", post(receive)).with_state(Arc::new(sender));
    #[expect(clippy::disallowed_methods, reason = "the collector ends with the test's runtime")]
    tokio::spawn(async move { axum::serve(socket, collector).await });

    let settings = [
        ("OTEL_EXPORTER_OTLP_ENDPOINT", endpoint.as_str()),
        ("OTEL_EXPORTER_OTLP_HEADERS", "x-tenant=lab"),
        ("OTEL_TRACES_SAMPLER_ARG", "1"),
        ("LOG_LEVEL", "info"),
    ];
    let mut soit = Soit::new(&settings);
    soit.start().await;
    let admin = soit.admin().await;
    let messages = json!([{ "role": "user", "content": CANARY }]);
    admin.post("/v1/chat/completions", json!({ "model": "model:test:echo", "messages": messages })).await;

    let mut spans = Vec::new();
    while !contains(&spans, "POST /v1/chat/completions") || !contains(&spans, "model_call") {
        let (headers, body) = received.recv().await.expect("the collector runs");
        assert_eq!(headers.get("x-tenant").and_then(|value| value.to_str().ok()), Some("lab"));
        spans.extend(body);
    }
    assert!(contains(&spans, "service.name") && contains(&spans, "gen_ai.operation.name"));
    assert!(!contains(&spans, CANARY));
}
