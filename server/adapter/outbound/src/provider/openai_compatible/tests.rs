//! Golden fixtures in both directions without a network, and every fault against the scripted upstream on loopback.

use std::sync::Arc;
use std::time::Duration;

use futures::StreamExt;
use futures::stream::BoxStream;
use kernel::port::{Answer, ModelCall, Sealer, UpstreamError, UpstreamKind, Wire};
use kernel::secret::SecretString;
use serde_json::{Value, json};
use testkit::upstream::Upstream;
use tokio::time::Instant;
use types::id::{RunId, SecretId, Uuid, WorkspaceId};
use types::modelhub::ProviderKind;

use super::OpenaiCompatible;
use super::stream::{self, Patience};
use super::wire::{self, Notes};
use crate::http::{Body, Http};
use crate::secret::{Keyring, Mask, MasterKey};
use crate::testing::{pinned, scope};

const CREDENTIAL: &str = "a-credential-of-the-test-1234";

macro_rules! fixture {
    ($name:literal) => {
        include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/fixture/openai_compatible/", $name))
    };
}

#[test]
fn requests_go_out_as_they_were_written() {
    for fixture in [fixture!("chat.request.json"), fixture!("tools.request.json"), fixture!("embeddings.request.json")]
    {
        let body: Value = serde_json::from_str(fixture).unwrap();
        assert_eq!(body.to_string(), fixture.trim_end());
    }
}

#[test]
fn whole_answers_come_back_as_they_were_written() {
    for fixture in
        [fixture!("chat.response.json"), fixture!("reasoning.response.json"), fixture!("embeddings.response.json")]
    {
        let body = wire::whole(fixture.as_bytes(), &Mask::default(), &Notes::default()).unwrap();
        assert_eq!(body.to_string(), fixture.trim_end());
    }
}

#[tokio::test]
async fn frames_come_back_as_they_were_written() {
    for (sent, expected) in [
        (fixture!("chat.response.sse"), fixture!("chat.response.jsonl")),
        (fixture!("aggregator.response.sse"), fixture!("aggregator.response.jsonl")),
        (fixture!("tools.response.sse"), fixture!("tools.response.jsonl")),
    ] {
        let (frames, end) = collect(frames_of(sent)).await;
        let frames: Vec<String> = frames.iter().map(Value::to_string).collect();
        assert_eq!(frames, expected.lines().collect::<Vec<_>>());
        assert!(end.is_none(), "{end:?}");
    }
}

#[tokio::test]
async fn a_stream_must_come_to_its_end() {
    let frame =
        |finish: &str| format!("data: {{\"choices\":[{{\"index\":0,\"delta\":{{}},\"finish_reason\":{finish}}}]}}\n\n");
    let other = frame("null").replace("\"index\":0", "\"index\":1");
    for (sent, count, kind) in [
        (frame("null"), 1, Some(UpstreamKind::Cut)),
        (frame("\"stop\""), 1, None),
        (frame("\"stop\"") + &other, 2, Some(UpstreamKind::Cut)),
        (frame("null") + "data: {\"choices\":[{\"del", 1, Some(UpstreamKind::Cut)),
        (frame("null") + "data: {\"choices\":[{\"del\n\n", 1, Some(UpstreamKind::Garbage)),
        (frame("null") + "data: 7\n\n", 1, Some(UpstreamKind::Garbage)),
        (frame("null") + "data: {\"error\":{\"message\":\"no\"}}", 1, Some(UpstreamKind::ErrorInBody)),
        (frame("null") + "event: error\ndata: {\"message\":\"no\"}\n\n", 1, Some(UpstreamKind::ErrorInBody)),
        (frame("null") + "data: [DONE]\n\ndata: rest\n\n", 1, None),
        (String::new(), 0, Some(UpstreamKind::Cut)),
    ] {
        let (frames, end) = collect(frames_of(&sent)).await;
        assert_eq!((frames.len(), end.map(|error| error.kind)), (count, kind), "{sent}");
    }
}

