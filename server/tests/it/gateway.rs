//! Model calls through the door, on the built-in provider.

use axum::body::Body;
use axum::http::header::{ALLOW, CONTENT_TYPE, HeaderName};
use axum::http::{Method, Request};
use serde_json::{Value, json};

use crate::gateway_kit::{Kit, chat, events};
use crate::util::test_app::on_both;

const ECHO: &str = "model:test:echo";

fn code(body: &Value) -> &str {
    body["error"]["code"].as_str().expect("a code in the envelope")
}

on_both! {
    async fn a_call_is_answered_recorded_and_priced(app: TestApp) {
        let kit = Kit::closed(app).await;
        let price = json!({ "match_ref": ECHO, "currency": "USD", "rates": { "input": "0.15", "output": "0.6" } });
        kit.admin.post("/api/v1/modelhub/prices", price).await.expect(201);
        let answer = kit.ask(ECHO, "hello world").await;
        let body = answer.expect(200);
        let run_id = answer.header("x-soit-run-id").to_owned();
        assert_eq!(body["id"], format!("chatcmpl-{run_id}"));
        assert_eq!(body["choices"][0]["message"]["content"], "hello world");
        assert_eq!(body["usage"], json!({ "prompt_tokens": 2, "completion_tokens": 2, "total_tokens": 4 }));
        assert_eq!(answer.header("x-soit-cost"), "USD 0.0000015");
        assert_eq!((answer.header("x-soit-model-ref"), answer.header("x-soit-attempts")), (ECHO, "1"));
        assert!(answer.header("x-request-id").starts_with("req_"));

        let run = kit.run(&run_id).await;
        assert_eq!((&run["mode"], &run["source"], &run["entry"]), (&json!("gateway"), &json!("gateway"), &json!("openai")));
        assert_eq!((&run["status"], &run["delivered"]), (&json!("succeeded"), &json!(true)));
        let costs = kit.of_run(&run_id, "costs").await;
        let [cost] = costs.as_slice() else { panic!("one cost row: {costs:?}") };
        assert_eq!(run["totals"]["cost"][0]["amount"], cost["amount"]);
        let steps = kit.of_run(&run_id, "steps").await;
        let [step] = steps.as_slice() else { panic!("one step: {steps:?}") };
        assert!(step["outbound_at"].as_str() <= step["ended_at"].as_str());

        let calls = kit.admin.get(&format!("/api/v1/test-provider/calls?run_id={run_id}")).await.expect(200);
        assert_eq!(calls["items"].as_array().expect("items").len(), 1);
        assert!(calls["items"][0]["closed_at"].is_string());
    }

    async fn a_stream_ends_with_its_mark(app: TestApp) {
        let kit = Kit::closed(app).await;
        let mut body = chat("model:test:tokens-5", "x");
        body["stream"] = json!(true);
        body["stream_options"] = json!({ "include_usage": true });
        let answer = kit.key.post("/v1/chat/completions", body).await;
        assert_eq!((answer.status, answer.header("content-type")), (200, "text/event-stream"));
        assert_eq!((answer.header("cache-control"), answer.header("x-accel-buffering")), ("no-cache", "no"));
        let events = events(&answer);
        let (end, frames) = events.split_last().expect("events");
        assert_eq!(end, "[DONE]");
        let frames: Vec<Value> = frames.iter().map(|frame| serde_json::from_str(frame).expect("JSON")).collect();
        let text: String = frames.iter().filter_map(|frame| frame["choices"][0]["delta"]["content"].as_str()).collect();
        assert_eq!(text.split_whitespace().count(), 5);
        assert_eq!(frames[0]["choices"][0]["delta"]["role"], "assistant");
        let finished = frames.iter().filter(|frame| frame["choices"][0]["finish_reason"].is_string()).count();
        assert_eq!(finished, 1);
        assert_eq!(frames.last().expect("a frame")["usage"]["completion_tokens"], 5);
        assert_eq!(kit.run_of(&answer).await["status"], "succeeded");
    }
}

