//! Every model of the test provider, whole and streamed.

use std::sync::Arc;
use std::time::Duration;

use chrono::{DateTime, TimeZone, Utc};
use futures::StreamExt;
use futures::future::BoxFuture;
use kernel::context::Scope;
use kernel::port::{Answer, BuiltinModels, Clock, ModelCall, Tokenizer, UpstreamError, UpstreamKind, Wire};
use serde_json::{Value, json};
use types::id::{RunId, TenantId, Uuid, WorkspaceId};
use types::modelhub::{Capability, ProviderKind};

use super::TestProvider;
use crate::tokenizer::Tiktoken;

fn provider() -> TestProvider {
    TestProvider::new(Arc::new(PausedClock))
}

fn scope(workspace: u128) -> Scope {
    Scope {
        tenant_id: TenantId::from_uuid(Uuid::from_u128(1)),
        workspace_id: WorkspaceId::from_uuid(Uuid::from_u128(workspace)),
    }
}

fn run_id() -> RunId {
    RunId::from_uuid(Uuid::from_u128(7))
}

fn call(model: &str, body: Value) -> ModelCall {
    ModelCall {
        scope: scope(2),
        run_id: run_id(),
        attempt_no: 1,
        kind: ProviderKind::Test,
        wire: if model.starts_with("embed-") { Wire::Embeddings } else { Wire::Chat },
        upstream_model: model.to_owned(),
        stream: body.get("stream") == Some(&json!(true)),
        body,
        target: None,
        credential: None,
        timeout: Duration::from_secs(30),
        frame_timeout: Duration::from_secs(30),
    }
}

fn ask(text: &str) -> Value {
    json!({ "messages": [{ "role": "system", "content": "Be brief." }, { "role": "user", "content": text }] })
}

fn with(mut body: Value, more: Value) -> Value {
    let (Value::Object(fields), Value::Object(more)) = (&mut body, more) else { panic!("objects") };
    fields.extend(more);
    body
}

async fn whole(model: &str, body: Value) -> Result<Value, UpstreamError> {
    match provider().call(call(model, body)).await? {
        Answer::Whole { body, .. } => Ok(body),
        Answer::Stream { .. } => panic!("a stream"),
    }
}

async fn streamed(model: &str, body: Value) -> (Vec<Value>, Option<UpstreamError>) {
    let body = with(body, json!({ "stream": true, "stream_options": { "include_usage": true } }));
    let Answer::Stream { mut frames, .. } = provider().call(call(model, body)).await.unwrap() else { panic!("whole") };
    let mut received = Vec::new();
    while let Some(frame) = frames.next().await {
        match frame {
            Ok(frame) => received.push(frame),
            Err(error) => return (received, Some(error)),
        }
    }
    (received, None)
}

fn content(body: &Value) -> &str {
    body.pointer("/choices/0/message/content").and_then(Value::as_str).unwrap_or_default()
}

/// What the frames say together.
fn joined(frames: &[Value]) -> String {
    frames.iter().filter_map(|frame| frame.pointer("/choices/0/delta/content")?.as_str()).collect()
}

#[tokio::test]
async fn the_same_question_gets_the_same_answer_in_both_forms() {
    for text in ["hello", "", "Grüße,  zwei Räume\nund 👋 mehr ", "a b c d e f g"] {
        let body = whole("echo", ask(text)).await.unwrap();
        assert_eq!(content(&body), text);
        assert_eq!(body, whole("echo", ask(text)).await.unwrap());
        let (frames, end) = streamed("echo", ask(text)).await;
        assert!(end.is_none());
        assert_eq!(joined(&frames), text);
        assert_eq!(frames[0].pointer("/choices/0/delta/role"), Some(&json!("assistant")));
        assert_eq!(frames.last().unwrap().get("usage"), body.get("usage"));
    }
}

#[tokio::test]
async fn usage_is_what_the_public_tokenizer_counts() {
    let body = whole("echo", ask("one two three")).await.unwrap();
    let count = async |texts: &[&str]| {
        let texts: Vec<String> = texts.iter().map(|text| (*text).to_owned()).collect();
        Tiktoken.count("gpt-4o", &texts).await
    };
    let (input, output) = (count(&["Be brief.", "one two three"]).await, count(&["one two three"]).await);
    let expected = json!({ "prompt_tokens": input, "completion_tokens": output, "total_tokens": input + output });
    assert_eq!(body.get("usage"), Some(&expected));
    assert_eq!(whole("no-usage", ask("hello")).await.unwrap().get("usage"), None);
    assert!(streamed("no-usage", ask("hello")).await.0.iter().all(|frame| frame.get("usage").is_none()));
}

