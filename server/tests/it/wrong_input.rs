//! Bodies that are wrong, in every way and at every field.

use axum::body::Body;
use axum::http::Request;
use axum::http::header::CONTENT_TYPE;
use serde_json::{Value, json};

use crate::gateway_kit::{Kit, chat};
use crate::util::test_app::{TestApp, on_both};

const ECHO: &str = "model:test:echo";

fn code(body: &Value) -> &str {
    body["error"]["code"].as_str().expect("a code in the envelope")
}

/// Bodies made from a sound one by setting the member at a pointer, and the field that each refusal names.
const WRONG_CHATS: &[(&str, &str, &str)] = &[
    ("/model", "null", "model"),
    ("/model", "\"\"", "model"),
    ("/model", "7", "model"),
    ("/messages", "null", "messages"),
    ("/messages", "[]", "messages"),
    ("/messages", "{}", "messages"),
    ("/messages", "\"hi\"", "messages"),
    ("/messages/0", "null", "messages[0]"),
    ("/messages/0", "\"hi\"", "messages[0]"),
    ("/messages/0", "{}", "messages[0].role"),
    ("/messages/0/role", "\"bot\"", "messages[0].role"),
    ("/messages/0/role", "\"tool\"", "messages[0].tool_call_id"),
    ("/messages/0/role", "5", "messages[0].role"),
    ("/messages/0/content", "null", "messages[0].content"),
    ("/messages/0/content", "5", "messages[0].content"),
    ("/messages/0/content", "{}", "messages[0].content"),
    ("/messages/0/content", "[5]", "messages[0].content[0]"),
    ("/messages/0/content", "[{}]", "messages[0].content[0].type"),
    ("/messages/0/content", "[{\"type\":\"text\",\"text\":5}]", "messages[0].content[0].text"),
    ("/messages/0/content", "[{\"type\":\"image_url\"}]", "messages[0].content[0].image_url"),
    ("/messages/0/tool_calls", "5", "messages[0].tool_calls"),
    ("/stream", "\"yes\"", "stream"),
    ("/stream", "1", "stream"),
    ("/stream_options", "{}", "stream_options"),
    ("/stream_options", "true", "stream_options"),
    ("/temperature", "3", "temperature"),
    ("/temperature", "-0.1", "temperature"),
    ("/temperature", "1e999", "temperature"),
    ("/temperature", "\"1\"", "temperature"),
    ("/top_p", "1.01", "top_p"),
    ("/presence_penalty", "2.5", "presence_penalty"),
    ("/frequency_penalty", "[]", "frequency_penalty"),
    ("/max_tokens", "0", "max_tokens"),
    ("/max_tokens", "1.5", "max_tokens"),
    ("/max_tokens", "99999999999999999999", "max_tokens"),
    ("/max_completion_tokens", "-1", "max_completion_tokens"),
    ("/n", "0", "n"),
    ("/n", "9", "n"),
    ("/n", "\"2\"", "n"),
    ("/stop", "5", "stop"),
    ("/stop", "[1]", "stop"),
    ("/stop", "[\"a\",\"b\",\"c\",\"d\",\"e\"]", "stop"),
    ("/seed", "\"7\"", "seed"),
    ("/seed", "0.5", "seed"),
    ("/logprobs", "3", "logprobs"),
    ("/top_logprobs", "21", "top_logprobs"),
    ("/logit_bias", "[]", "logit_bias"),
    ("/user", "{}", "user"),
    ("/metadata", "\"x\"", "metadata"),
    ("/store", "\"no\"", "store"),
    ("/parallel_tool_calls", "0", "parallel_tool_calls"),
    ("/tools", "{}", "tools"),
    ("/tools", "[5]", "tools[0]"),
    ("/tools", "[{\"type\":\"function\"}]", "tools[0].function"),
    ("/tools", "[{\"type\":\"custom\",\"custom\":{\"name\":\"\"}}]", "tools[0].custom.name"),
    ("/tool_choice", "5", "tool_choice"),
    ("/response_format", "\"json\"", "response_format"),
    ("/response_format", "{}", "response_format.type"),
];

const WRONG_EMBEDDINGS: &[(&str, &str, &str)] = &[
    ("/model", "[]", "model"),
    ("/input", "null", "input"),
    ("/input", "\"\"", "input"),
    ("/input", "[]", "input"),
    ("/input", "{}", "input"),
    ("/input", "[\"a\",\"\"]", "input[1]"),
    ("/input", "[\"a\",5]", "input[1]"),
    ("/input", "[\"a\",null]", "input[1]"),
    ("/input", "[1,-1]", "input[1]"),
    ("/input", "[1,1.5]", "input[1]"),
    ("/input", "[[1],[4294967296]]", "input[1][0]"),
    ("/input", "[[1],[]]", "input[1]"),
    ("/input", "[[1],\"a\"]", "input[1]"),
    ("/encoding_format", "\"hex\"", "encoding_format"),
    ("/encoding_format", "5", "encoding_format"),
    ("/dimensions", "0", "dimensions"),
    ("/dimensions", "\"8\"", "dimensions"),
];