on_both! {
    async fn every_way_to_send_a_credential_works(app: TestApp) {
        let kit = Kit::closed(app).await;
        let made = kit.admin.post("/api/v1/api-keys", json!({ "name": "k", "scopes": ["write"] })).await.expect(201);
        let key = made["api_key"].as_str().expect("a key");
        let anon = kit.app.anon();
        for caller in [anon.clone().bearer(key), anon.clone().header(HeaderName::from_static("x-api-key"), key)] {
            caller.post("/v1/chat/completions", chat(ECHO, "x")).await.expect(200);
        }
        let refused = anon.post("/v1/chat/completions", chat(ECHO, "x")).await;
        assert_eq!(code(&refused.expect(401)), "unauthenticated");
        assert_eq!(
            (refused.header("x-soit-run-id"), refused.json()["error"]["type"].clone()),
            ("", json!("authentication_error"))
        );
    }

    async fn each_refusal_has_the_envelope_and_a_run(app: TestApp) {
        let kit = Kit::closed(app).await;
        let reader = kit.app.key(&["read"]).await;
        let send = async |content_type: &str, body: Vec<u8>| {
            let request = Request::post("/v1/chat/completions").header(CONTENT_TYPE, content_type).body(Body::from(body));
            kit.key.send_raw(request.expect("a request")).await
        };
        let json_body = |text: &str| send("application/json", text.as_bytes().to_vec());
        let foreign = kit.key.clone().header(HeaderName::from_static("x-soit-foo"), "1");
        let many = kit.key.clone().header(HeaderName::from_static("idempotency-key"), "a b");
        let with = |change: &str, value: Value| {
            let mut body = chat(ECHO, "x");
            body[change] = value;
            kit.key.post("/v1/chat/completions", body)
        };
        for (answer, status, expected, param) in [
            (json_body("{").await, 400, "invalid_json", Value::Null),
            (json_body("[]").await, 400, "invalid_json", Value::Null),
            (json_body(r#"{"model":NaN}"#).await, 400, "invalid_json", Value::Null),
            (send("application/json", b"{\"model\":\"\xff\"}".to_vec()).await, 400, "invalid_json", Value::Null),
            (json_body(r#"{"model":"a","model":"b"}"#).await, 400, "duplicate_key", json!("model")),
            (send("text/plain", b"{}".to_vec()).await, 415, "unsupported_media_type", Value::Null),
            (send("application/json", vec![b' '; 33 * 1024 * 1024]).await, 413, "too_large", Value::Null),
            (with("model", json!("gpt-4o")).await, 404, "model_not_found", json!("model")),
            (with("model", json!("model:up:none")).await, 404, "model_not_found", json!("model")),
            (with("n", json!(9)).await, 400, "invalid", json!("n")),
            (with("temperature", json!(3)).await, 400, "invalid", json!("temperature")),
            (with("models", json!(["a"])).await, 400, "field_not_allowed", json!("models")),
            (with("tools", json!([{ "type": "web_search" }])).await, 400, "field_not_allowed", json!("tools[0].type")),
            (with("service_tier", json!("priority")).await, 422, "service_tier_not_priced", json!("service_tier")),
            (with("model", json!("model:test:embed-8")).await, 422, "model_capability_unavailable", json!("model")),
            (foreign.post("/v1/chat/completions", chat(ECHO, "x")).await, 400, "invalid", json!("x-soit-foo")),
            (
                many.post("/v1/chat/completions", chat(ECHO, "x")).await,
                400,
                "idempotency_key_invalid",
                json!("idempotency-key"),
            ),
            (reader.post("/v1/chat/completions", chat(ECHO, "x")).await, 403, "scope_required", Value::Null),
        ] {
            let body = answer.expect(status);
            assert_eq!((code(&body), &body["error"]["param"]), (expected, &param), "{body}");
            assert_eq!(answer.header("x-should-retry"), "false");
            assert_eq!(body["error"]["run_id"], answer.header("x-soit-run-id"));
            let run = kit.run_of(&answer).await;
            assert_eq!((&run["status"], &run["error"]["code"]), (&json!("failed"), &json!(expected)));
        }
    }

    async fn every_refusal_names_a_run_that_can_be_read(app: TestApp) {
        let kit = Kit::closed(app).await;
        let model = kit.model("plain").await;
        let limited = async |command: Value| {
            let made = kit.admin.post("/api/v1/api-keys", command).await.expect(201);
            kit.app.anon().bearer(made["api_key"].as_str().expect("a key"))
        };
        let one_a_day = limited(json!({ "name": "a", "scopes": ["write"], "daily_request_quota": 1 })).await;
        one_a_day.post("/v1/chat/completions", chat(ECHO, "x")).await.expect(200);
        let one_token = limited(json!({ "name": "b", "scopes": ["write"], "daily_token_quota": 1 })).await;
        let other_model = limited(json!({ "name": "c", "scopes": ["write"], "allowed_models": [model] })).await;
        let budget = json!({ "name": "All", "scope_kind": "workspace", "period": "day", "currency": "USD",
            "amount": "0.000000001", "hard_stop": true });
        let quick = kit.key.clone().header(HeaderName::from_static("x-soit-timeout-ms"), "20");
        let call = |caller: &crate::util::test_app::Caller, model: &str| {
            let (caller, body) = (caller.clone(), chat(model, "x"));
            async move { caller.post("/v1/chat/completions", body).await }
        };
        let mut answers = vec![
            (call(&kit.key, &model).await, 403, "egress_denied"),
            (call(&other_model, ECHO).await, 403, "model_not_allowed"),
            (call(&kit.key, "model:up:none").await, 404, "model_not_found"),
            (call(&one_a_day, ECHO).await, 429, "quota_exceeded"),
            (call(&one_token, ECHO).await, 429, "quota_exceeded"),
            (call(&kit.key, "model:test:error-429").await, 429, "upstream_rate_limited"),
            (call(&quick, "model:test:hang").await, 504, "timeout"),
        ];
        assert_eq!(answers[5].0.header("retry-after"), "1");
        kit.admin.post("/api/v1/billing/budgets", budget).await.expect(201);
        answers.push((call(&kit.key, &model).await, 402, "budget_exhausted"));
        kit.set_account(json!({ "status": "disabled" })).await;
        answers.push((call(&kit.key, &model).await, 409, "provider_disabled"));
        for (answer, status, expected) in answers {
            assert_eq!(code(&answer.expect(status)), expected);
            let run = kit.run_of(&answer).await;
            assert_eq!((&run["status"], &run["error"]["code"]), (&json!("failed"), &json!(expected)));
        }
    }

    async fn five_hundred_paced_streams_at_once_all_come_to_their_end(app: TestApp) {
        let kit = Kit::closed(app).await;
        let mut body = chat("model:test:pace-20", "x");
        body["stream"] = json!(true);
        let calls = (0..512).map(|_| kit.key.post("/v1/chat/completions", body.clone()));
        for answer in futures::future::join_all(calls).await {
            let events = events(&answer);
            assert_eq!((answer.status, events.last().map(String::as_str)), (200, Some("[DONE]")), "{}", answer.text);
            let words = events.iter().filter(|event| event.contains("\"content\":\" token\"")).count();
            assert!(words >= 19, "every frame arrives: {}", answer.text);
        }
        kit.quiet().await;
        let ended = kit.admin.get("/api/v1/runs?limit=1&with_total=true&status=succeeded").await.expect(200);
        let unfinished = kit.admin.get("/api/v1/runs?limit=1&with_total=true&status=running").await.expect(200);
        assert_eq!((&ended["total"], &unfinished["total"]), (&json!(512), &json!(0)));
        assert_eq!(kit.app.app.gateway.settles_deferred(), 0);
    }

    async fn paths_and_methods_that_are_not_there_say_so_in_the_envelope(app: TestApp) {
        let kit = Kit::closed(app).await;
        let lost = kit.key.post("/v1/assistants", json!({})).await;
        assert_eq!(code(&lost.expect(404)), "not_found");
        let wrong = kit.key.get("/v1/chat/completions").await;
        assert_eq!(code(&wrong.expect(405)), "method_not_allowed");
        assert_eq!(wrong.headers.get(ALLOW).map(|value| value.as_bytes()), Some(&b"POST"[..]));
        assert_eq!(wrong.header("x-soit-run-id"), "", "nobody gets a run for reading");
        for path in ["/v1", "/v1/", "/v1/nothing/here"] {
            let lost = kit.app.anon().get(path).await;
            assert_eq!((code(&lost.expect(404)), lost.header("content-type")), ("not_found", "application/json"), "{path}");
        }
        let asked = kit.key.send(Method::OPTIONS, "/v1/chat/completions", None).await;
        assert_eq!((code(&asked.expect(405)), asked.header("allow")), ("method_not_allowed", "POST"));
    }

    async fn whoever_is_known_gets_a_run_for_every_refusal_but_of_a_read(app: TestApp) {
        let kit = Kit::closed(app).await;
        let command = json!({ "name": "nowhere", "scopes": ["write"], "ip_allowlist": [] });
        let made = kit.admin.post("/api/v1/api-keys", command).await.expect(201);
        let nowhere = kit.app.anon().bearer(made["api_key"].as_str().expect("a key"));
        let workspace = HeaderName::from_static("x-workspace-id");
        let other = kit.key.clone().header(workspace.clone(), "wsp_01jz8k0000000000000000000a");
        let garbled = kit.key.clone().header(workspace, "here");
        for (answer, status, expected) in [
            (kit.key.post("/v1/assistants", json!({})).await, 404, "not_found"),
            (kit.key.send(Method::PUT, "/v1/chat/completions", None).await, 405, "method_not_allowed"),
            (nowhere.post("/v1/chat/completions", chat(ECHO, "x")).await, 403, "address_not_allowed"),
            (nowhere.post("/v1/assistants", json!({})).await, 403, "address_not_allowed"),
            (other.post("/v1/chat/completions", chat(ECHO, "x")).await, 400, "workspace_conflict"),
            (garbled.post("/v1/embeddings", json!({})).await, 400, "invalid"),
        ] {
            assert_eq!(code(&answer.expect(status)), expected);
            let run = kit.run_of(&answer).await;
            assert_eq!((&run["status"], &run["error"]["code"]), (&json!("failed"), &json!(expected)));
            assert_eq!(run["entry"], "openai");
        }
        assert_eq!(nowhere.get("/v1/models").await.header("x-soit-run-id"), "");
        let unknown = kit.app.anon().bearer("sk_made_up").post("/v1/chat/completions", chat(ECHO, "x")).await;
        assert_eq!((code(&unknown.expect(401)), unknown.header("x-soit-run-id")), ("invalid_credentials", ""));
    }

    async fn models_are_listed_and_found_by_any_spelling_of_their_id(app: TestApp) {
        let kit = Kit::closed(app).await;
        let odd = kit.model("maker/model:7b").await;
        let list = kit.key.get("/v1/models").await.expect(200);
        assert_eq!((&list["object"], &list["data"][0]["id"]), (&json!("list"), &json!(odd)));
        assert!(list["data"].as_array().expect("data").iter().any(|model| model["id"] == ECHO));
        let page = kit.key.get("/v1/models?limit=1").await.expect(200);
        assert_eq!((&page["has_more"], &page["last_id"]), (&json!(true), &json!(odd)));
        for path in ["/v1/models/model:up:maker/model:7b", "/v1/models/model%3Aup%3Amaker%2Fmodel%3A7b"] {
            let model = kit.key.get(path).await.expect(200);
            assert_eq!((&model["id"], &model["owned_by"], &model["object"]), (&json!(odd), &json!("up"), &json!("model")));
        }
        let missing = kit.key.get("/v1/models/model:up:none").await;
        assert_eq!(code(&missing.expect(404)), "model_not_found");
        assert_eq!(missing.header("x-soit-run-id"), "");
    }

    async fn embeddings_agree_in_every_form(app: TestApp) {
        let kit = Kit::closed(app).await;
        let embed = async |input: Value, format: Option<&str>| {
            let body = json!({ "model": "model:test:embed-4", "input": input, "encoding_format": format });
            kit.key.post("/v1/embeddings", body).await.expect(200)["data"].clone()
        };
        let floats = embed(json!(["hello", "world"]), None).await;
        let text = embed(json!("hello"), Some("float")).await;
        assert_eq!(floats[0]["embedding"], text[0]["embedding"]);
        // "hello" in o200k_base.
        let ids = embed(json!([[24912], [24912]]), None).await;
        assert_eq!(ids[0]["embedding"], floats[0]["embedding"]);
        let encoded = embed(json!("hello"), Some("base64")).await;
        assert!(encoded[0]["embedding"].is_string());
        let outside = json!({ "model": "model:test:embed-4", "input": [[1, 900_000_000]] });
        let refused = kit.key.post("/v1/embeddings", outside).await.expect(400);
        assert_eq!((code(&refused), &refused["error"]["param"]), ("invalid", &json!("input[0][1]")));
    }

    async fn a_limit_of_two_a_minute_refuses_the_third(app: TestApp) {
        let kit = Kit::closed(app).await;
        let command = json!({ "name": "two", "scopes": ["write"], "rate_limit_per_minute": 2 });
        let made = kit.admin.post("/api/v1/api-keys", command).await.expect(201);
        let key = kit.app.anon().bearer(made["api_key"].as_str().expect("a key"));
        for left in ["1", "0"] {
            let answer = key.post("/v1/chat/completions", chat(ECHO, "x")).await;
            answer.expect(200);
            assert_eq!(answer.header("x-ratelimit-limit-requests"), "2");
            assert_eq!(answer.header("x-ratelimit-remaining-requests"), left);
        }
        let refused = key.post("/v1/chat/completions", chat(ECHO, "x")).await;
        let body = refused.expect(429);
        assert_eq!((code(&body), &body["error"]["limit"]["name"]), ("rate_limited", &json!("requests_per_minute")));
        assert!(refused.header("retry-after").parse::<u64>().expect("whole seconds") >= 1);
        assert_eq!((refused.header("x-should-retry"), refused.header("x-ratelimit-remaining-requests")), ("true", "0"));
    }

    async fn the_test_models_fail_as_they_are_named(app: TestApp) {
        let kit = Kit::closed(app).await;
        for (model, status, expected, attempts) in [
            ("error-400", 400, "upstream_invalid_request", "1"),
            ("error-401", 502, "upstream_error", "1"),
            ("error-503", 502, "upstream_error", "3"),
            ("reset", 502, "upstream_error", "3"),
            ("error-in-200", 502, "upstream_error", "3"),
        ] {
            let answer = kit.ask(&format!("model:test:{model}"), "x").await;
            assert_eq!((code(&answer.expect(status)), answer.header("x-soit-attempts")), (expected, attempts), "{model}");
            assert_eq!(kit.run_of(&answer).await["status"], "failed");
        }
        let again = kit.ask("model:test:fail-first-1", "x").await;
        again.expect(200);
        let states: Vec<_> =
            kit.of_run(again.header("x-soit-run-id"), "steps").await.iter().map(|step| step["status"].clone()).collect();
        assert_eq!(states, ["failed", "succeeded"]);

        let dropped = kit.ask_stream("model:test:drop-3", "one two three four five").await;
        let events = events(&dropped);
        assert_eq!((dropped.status, events.len(), events.last().map(String::as_str)), (200, 5, Some("[DONE]")));
        let failed: Value = serde_json::from_str(&events[3]).expect("an error frame");
        assert_eq!(code(&failed), "upstream_error");
        assert_eq!(kit.of_run(dropped.header("x-soit-run-id"), "steps").await.len(), 1);
        assert_eq!(kit.run_of(&dropped).await["status"], "failed");
    }

    async fn headers_may_shorten_the_time_and_label_the_run(app: TestApp) {
        let kit = Kit::closed(app).await;
        let key = kit.key.clone().header(HeaderName::from_static("x-soit-timeout-ms"), "50");
        let key = key.header(HeaderName::from_static("x-soit-labels"), "team=search,env=prod");
        let answer = key.post("/v1/chat/completions", chat("model:test:slow-60000", "x")).await;
        assert_eq!(code(&answer.expect(504)), "timeout");
        assert_eq!(kit.run_of(&answer).await["labels"], json!({ "team": "search", "env": "prod" }));
        assert_eq!(kit.of_run(answer.header("x-soit-run-id"), "costs").await.len(), 1, "it was sent");
    }

    async fn a_warm_call_is_two_batches_and_no_other_query(app: TestApp) {
        let kit = Kit::closed(app).await;
        kit.ask(ECHO, "warm").await.expect(200);
        let request = Request::builder().method(Method::POST).uri("/v1/chat/completions");
        let before = kit.app.app.store.figures();
        let body = Body::from(chat(ECHO, "measured").to_string());
        let answer =
            kit.key.send_raw(request.header(CONTENT_TYPE, "application/json").body(body).expect("a request")).await;
        let after = kit.app.app.store.figures();
        answer.expect(200);
        assert_eq!(after.batches - before.batches, 2);
    }
}