#[tokio::test]
async fn long_answers_have_so_many_tokens() {
    for count in [0, 1, 7, 1000] {
        let body = whole(&format!("tokens-{count}"), ask("go")).await.unwrap();
        assert_eq!(body.pointer("/usage/completion_tokens"), Some(&json!(count)));
    }
}

#[tokio::test]
async fn an_answer_ends_in_front_of_what_stops_it() {
    for (stop, said) in [
        (json!("three"), "one two "),
        (json!(["four", "two"]), "one "),
        (json!(["five"]), "one two three four"),
        (json!("one"), ""),
        (json!([""]), "one two three four"),
    ] {
        let asked = with(ask("one two three four"), json!({ "stop": stop }));
        let body = whole("echo", asked.clone()).await.unwrap();
        assert_eq!(body.pointer("/choices/0/message/content"), Some(&json!(said)), "{stop}");
        assert_eq!(body.pointer("/choices/0/finish_reason"), Some(&json!("stop")), "{stop}");
        let (frames, end) = streamed("echo", asked).await;
        assert_eq!((joined(&frames).as_str(), end.is_none()), (said, true), "{stop}");
    }
}

#[tokio::test]
async fn the_output_cap_holds_unless_ignored() {
    let capped = with(ask("go"), json!({ "max_tokens": 100, "max_completion_tokens": 5 }));
    let body = whole("tokens-50", capped.clone()).await.unwrap();
    assert_eq!(body.pointer("/usage/completion_tokens"), Some(&json!(5)));
    assert_eq!(body.pointer("/choices/0/finish_reason"), Some(&json!("length")));
    let body = whole("over-cap", capped).await.unwrap();
    assert_eq!(body.pointer("/usage/completion_tokens"), Some(&json!(205)));
}

#[tokio::test]
async fn several_choices_are_answered() {
    let body = with(ask("hello"), json!({ "n": 3 }));
    let answer = whole("echo", body.clone()).await.unwrap();
    assert_eq!(answer.get("choices").and_then(Value::as_array).map(Vec::len), Some(3));
    let (frames, _) = streamed("echo", body).await;
    let finished = frames.iter().filter(|frame| frame.pointer("/choices/0/finish_reason") == Some(&json!("stop")));
    assert_eq!(finished.count(), 3);
}

#[tokio::test(start_paused = true)]
async fn faults_come_as_their_name_says() {
    for (model, kind) in [
        ("error-400", UpstreamKind::Status(400)),
        ("error-503", UpstreamKind::Status(503)),
        ("fail-first-1", UpstreamKind::Status(503)),
        ("hang", UpstreamKind::Timeout),
        ("slow-60000", UpstreamKind::Timeout),
        ("reset", UpstreamKind::Reset),
        ("drop-3", UpstreamKind::Cut),
        ("badframe-3", UpstreamKind::Garbage),
        ("error-in-200", UpstreamKind::ErrorInBody),
        ("embed-8", UpstreamKind::Status(400)),
        ("nobody", UpstreamKind::Status(404)),
    ] {
        assert_eq!(whole(model, ask("hello")).await.unwrap_err().kind, kind, "{model}");
    }
    for (model, kind) in [("drop-3", UpstreamKind::Cut), ("badframe-3", UpstreamKind::Garbage)] {
        let (frames, end) = streamed(model, ask("hello")).await;
        assert_eq!((frames.len(), end.map(|error| error.kind)), (3, Some(kind)), "{model}");
        assert_eq!(joined(&frames), "token token token", "{model}");
    }
    let (frames, end) = streamed("pace-60000", ask("hello")).await;
    assert_eq!((frames.len(), end.map(|error| error.kind)), (0, Some(UpstreamKind::Timeout)));
}

#[tokio::test]
async fn the_first_attempts_fail() {
    let provider = provider();
    for (attempt_no, fails) in [(1, true), (2, true), (3, false)] {
        let answer = provider.call(ModelCall { attempt_no, ..call("fail-first-2", ask("hello")) }).await;
        assert_eq!(answer.is_err(), fails, "attempt {attempt_no}");
    }
}

#[tokio::test(start_paused = true)]
async fn slow_and_paced_answers_take_their_time() {
    let started = tokio::time::Instant::now();
    whole("slow-2000", ask("hello")).await.unwrap();
    assert_eq!(started.elapsed().as_secs(), 2);
    let started = tokio::time::Instant::now();
    let (frames, _) = streamed("pace-100", ask("hello")).await;
    assert_eq!(started.elapsed().as_millis() / 100, frames.len() as u128);
}

