//! Two runs side by side, what people say of runs, and traces: through their routes.

use opentelemetry_proto::tonic::collector::trace::v1::ExportTraceServiceRequest;
use opentelemetry_proto::tonic::trace::v1::Span;
use opentelemetry_proto::tonic::trace::v1::span::SpanKind;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use testkit::sample::{self, Sample};
use types::identity::Role;

use crate::identity::people::{at_console, first_home, new_member};
use crate::util::test_app::{Answer, Caller, on_both};

const CANARY: &str = "canary-5d21-prompt";

async fn call(caller: &Caller, model: &str, prompt: &str) -> Answer {
    let messages = json!([{ "role": "user", "content": prompt }]);
    caller.post("/v1/chat/completions", json!({ "model": model, "messages": messages })).await
}

async fn run(caller: &Caller, model: &str, prompt: &str) -> String {
    call(caller, model, prompt).await.header("x-soit-run-id").to_owned()
}

async fn priced(admin: &Caller) {
    let price = json!({ "match_ref": "model:test:*", "currency": "USD", "rates": { "input": "1", "output": "1" } });
    admin.post("/api/v1/modelhub/prices", price).await.expect(201);
}

fn spans(document: &Value) -> Vec<Span> {
    let request: ExportTraceServiceRequest = serde_json::from_value(document.clone()).expect("an export request");
    let [resource] = request.resource_spans.as_slice() else { panic!("one resource") };
    let [scope] = resource.scope_spans.as_slice() else { panic!("one scope") };
    scope.spans.clone()
}

fn span_id(id: &str) -> Vec<u8> {
    Sha256::digest(id)[..8].to_vec()
}

