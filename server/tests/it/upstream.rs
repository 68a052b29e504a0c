//! A real provider on loopback, with every fault: the client gets the right answer, the ledger the truth.

use std::time::Duration;

use axum::body::Body;
use axum::http::header::CONTENT_TYPE;
use axum::http::{Method, Request};
use futures::StreamExt;
use serde_json::{Value, json};
use testkit::upstream::Call;

use crate::gateway_kit::{CANARY, Kit, chat, events};
use crate::util::test_app::on_both;

fn code(text: &str) -> String {
    let body: Value = serde_json::from_str(text).expect("JSON");
    body["error"]["code"].as_str().expect("a code").to_owned()
}

on_both! {
    async fn the_body_arrives_as_it_was_sent_with_the_accounts_credential(app: TestApp) {
        let kit = Kit::new(app).await;
        let model = kit.model("plain").await;
        let text = format!(
            r#"{{"vendor":{{"z":[1.0,12345678901234567890123],"a":null}},"model":"{model}","messages":[{{"role":"user","content":"hi"}}],"seed":7}}"#
        );
        let request = Request::post("/v1/chat/completions").header(CONTENT_TYPE, "application/json");
        kit.key.send_raw(request.body(Body::from(text.clone())).expect("a request")).await.expect(200);
        let calls = kit.upstream.calls();
        let [call] = calls.as_slice() else { panic!("one call: {calls:?}") };
        assert_eq!(call.text, text.replace(&model, "plain"));
        assert_eq!(call.authorization.as_deref(), Some(format!("Bearer {CANARY}").as_str()));
        assert_eq!(call.path, "/v1/chat/completions");
    }

    async fn each_fault_of_a_whole_call_has_its_answer(app: TestApp) {
        let kit = Kit::new(app).await;
        kit.set_account(json!({ "max_retries": 0, "timeout_ms": 1000 })).await;
        for (fault, status, expected, costs) in [
            ("status-400", 400, "upstream_invalid_request", 0),
            ("status-401", 502, "upstream_error", 0),
            ("status-404", 400, "upstream_invalid_request", 0),
            ("status-429-after-7", 429, "upstream_rate_limited", 0),
            ("status-500", 502, "upstream_error", 0),
            ("hang", 504, "timeout", 1),
            ("reset", 502, "upstream_error", 1),
            ("cut-1", 502, "upstream_error", 1),
            ("garbage-1", 502, "upstream_error", 1),
            ("error-in-200", 502, "upstream_error", 0),
        ] {
            let model = kit.model(fault).await;
            let answer = kit.ask(&model, fault).await;
            assert_eq!((answer.status, code(&answer.text).as_str()), (status, expected), "{fault}: {}", answer.text);
            if fault == "status-429-after-7" {
                assert_eq!(answer.header("retry-after"), "7");
            }
            let run = kit.run_of(&answer).await;
            assert_eq!((&run["status"], &run["error"]["code"]), (&json!("failed"), &json!(expected)), "{fault}");
            let rows = kit.of_run(answer.header("x-soit-run-id"), "costs").await;
            assert_eq!(rows.len(), costs, "{fault}");
            assert!(rows.iter().all(|row| row["pricing_status"] == "estimated"), "{fault}");
        }
        kit.upstream.wait_for(|calls| calls.iter().all(|call| call.closed_at.is_some())).await;
    }

    async fn a_call_is_tried_again_whatever_its_owner_does_to_the_workspace_meanwhile(app: TestApp) {
        let kit = Kit::new(app).await;
        kit.set_account(json!({ "max_retries": 1 })).await;
        for (change, fault, status) in [("name", "status-429-after-1", 429), ("rules", "status-503-after-1", 502)] {
            let before = kit.upstream.calls().len();
            let model = kit.model(fault).await;
            let (answer, ()) = tokio::join!(kit.ask(&model, "again"), async {
                let ended = |calls: &[Call]| calls.len() > before && calls.iter().all(|call| call.closed_at.is_some());
                kit.upstream.wait_for(ended).await;
                if change == "name" {
                    kit.admin.send(Method::PATCH, "/api/v1/me", Some(json!({ "name": "Ada" }))).await.expect(200);
                } else {
                    kit.model("another").await;
                }
            });
            assert_eq!((answer.status, kit.upstream.calls().len()), (status, before + 2), "{change}: {}", answer.text);
            assert_eq!(kit.of_run(answer.header("x-soit-run-id"), "steps").await.len(), 2, "{change}");
        }
    }

    async fn each_fault_in_the_middle_of_a_stream_is_told_in_the_stream(app: TestApp) {
        let kit = Kit::new(app).await;
        for fault in ["reset-2", "cut-2", "end-2", "garbage-2", "error-after-2"] {
            let model = kit.model(fault).await;
            let answer = kit.ask_stream(&model, fault).await;
            let events = events(&answer);
            assert_eq!((answer.status, events.last().map(String::as_str)), (200, Some("[DONE]")), "{fault}");
            assert_eq!(code(&events[events.len() - 2]), "upstream_error", "{fault}");
            let run = kit.run_of(&answer).await;
            assert_eq!(run["status"], "failed", "{fault}");
            let run_id = answer.header("x-soit-run-id");
            assert_eq!(
                (kit.of_run(run_id, "steps").await.len(), kit.of_run(run_id, "costs").await.len()),
                (1, 1),
                "{fault}"
            );
        }
    }

    async fn a_stream_that_falls_silent_ends_when_its_time_is_over(app: TestApp) {
        let kit = Kit::new(app).await;
        let key = kit.key.clone().header(http::HeaderName::from_static("x-soit-timeout-ms"), "700");
        for (fault, status) in [("stall-2", 200), ("hang", 504), ("stall-0", 504)] {
            let mut body = chat(&kit.model(fault).await, fault);
            body["stream"] = json!(true);
            let answer = key.post("/v1/chat/completions", body).await;
            let told = if status == 200 { events(&answer)[2].clone() } else { answer.text.clone() };
            assert_eq!((answer.status, code(&told).as_str()), (status, "timeout"), "{fault}: {}", answer.text);
            let run = kit.run_of(&answer).await;
            assert_eq!((&run["status"], &run["error"]["code"]), (&json!("failed"), &json!("timeout")), "{fault}");
            let costs = kit.of_run(answer.header("x-soit-run-id"), "costs").await;
            assert_eq!((costs.len(), &costs[0]["pricing_status"]), (1, &json!("estimated")), "{fault}: it was sent");
        }
        kit.upstream.wait_for(|calls| calls.iter().all(|call| call.closed_at.is_some())).await;
        kit.quiet().await;
    }

    async fn what_is_missing_but_harmless_is_forgiven(app: TestApp) {
        let kit = Kit::new(app).await;
        let no_done = kit.model("no-done").await;
        let answer = kit.ask_stream(&no_done, "x").await;
        assert_eq!(kit.run_of(&answer).await["status"], "succeeded");
        for (fault, flags) in [("no-usage", json!([])), ("wrong-usage", json!(["usage_inconsistent"]))] {
            let model = kit.model(fault).await;
            let answer = kit.ask(&model, "x").await;
            answer.expect(200);
            assert_eq!(kit.run_of(&answer).await["flags"], flags, "{fault}");
            let costs = kit.of_run(answer.header("x-soit-run-id"), "costs").await;
            assert_eq!((&costs[0]["pricing_status"], costs.len()), (&json!("estimated"), 1), "{fault}");
        }
    }

    async fn a_failure_that_passes_is_tried_again(app: TestApp) {
        let kit = Kit::new(app).await;
        let model = kit.model("fail-first-2").await;
        let answer = kit.ask(&model, "x").await;
        answer.expect(200);
        assert_eq!((answer.header("x-soit-attempts"), kit.upstream.received("x")), ("3", 3));
        assert_eq!(kit.of_run(answer.header("x-soit-run-id"), "costs").await.len(), 1);
    }

    async fn a_credential_a_provider_repeats_is_masked(app: TestApp) {
        let kit = Kit::new(app).await;
        let model = kit.model("echo-credential").await;
        let answer = kit.ask(&model, "x").await;
        assert_eq!(answer.status, 502);
        let run_id = answer.header("x-soit-run-id");
        for text in [
            answer.text.clone(),
            kit.run(run_id).await.to_string(),
            json!(kit.of_run(run_id, "steps").await).to_string(),
            kit.admin.get("/api/v1/modelhub/providers").await.text,
        ] {
            assert!(!text.contains(CANARY), "{text}");
        }
    }

    async fn who_hangs_up_closes_the_upstream_within_a_second(app: TestApp) {
        let kit = Kit::new(app).await;
        let model = kit.model("pace-100").await;
        let mut body = chat(&model, "one two three four five six seven eight nine ten");
        body["stream"] = json!(true);
        let mut stream = kit.key.open("/v1/chat/completions", body).await;
        stream.next().await.expect("a first frame").expect("bytes");
        drop(stream);
        let left = std::time::Instant::now();
        let calls = kit.upstream.wait_for(|calls| calls.iter().all(|call| call.closed_at.is_some())).await;
        let closed = calls[0].closed_at.expect("closed");
        assert!(closed.saturating_duration_since(left) < Duration::from_secs(1));
        kit.quiet().await;
        let runs = kit.runs().await;
        let run = &runs[0];
        assert_eq!((&run["error"]["code"], &run["delivered"]), (&json!("client_disconnected"), &json!(false)));
        let run_id = run["id"].as_str().expect("an id");
        let steps = kit.of_run(run_id, "steps").await;
        assert_eq!((&steps[0]["status"], &steps[0]["error"]["code"]), (&json!("canceled"), &json!("stream_abandoned")));
        let costs = kit.of_run(run_id, "costs").await;
        assert_eq!((costs.len(), &costs[0]["pricing_status"]), (1, &json!("estimated")));
    }

    async fn embeddings_go_out_and_come_back(app: TestApp) {
        let kit = Kit::new(app).await;
        let model = kit.model("embed").await;
        let body = json!({ "model": model, "input": ["a", "b"], "encoding_format": "base64" });
        let answer = kit.key.post("/v1/embeddings", body).await;
        let data = answer.expect(200)["data"].clone();
        assert_eq!(data.as_array().expect("data").len(), 2);
        assert!(data[0]["embedding"].is_string());
        assert_eq!(kit.upstream.calls()[0].path, "/v1/embeddings");
        assert_eq!(kit.of_run(answer.header("x-soit-run-id"), "steps").await[0]["type"], "embedding");
    }
}