#[tokio::test]
async fn tools_are_called_and_their_results_told() {
    let tool = |name: &str| {
        let parameters =
            json!({ "type": "object", "required": ["city"], "properties": { "city": { "type": "string" } } });
        json!({ "type": "function", "function": { "name": name, "parameters": parameters } })
    };
    let offered = with(ask("weather?"), json!({ "tools": [tool("weather"), tool("time")] }));
    let names = |body: &Value| -> Vec<String> {
        let calls =
            body.pointer("/choices/0/message/tool_calls").and_then(Value::as_array).cloned().unwrap_or_default();
        calls.iter().filter_map(|call| call.pointer("/function/name")?.as_str().map(str::to_owned)).collect()
    };
    let body = whole("tool", offered.clone()).await.unwrap();
    assert_eq!(names(&body), ["weather", "time"]);
    assert_eq!(body.pointer("/choices/0/finish_reason"), Some(&json!("tool_calls")));
    assert_eq!(body.pointer("/choices/0/message/content"), Some(&Value::Null));
    let offered = with(offered, json!({ "parallel_tool_calls": false }));
    assert_eq!(names(&whole("tool", offered.clone()).await.unwrap()), ["weather"]);
    let demanded = json!({ "tool_choice": { "type": "function", "function": { "name": "time" } } });
    assert_eq!(names(&whole("tool", with(offered.clone(), demanded)).await.unwrap()), ["time"]);
    let body = whole("tool", with(offered.clone(), json!({ "tool_choice": "none" }))).await.unwrap();
    assert_eq!(content(&body), "no tool was offered");

    let (frames, _) = streamed("tool", offered).await;
    let arguments: String = frames
        .iter()
        .filter_map(|frame| frame.pointer("/choices/0/delta/tool_calls/0/function/arguments")?.as_str())
        .collect();
    assert_eq!(arguments, r#"{"city":"text"}"#);

    let answered = json!({ "messages": [
        { "role": "user", "content": "weather?" },
        { "role": "assistant", "content": null, "tool_calls": [] },
        { "role": "tool", "tool_call_id": "a", "content": "12 °C" },
    ] });
    assert_eq!(content(&whole("tool", answered).await.unwrap()), "12 °C");
}

#[tokio::test]
async fn json_is_answered_where_it_is_demanded() {
    let schema = json!({ "type": "object", "required": ["name"], "properties": { "name": { "type": "string" } } });
    let format =
        json!({ "response_format": { "type": "json_schema", "json_schema": { "name": "x", "schema": schema } } });
    let body = whole("echo", with(ask("who?"), format.clone())).await.unwrap();
    assert_eq!(content(&body), r#"{"name":"text"}"#);
    let body = whole("echo", with(ask(r#"{"name":"Ada"}"#), format)).await.unwrap();
    assert_eq!(content(&body), r#"{"name":"Ada"}"#);
}

#[tokio::test]
async fn a_script_is_followed_turn_by_turn() {
    let script = json!({ "turns": [
        { "tool_calls": [{ "name": "weather", "arguments": { "city": "Bern" } }] },
        { "text": "12 °C", "usage": { "prompt_tokens": 1, "completion_tokens": 2, "total_tokens": 3 } },
        { "error": 429 },
    ] });
    let conversation = |spoken: usize| {
        let mut messages = vec![
            json!({ "role": "system", "content": script.to_string() }),
            json!({ "role": "user", "content": "go" }),
        ];
        messages.extend((0..spoken).map(|_| json!({ "role": "assistant", "content": "…" })));
        json!({ "messages": messages })
    };
    let body = whole("script", conversation(0)).await.unwrap();
    assert_eq!(body.pointer("/choices/0/message/tool_calls/0/function/arguments"), Some(&json!(r#"{"city":"Bern"}"#)));
    let body = whole("script", conversation(1)).await.unwrap();
    assert_eq!((content(&body), body.pointer("/usage/total_tokens")), ("12 °C", Some(&json!(3))));
    let refused = whole("script", conversation(2)).await.unwrap_err();
    assert_eq!((refused.kind, refused.retry_after), (UpstreamKind::Status(429), Some(1)));
    let error = whole("script", conversation(3)).await.unwrap_err();
    assert_eq!(
        (error.kind, error.message.as_str()),
        (UpstreamKind::Status(400), "the script has 3 turns and the assistant has spoken 3 times")
    );
    let error = whole("script", ask("no script")).await.unwrap_err();
    assert!(error.message.starts_with("the system message is no script"), "{error}");
}

#[tokio::test]
async fn vectors_depend_on_the_text_alone() {
    let vectors = |body: Value| -> Vec<Vec<f64>> {
        let numbers = |entry: &Value| entry["embedding"].as_array().unwrap().iter().filter_map(Value::as_f64).collect();
        body["data"].as_array().unwrap().iter().map(numbers).collect()
    };
    let texts = vectors(whole("embed-8", json!({ "input": ["hello world", "other"] })).await.unwrap());
    assert!(texts[0].len() == 8 && texts[0] != texts[1]);
    assert!((texts[0].iter().map(|number| number * number).sum::<f64>() - 1.0).abs() < 1e-5);
    let one = vectors(whole("embed-8", json!({ "input": "hello world" })).await.unwrap());
    // The ids of the same text.
    let ids = vectors(whole("embed-8", json!({ "input": [24912, 2375] })).await.unwrap());
    let list = vectors(whole("embed-8", json!({ "input": [[24912, 2375]] })).await.unwrap());
    assert!(one[0] == texts[0] && ids[0] == texts[0] && list[0] == texts[0]);
    let short = vectors(whole("embed-8", json!({ "input": "hello world", "dimensions": 3 })).await.unwrap());
    assert_eq!(short[0].len(), 3);
    for wrong in [
        json!({}),
        json!({ "input": [] }),
        json!({ "input": 7 }),
        json!({ "input": [[200_000]] }),
        json!({ "input": ["a", []] }),
        json!({ "input": "a", "dimensions": 9 }),
    ] {
        assert_eq!(whole("embed-8", wrong.clone()).await.unwrap_err().kind, UpstreamKind::Status(400), "{wrong}");
    }
}

#[tokio::test]
async fn both_encodings_of_a_vector_agree() {
    use base64::Engine;

    let floats = whole("embed-16", json!({ "input": "hello" })).await.unwrap();
    let text = whole("embed-16", json!({ "input": "hello", "encoding_format": "base64" })).await.unwrap();
    let bytes =
        base64::engine::general_purpose::STANDARD.decode(text["data"][0]["embedding"].as_str().unwrap()).unwrap();
    let decoded: Vec<Value> =
        bytes.as_chunks::<4>().0.iter().map(|bytes| Value::from(f32::from_le_bytes(*bytes))).collect();
    assert_eq!(floats["data"][0]["embedding"], Value::from(decoded));
}

#[tokio::test]
async fn calls_are_remembered_with_their_end() {
    let provider = provider();
    let body = with(ask("hello"), json!({ "stream": true }));
    let Answer::Stream { mut frames, .. } = provider.call(call("tokens-9", body.clone())).await.unwrap() else {
        panic!("whole")
    };
    frames.next().await;
    let ends = |provider: &TestProvider| -> Vec<(bool, bool)> {
        let calls = provider.calls(scope(2), Some(run_id()));
        calls.iter().map(|call| (call.closed_at.is_some(), call.completed)).collect()
    };
    assert_eq!(ends(&provider), [(false, false)]);
    drop(frames);
    provider.call(call("echo", ask("again"))).await.unwrap();
    let failed = provider.call(call("reset", ask("again"))).await;
    assert!(failed.is_err());
    assert_eq!(ends(&provider), [(true, false), (true, true), (true, false)]);
    let calls = provider.calls(scope(2), Some(run_id()));
    assert_eq!((calls[0].model.as_str(), calls[0].body.as_deref()), ("tokens-9", Some(&body)));
    assert!(provider.calls(scope(3), None).is_empty());
}

#[tokio::test]
async fn only_the_latest_calls_are_remembered() {
    let provider = provider();
    let first = call("tokens-2", with(ask("hello"), json!({ "stream": true })));
    let Answer::Stream { frames, .. } = provider.call(first).await.unwrap() else { panic!("whole") };
    for _ in 0..1000 {
        assert!(provider.call(call("error-500", ask("hello"))).await.is_err());
    }
    drop(frames);
    let calls = provider.calls(scope(2), Some(run_id()));
    assert_eq!(calls.len(), 1000);
    assert!(calls.iter().all(|call| call.model == "error-500" && call.closed_at.is_some()));
}

#[test]
fn names_have_their_capabilities() {
    let provider = provider();
    assert_eq!(provider.find("embed-8").unwrap().capabilities, [Capability::Embedding]);
    assert!(provider.find("echo").unwrap().capabilities.contains(&Capability::Chat));
    assert_eq!(provider.find("gpt-4o"), None);
}

/// A clock whose time stands still and whose waits are those of the runtime.
struct PausedClock;

impl Clock for PausedClock {
    fn now(&self) -> DateTime<Utc> {
        Utc.timestamp_opt(1_700_000_000, 0).single().expect("a time")
    }

    fn monotonic(&self) -> Duration {
        Duration::ZERO
    }

    fn sleep(&self, duration: Duration) -> BoxFuture<'static, ()> {
        Box::pin(tokio::time::sleep(duration))
    }
}