on_both! {
    async fn two_runs_are_compared_step_by_step(app: TestApp) {
        let (admin, key) = (app.admin().await, app.key(&["write"]).await);
        priced(&admin).await;
        let a = run(&key, "model:test:echo", "look in Oslo now").await;
        let b = run(&key, "model:test:echo", "look in Bergen now, and tell me more").await;
        let compared = admin.get(&format!("/api/v1/runs/compare?a={a}&b={b}")).await.expect(200);
        assert_eq!((&compared["a"]["id"], &compared["b"]["id"]), (&json!(a), &json!(b)));
        let [step] = compared["steps"].as_array().expect("a list").as_slice() else { panic!("one row: {compared}") };
        assert_eq!((&step["a"]["run_id"], &step["b"]["run_id"]), (&json!(a), &json!(b)));
        assert_eq!(step["changes"], json!(["input", "output"]));
        let told = |kind: &str| {
            let pieces = step["input"].as_array().expect("pieces").iter().filter(|piece| piece["kind"] == kind);
            pieces.map(|piece| piece["text"].as_str().expect("a text")).collect::<Vec<_>>()
        };
        assert_eq!((told("removed"), told("added")[0]), (vec!["Oslo"], "Bergen"));
        let tokens = |run: &Value| {
            let usage = run["totals"]["usage"].as_object().expect("usage");
            usage.values().map(|count| count.as_i64().expect("a count")).sum::<i64>()
        };
        let more = tokens(&compared["b"]) - tokens(&compared["a"]);
        assert!(more > 0);
        assert_eq!((&compared["delta"]["tokens"], &step["delta"]["tokens"]), (&json!(more), &json!(more)));
        assert_eq!(step["delta"]["cost"], compared["delta"]["cost"]);
        assert_eq!(compared["delta"]["cost"][0]["currency"], "USD");
        assert!(compared["delta"]["duration_ms"].is_i64());

        let same = admin.get(&format!("/api/v1/runs/compare?a={a}&b={a}")).await.expect(200);
        assert_eq!((&same["steps"][0]["changes"], &same["delta"]["tokens"]), (&json!([]), &json!(0)));
        let failed = run(&key, "model:test:error-400", "look in Oslo now").await;
        let compared = admin.get(&format!("/api/v1/runs/compare?a={a}&b={failed}")).await.expect(200);
        let changes = compared["steps"][0]["changes"].to_string();
        assert!(changes.contains("\"status\"") && changes.contains("\"subject\""), "{changes}");
    }

    async fn a_comparison_of_what_is_not_there_is_not_found(app: TestApp) {
        let (admin, key) = (app.admin().await, app.key(&["write"]).await);
        let a = run(&key, "model:test:echo", "x").await;
        let unknown = "run_01jz8k0000000000000000000a";
        for (a, b) in [(a.as_str(), unknown), (unknown, &a), (unknown, unknown)] {
            assert_eq!(admin.get(&format!("/api/v1/runs/compare?a={a}&b={b}")).await.refusal(404), "not_found");
        }
        for query in ["", &format!("a={a}"), &format!("a={a}&b=usr_1"), &format!("a={a}&b={a}&c={a}")] {
            assert_eq!(admin.get(&format!("/api/v1/runs/compare?{query}")).await.refusal(400), "invalid", "{query}");
        }
    }

    async fn a_trace_leaves_as_spans_without_content(app: TestApp) {
        let (admin, key) = (app.admin().await, app.key(&["write"]).await);
        priced(&admin).await;
        let id = run(&key, "model:test:echo", CANARY).await;
        let failed = run(&key, "model:test:error-500", CANARY).await;
        let found = admin.get(&format!("/api/v1/runs/{id}")).await.expect(200);
        let trace = found["trace_id"].as_str().expect("a trace");
        let path = format!("/api/v1/runs/trace/{trace}/otlp");
        let file = admin.get(&path).await;
        let document = file.expect(200);
        assert!(!file.text.contains(CANARY) && file.text.contains(&format!("\"traceId\":\"{trace}\"")), "{}", file.text);
        let step = admin.get(&format!("/api/v1/runs/{id}/steps")).await.expect(200)["items"][0].clone();
        let [of_run, of_step] = spans(&document).try_into().expect("two spans");
        assert_eq!(of_run.span_id, span_id(&id));
        assert_eq!((of_run.kind, of_run.parent_span_id.len()), (SpanKind::Server as i32, 0));
        assert_eq!(of_step.span_id, span_id(step["id"].as_str().expect("an id")));
        assert_eq!((of_step.kind, &of_step.parent_span_id), (SpanKind::Client as i32, &of_run.span_id));
        assert!(of_run.start_time_unix_nano <= of_step.start_time_unix_nano);
        assert!(of_step.end_time_unix_nano <= of_run.end_time_unix_nano);
        let names: Vec<&str> = of_step.attributes.iter().map(|attribute| attribute.key.as_str()).collect();
        for name in ["gen_ai.operation.name", "gen_ai.request.model", "gen_ai.usage.input_tokens", "gen_ai.usage.output_tokens"] {
            assert!(names.contains(&name), "{name}: {names:?}");
        }
        assert_eq!(admin.get(&path).await.expect(200), document, "the same on repetition");
        let audited = "SELECT resource_id FROM audit WHERE event_type = 'trace.otlp_exported'";
        assert_eq!(app.database.texts(audited).await, [trace, trace]);

        let failed = admin.get(&format!("/api/v1/runs/{failed}")).await.expect(200);
        let path = format!("/api/v1/runs/trace/{}/otlp", failed["trace_id"].as_str().expect("a trace"));
        let spans = spans(&admin.get(&path).await.expect(200));
        assert_eq!(spans[0].status.as_ref().map(|status| (status.code, status.message.as_str())), Some((2, "")));
        for unknown in ["0".repeat(32), "nonsense".to_owned()] {
            assert_eq!(admin.get(&format!("/api/v1/runs/trace/{unknown}/otlp")).await.refusal(404), "not_found");
        }
    }

    async fn a_run_below_another_is_a_span_below_it(app: TestApp) {
        let admin = app.admin().await;
        let mut sample = Sample::named("past", 9);
        sample.scope = first_home(&app).await.scope;
        let parent = sample.run();
        let mut child = sample.run();
        (child.trace_id, child.root_run_id, child.parent_run_id) = (parent.trace_id.clone(), parent.id, Some(parent.id));
        let step = sample.step(parent.id);
        let mut below = sample.step(parent.id);
        below.parent_step_id = Some(step.id);
        below.step_type = types::run::StepType::Safety;
        let ops = [sample::open_run(&parent), sample::open_run(&child), sample::open_step(&step), sample::open_step(&below)];
        app.app.ledger.commit(sample.opening(ops)).await.expect("a batch");
        let document = admin.get(&format!("/api/v1/runs/trace/{}/otlp", parent.trace_id)).await.expect(200);
        let spans = spans(&document);
        let find = |id: &dyn ToString| {
            spans.iter().find(|span| span.span_id == span_id(&id.to_string())).expect("a span").clone()
        };
        assert_eq!(spans.len(), 4);
        assert_eq!((find(&child.id).kind, find(&child.id).parent_span_id), (SpanKind::Internal as i32, find(&parent.id).span_id));
        assert_eq!((find(&below.id).kind, find(&below.id).parent_span_id), (SpanKind::Internal as i32, find(&step.id).span_id));
        assert_eq!(find(&parent.id).kind, SpanKind::Server as i32);
    }

    async fn feedback_is_one_word_of_each_person_and_finds_its_runs(app: TestApp) {
        let (admin, key) = (app.admin().await, app.key(&["write"]).await);
        let good = run(&key, "model:test:echo", "x").await;
        let bad = run(&key, "model:test:echo", "y").await;
        let of = |run: &str| format!("/api/v1/runs/{run}/feedback");
        let comment = "It said \"no\"\nand 失败";
        let said = json!({ "rating": "down", "labels": ["wrong_tool"], "comment": comment });
        let first = admin.post(&of(&bad), said.clone()).await.expect(201);
        assert_eq!((&first["rating"], &first["comment"], &first["labels"]), (&json!("down"), &json!(comment), &json!(["wrong_tool"])));
        assert!(first["id"].as_str().is_some_and(|id| id.starts_with("fbk_")) && first["user"].is_string());
        // A key is its issuer's, who says it anew.
        let anew = key.post(&of(&bad), json!({ "rating": "down" })).await.expect(201);
        assert_eq!((&anew["id"], &anew["comment"]), (&first["id"], &Value::Null));
        admin.post(&of(&good), json!({ "rating": "up" })).await.expect(201);
        let home = first_home(&app).await;
        new_member(&app, &home, "alice@example.com", Role::Viewer).await;
        let console = at_console(&app, "alice@example.com").await;
        let page = console.get(&format!("/w/default/runs/{bad}")).await;
        assert!(page.status == 200 && page.text.contains("give_feedback"), "{}", page.text);
        assert_eq!(admin.get(&of(&bad)).await.expect(200)["items"], json!([anew]));

        let list = async |query: &str| {
            let page = admin.get(&format!("/api/v1/runs?{query}")).await.expect(200);
            let items = page["items"].as_array().expect("a list").clone();
            items.iter().map(|run| run["id"].as_str().expect("an id").to_owned()).collect::<Vec<_>>()
        };
        assert_eq!(list("feedback=down").await, [bad.as_str()]);
        assert_eq!(list("feedback=up").await, [good.as_str()]);
        assert_eq!(list("has=feedback").await, [bad.clone(), good.clone()]);
        assert_eq!(list("feedback=up&feedback=down").await, [bad.clone(), good]);

        for (wrong, field) in [
            (json!({}), "rating"),
            (json!({ "rating": "sideways" }), "rating"),
            (json!({ "rating": "up", "labels": ["A B"] }), "labels[0]"),
            (json!({ "rating": "up", "comment": "x".repeat(2_001) }), "comment"),
            (json!({ "rating": "up", "message_id": "msg_1" }), "message_id"),
        ] {
            let refused = admin.post(&of(&bad), wrong.clone()).await.expect(400);
            assert_eq!(refused["errors"][0]["field"], field, "{wrong}: {refused}");
        }
        let unknown = of("run_01jz8k0000000000000000000a");
        assert_eq!(admin.post(&unknown, json!({ "rating": "up" })).await.refusal(404), "not_found");
        assert_eq!(admin.get(&unknown).await.refusal(404), "not_found");
        let audited = "SELECT payload FROM audit WHERE event_type LIKE 'feedback.%'";
        assert!(app.database.texts(audited).await.iter().all(|payload| !payload.contains("失败")));
    }
}