#[test]
fn providers_explain_themselves_in_many_ways() {
    for (body, expected) in [
        (r#"{"error":{"message":"no such model","type":"x"}}"#, "no such model"),
        (r#"{"error":"no such model"}"#, "no such model"),
        (r#"{"message":"no such model"}"#, "no such model"),
        (r#"{"detail":"no such model"}"#, "no such model"),
        ("Bad Gateway", "Bad Gateway"),
        ("", "the provider gave no reason"),
    ] {
        assert_eq!(wire::reason(body, &Mask::default()), expected, "{body}");
    }
}

#[test]
fn waits_are_read_in_every_form() {
    let read = |headers: &[(&'static str, &'static str)]| {
        let header = |(name, value): &(&'static str, &'static str)| (name.parse().unwrap(), value.parse().unwrap());
        Notes::read(&headers.iter().map(header).collect()).retry_after
    };
    assert_eq!(read(&[("retry-after", "7")]), Some(7));
    assert_eq!(read(&[("retry-after", "0.2")]), Some(1));
    assert_eq!(read(&[("retry-after-ms", "1200"), ("retry-after", "7")]), Some(2));
    let (date, later) = ("Sun, 06 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:40 GMT");
    assert_eq!(read(&[("retry-after", later), ("date", date)]), Some(3));
    for wrong in ["soon", "-1", "", "1e3", "99999999999999999999"] {
        assert_eq!(read(&[("retry-after", wrong)]), None, "{wrong}");
    }
}

#[tokio::test]
async fn whole_calls_are_answered() {
    let stage = Stage::new().await;
    let mut call = stage.call("mock", false).await;
    call.body = serde_json::from_str(fixture!("chat.request.json")).unwrap();
    let Answer::Whole { body, request_id } = stage.provider.call(call).await.unwrap() else { panic!("a stream") };
    assert_eq!(body.pointer("/choices/0/message/content"), Some(&json!("one two three four five")));
    assert_eq!(request_id.as_deref(), Some("req_upstream"));
    let calls = stage.upstream.calls();
    assert_eq!(calls[0].text, fixture!("chat.request.json").trim_end());
    assert_eq!(calls[0].path, "/v1/chat/completions");
    assert_eq!(calls[0].authorization.as_deref(), Some(format!("Bearer {CREDENTIAL}").as_str()));
}

#[tokio::test]
async fn embeddings_are_answered() {
    let stage = Stage::new().await;
    let mut call = stage.call("mock", false).await;
    call.wire = Wire::Embeddings;
    call.target = Some(pinned(&format!("{}/embeddings", stage.upstream.base_url())).await);
    call.body = json!({ "model": "mock", "input": ["a", "b"] });
    let Answer::Whole { body, .. } = stage.provider.call(call).await.unwrap() else { panic!("a stream") };
    assert_eq!(body.pointer("/data/1/embedding"), Some(&json!([0.5, -0.25, 0.125, 1.0])));
}

#[tokio::test]
async fn whole_calls_fail_as_the_upstream_does() {
    let stage = Stage::new().await;
    for (model, kind) in [
        ("status-400", UpstreamKind::Status(400)),
        ("status-401", UpstreamKind::Status(401)),
        ("status-302", UpstreamKind::Status(302)),
        ("status-500", UpstreamKind::Status(500)),
        ("reset", UpstreamKind::Reset),
        ("reset-1", UpstreamKind::Reset),
        ("cut-1", UpstreamKind::Cut),
        ("garbage-1", UpstreamKind::Garbage),
        ("error-in-200", UpstreamKind::ErrorInBody),
        ("hang", UpstreamKind::Timeout),
        ("stall-1", UpstreamKind::Timeout),
    ] {
        let error = stage.provider.call(stage.call(model, false).await).await.err().unwrap();
        assert_eq!(error.kind, kind, "{model}: {error}");
        assert_eq!(stage.upstream.received(model), 1, "{model} is sent once");
    }
}

#[tokio::test]
async fn streams_fail_as_the_upstream_does() {
    let stage = Stage::new().await;
    for (model, frames, kind) in [
        ("mock", 7, None),
        ("no-done", 7, None),
        ("pace-1", 7, None),
        ("no-usage", 6, None),
        ("reset-2", 2, Some(UpstreamKind::Reset)),
        ("cut-2", 2, Some(UpstreamKind::Cut)),
        ("end-2", 2, Some(UpstreamKind::Cut)),
        ("garbage-2", 2, Some(UpstreamKind::Garbage)),
        ("error-after-2", 2, Some(UpstreamKind::ErrorInBody)),
        ("stall-2", 2, Some(UpstreamKind::Timeout)),
        ("stall-0", 0, Some(UpstreamKind::Timeout)),
    ] {
        let Answer::Stream { frames: stream, .. } = stage.provider.call(stage.call(model, true).await).await.unwrap()
        else {
            panic!("{model}: a whole answer")
        };
        let (received, end) = collect(stream).await;
        assert_eq!((received.len(), end.map(|error| error.kind)), (frames, kind), "{model}");
    }
    for (model, kind) in [
        ("status-503", UpstreamKind::Status(503)),
        ("reset", UpstreamKind::Reset),
        ("error-in-200", UpstreamKind::ErrorInBody),
        ("hang", UpstreamKind::Timeout),
    ] {
        let error = stage.provider.call(stage.call(model, true).await).await.err().unwrap();
        assert_eq!(error.kind, kind, "{model}: {error}");
    }
}

#[tokio::test]
async fn a_refusal_says_when_to_come_back() {
    let stage = Stage::new().await;
    let error = stage.provider.call(stage.call("status-429-after-2", false).await).await.err().unwrap();
    assert_eq!((error.kind, error.retry_after), (UpstreamKind::Status(429), Some(2)));
    assert_eq!(error.message, "it failed after all, with `a prompt for status-429-after-2`");
    assert_eq!(error.request_id.as_deref(), Some("req_upstream"));
}

#[tokio::test]
async fn nobody_listening_means_nothing_was_sent() {
    let stage = Stage::new().await;
    // Bound and not listening: nobody else can take the port meanwhile.
    let socket = tokio::net::TcpSocket::new_v4().unwrap();
    socket.bind("127.0.0.1:0".parse().unwrap()).unwrap();
    let mut call = stage.call("mock", false).await;
    call.target = Some(pinned(&format!("http://{}/v1/chat/completions", socket.local_addr().unwrap())).await);
    let error = stage.provider.call(call).await.err().unwrap();
    assert_eq!(error.kind, UpstreamKind::Connect, "{error}");
}

#[tokio::test]
async fn a_name_is_dialed_at_its_checked_address() {
    let stage = Stage::new().await;
    let mut call = stage.call("mock", false).await;
    let port = stage.upstream.address().port();
    call.target = Some(pinned(&format!("http://models.example.com:{port}/v1/chat/completions")).await);
    stage.provider.call(call).await.unwrap();
    assert_eq!(stage.upstream.calls().len(), 1);
}

#[tokio::test]
async fn an_echoed_credential_is_masked() {
    let stage = Stage::new().await;
    for stream in [false, true] {
        let error = stage.provider.call(stage.call("echo-credential", stream).await).await.err().unwrap();
        assert_eq!(error.kind, UpstreamKind::Status(401));
        assert!(!error.message.contains(CREDENTIAL), "{}", error.message);
        assert!(error.message.contains(&format!("[secret:{}]", secret_id())), "{}", error.message);
    }
}

#[tokio::test]
async fn a_credential_of_another_workspace_is_never_sent() {
    let stage = Stage::new().await;
    let mut call = stage.call("mock", false).await;
    call.scope.workspace_id = WorkspaceId::from_uuid(Uuid::from_u128(99));
    let error = stage.provider.call(call).await.err().unwrap();
    assert_eq!(error.kind, UpstreamKind::Credential);
    assert!(stage.upstream.calls().is_empty());
}

#[tokio::test]
async fn dropping_a_call_closes_its_connection() {
    let stage = Stage::new().await;
    let Answer::Stream { mut frames, .. } = stage.provider.call(stage.call("pace-20", true).await).await.unwrap()
    else {
        panic!("a whole answer")
    };
    assert!(frames.next().await.unwrap().is_ok());
    drop(frames);
    let calls = stage.upstream.wait_for(|calls| calls.iter().all(|call| call.closed_at.is_some())).await;
    assert!(!calls[0].answered);

    let mut call = stage.call("hang", false).await;
    call.timeout = Duration::from_secs(600);
    let whole = stage.provider.call(call);
    tokio::select! {
        _ = whole => panic!("an answer"),
        _ = stage.upstream.wait_for(|calls| calls.len() == 2) => {}
    }
    stage.upstream.wait_for(|calls| calls.iter().all(|call| call.closed_at.is_some())).await;
    assert_eq!(stage.upstream.open(), 0);
}

/// The provider, and an upstream to call.
struct Stage {
    upstream: Upstream,
    provider: OpenaiCompatible,
    keyring: Arc<Keyring>,
}

impl Stage {
    async fn new() -> Self {
        let key = MasterKey::new("test".to_owned(), b"a master key of the test".to_vec());
        let keyring = Arc::new(Keyring::new([key]).unwrap());
        let provider = OpenaiCompatible::new(Http::new(None).unwrap(), Arc::clone(&keyring));
        Self { upstream: Upstream::start().await.unwrap(), provider, keyring }
    }

    async fn call(&self, model: &str, stream: bool) -> ModelCall {
        let sealed = self.keyring.seal(scope(), secret_id(), 1, &SecretString::new(CREDENTIAL.to_owned())).unwrap();
        ModelCall {
            scope: scope(),
            run_id: RunId::from_uuid(Uuid::from_u128(3)),
            attempt_no: 1,
            kind: ProviderKind::OpenaiCompatible,
            wire: Wire::Chat,
            upstream_model: model.to_owned(),
            body: json!({
                "model": model, "messages": [{ "role": "user", "content": format!("a prompt for {model}") }],
                "stream": stream, "stream_options": { "include_usage": true },
            }),
            stream,
            target: Some(pinned(&format!("{}/chat/completions", self.upstream.base_url())).await),
            credential: Some((secret_id(), 1, sealed)),
            timeout: Duration::from_millis(500),
            frame_timeout: Duration::from_millis(300),
        }
    }
}

fn secret_id() -> SecretId {
    SecretId::from_uuid(Uuid::from_u128(4))
}

/// The frames of an answer that holds the text.
fn frames_of(text: &str) -> BoxStream<'static, Result<Value, UpstreamError>> {
    let response = http::Response::new(text.to_owned());
    let second = Duration::from_secs(1);
    let patience = Patience { first: second, deadline: Instant::now() + second, between: second };
    stream::frames(Body::new(response.into()), Mask::default(), Notes::default(), patience)
}

/// The frames, and the error they ended with.
async fn collect(mut stream: BoxStream<'static, Result<Value, UpstreamError>>) -> (Vec<Value>, Option<UpstreamError>) {
    let mut frames = Vec::new();
    while let Some(frame) = stream.next().await {
        match frame {
            Ok(frame) => frames.push(frame),
            Err(error) => {
                assert!(stream.next().await.is_none(), "an error is the last of a stream");
                return (frames, Some(error));
            }
        }
    }
    (frames, None)
}