on_both! {
    async fn wrong_input_of_every_kind_is_a_400_that_names_the_field(app: TestApp) {
        let kit = Kit::closed(app).await;
        let embedding = json!({ "model": "model:test:embed-8", "input": ["a"] });
        for (path, sound, wrong) in
            [("/v1/chat/completions", chat(ECHO, "x"), WRONG_CHATS), ("/v1/embeddings", embedding, WRONG_EMBEDDINGS)]
        {
            kit.key.post(path, sound.clone()).await.expect(200);
            for (pointer, value, field) in wrong {
                let mut body = sound.clone();
                let (parent, name) = pointer.rsplit_once('/').expect("a pointer");
                let parent = body.pointer_mut(parent).expect("its place");
                let value: Value = serde_json::from_str(value).expect("JSON");
                match parent {
                    Value::Array(items) => items[0] = value,
                    parent => parent[name] = value,
                }
                let answer = kit.key.post(path, body.clone()).await;
                let refused = answer.expect(400);
                assert_eq!((code(&refused), &refused["error"]["param"]), ("invalid", &json!(field)), "{body}");
                assert_eq!(refused["error"]["type"], "invalid_request_error");
            }
        }
        assert!(kit.upstream.calls().is_empty());
        assert_eq!(kit.app.app.gateway.calls_in_flight(), 0);
    }

    async fn a_body_may_be_128_deep_and_no_deeper(app: TestApp) {
        let kit = Kit::closed(app).await;
        let send = async |depth: usize| {
            let (open, close) = ("[".repeat(depth - 1), "]".repeat(depth - 1));
            let message = r#"{"role":"user","content":"x"}"#;
            let body = format!(r#"{{"model":"{ECHO}","messages":[{message}],"vendor":{open}{close}}}"#);
            let request = Request::post("/v1/chat/completions").header(CONTENT_TYPE, "application/json");
            kit.key.send_raw(request.body(Body::from(body)).expect("a request")).await
        };
        send(128).await.expect(200);
        for depth in [129, 10_000] {
            let refused = send(depth).await.expect(400);
            assert_eq!(code(&refused), "invalid_json");
            assert!(refused["error"]["message"].as_str().is_some_and(|text| text.contains("deeper than 128")), "{refused}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_body_that_is_too_large_is_told_how_much_its_path_takes() {
    let kit = Kit::closed(TestApp::sqlite().await).await;
    for (path, bytes, most) in
        [("/v1/chat/completions", 33 << 20, "32 MiB"), ("/api/v1/billing/budgets", 65 << 10, "64 KiB")]
    {
        let request = Request::post(path).header(CONTENT_TYPE, "application/json");
        let answer = kit.admin.send_raw(request.body(Body::from(vec![b' '; bytes])).expect("a request")).await;
        let refused = answer.expect(413);
        let text = refused["detail"].as_str().or(refused["error"]["message"].as_str()).expect("a text");
        assert!(text.contains(most) && text.contains("send less"), "{refused}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_library_cannot_read_is_told_in_plain_words() {
    let app = TestApp::sqlite().await;
    let admin = app.admin().await;
    let number = "must be a whole number, 0 or more";
    let run = admin.post("/v1/chat/completions", chat("model:test:echo", "hi")).await;
    let run = format!("/api/v1/runs/{}", run.header("x-soit-run-id"));
    for (path, told) in [
        (&*format!("{run}/events?after=-1"), number),
        (&format!("{run}/stream?after=-1"), number),
        ("/api/v1/runs?limit=many", number),
        ("/api/v1/runs?started_from=yesterday", "must be a time like `2026-01-15T12:00:00Z`"),
        ("/api/v1/runs?with_total=yes", "must be `true` or `false`"),
        ("/api/v1/modelhub/prices?limit=many", number),
        ("/api/v1/modelhub/prices?limit=1&colour=red", "is no parameter of this route"),
    ] {
        let refused = admin.get(path).await.expect(400);
        assert_eq!(refused["errors"][0]["message"], told, "{path}");
    }
    for (body, field, told) in [
        (json!({}), "name", "is required"),
        (json!({ "name": "x", "thresholds": 5 }), "thresholds", "must be a list"),
        (json!({ "name": "x", "hard_stop": "yes" }), "hard_stop", "must be `true` or `false`"),
    ] {
        let refused = admin.post("/api/v1/billing/budgets", body).await.expect(400);
        assert_eq!((&refused["errors"][0]["field"], &refused["errors"][0]["message"]), (&json!(field), &json!(told)));
    }
}
