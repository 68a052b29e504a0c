//! Prices, budgets and holds, through the door.

use futures::StreamExt;
use serde_json::{Value, json};

use crate::gateway_kit::{Kit, chat};
use crate::util::test_app::on_both;

/// A price for every built-in model.
async fn price(kit: &Kit, input: &str, output: &str) {
    let price =
        json!({ "match_ref": "model:test:*", "currency": "USD", "rates": { "input": input, "output": output } });
    kit.admin.post("/api/v1/modelhub/prices", price).await.expect(201);
}

/// A hard budget of the workspace; its id.
async fn budget(kit: &Kit, amount: &str) -> String {
    let budget = json!({
        "name": "All", "scope_kind": "workspace", "period": "day",
        "currency": "USD", "amount": amount, "hard_stop": true,
    });
    let made = kit.admin.post("/api/v1/billing/budgets", budget).await.expect(201);
    made["id"].as_str().expect("an id").to_owned()
}

async fn status(kit: &Kit, id: &str) -> Value {
    kit.admin.get(&format!("/api/v1/billing/budgets/{id}/status")).await.expect(200)
}

/// A chat whose usage is told by a script.
fn scripted(input: u64, output: u64) -> Value {
    let script = json!({ "turns": [{ "text": "x", "usage": {
        "prompt_tokens": input, "completion_tokens": output, "total_tokens": input + output,
    } }] });
    json!({ "model": "model:test:script", "max_tokens": 500, "messages": [{ "role": "system", "content": script.to_string() }] })
}

on_both! {
    async fn three_calls_add_up_to_the_nano(app: TestApp) {
        let kit = Kit::closed(app).await;
        price(&kit, "0.15", "0.6").await;
        let id = budget(&kit, "1").await;
        for _ in 0..3 {
            let answer = kit.key.post("/v1/chat/completions", scripted(1000, 500)).await;
            answer.expect(200);
            assert_eq!(answer.header("x-soit-cost"), "USD 0.00045");
        }
        let status = status(&kit, &id).await;
        assert_eq!((&status["spent"], &status["held"]), (&json!("0.00135"), &json!("0")));
    }

    async fn of_two_hundred_at_once_exactly_as_many_as_fit_are_let_in(app: TestApp) {
        let kit = Kit::closed(app).await;
        price(&kit, "1", "2").await;
        // One call tells what a call holds.
        let probe = kit.ask("model:test:slow-1", "probe").await;
        let costs = kit.of_run(probe.header("x-soit-run-id"), "costs").await;
        let hold: i64 = nanos(&costs[0]["snapshot"]["hold"]);
        let spent = nanos(&costs[0]["amount"]);
        let id = budget(&kit, &amount(hold * 25 + spent)).await;
        // Each waits longer than the admission of all takes.
        let calls = (0..200).map(|_| kit.ask("model:test:slow-8000", "probe"));
        let answers = futures::future::join_all(calls).await;
        let admitted = answers.iter().filter(|answer| answer.status == 200).count();
        assert_eq!((admitted, answers.iter().filter(|answer| answer.status == 402).count()), (25, 175));
        let status = status(&kit, &id).await;
        assert_eq!((nanos(&status["spent"]), nanos(&status["held"])), (26 * spent, 0));
    }
}

on_both! {
    async fn failures_give_their_hold_back_at_once(app: TestApp) {
        let kit = Kit::closed(app).await;
        price(&kit, "1", "2").await;
        let probe = kit.ask("model:test:echo", "probe").await;
        let costs = kit.of_run(probe.header("x-soit-run-id"), "costs").await;
        // Room for what is spent and one hold more.
        let room = nanos(&costs[0]["snapshot"]["hold"]) + nanos(&costs[0]["amount"]);
        let id = budget(&kit, &amount(room)).await;
        for _ in 0..20 {
            assert_eq!(kit.ask("model:test:error-500", "probe").await.status, 502);
            assert_eq!(status(&kit, &id).await["held"], "0");
        }
        kit.ask("model:test:echo", "probe").await.expect(200);
    }

    async fn currencies_are_never_added_together(app: TestApp) {
        let kit = Kit::closed(app).await;
        for (model, currency) in [("echo", "USD"), ("tokens-2", "EUR")] {
            let price = json!({ "match_ref": format!("model:test:{model}"), "currency": currency, "rates": { "input": "1", "output": "2" } });
            kit.admin.post("/api/v1/modelhub/prices", price).await.expect(201);
        }
        let id = budget(&kit, "1").await;
        let mut sums = Vec::new();
        for model in ["model:test:echo", "model:test:tokens-2"] {
            let answer = kit.ask(model, "x").await;
            answer.expect(200);
            sums.push(kit.run_of(&answer).await["totals"]["cost"][0].clone());
        }
        assert_eq!((&sums[0]["currency"], &sums[1]["currency"]), (&json!("USD"), &json!("EUR")));
        assert_eq!(status(&kit, &id).await["spent"], sums[0]["amount"], "a budget in one currency ignores the other");
    }

    async fn without_usage_the_text_is_counted(app: TestApp) {
        let kit = Kit::closed(app).await;
        price(&kit, "1", "2").await;
        for stream in [false, true] {
            let mut body = chat("model:test:no-usage", "hello world");
            body["stream"] = json!(stream);
            let answer = kit.key.post("/v1/chat/completions", body).await;
            assert_eq!(answer.status, 200);
            if !stream {
                assert!(answer.json()["usage"].is_null());
            }
            let costs = kit.of_run(answer.header("x-soit-run-id"), "costs").await;
            assert_eq!((&costs[0]["usage_basis"], &costs[0]["pricing_status"]), (&json!("tokenizer"), &json!("estimated")));
            assert_eq!(costs[0]["usage"]["output"], 2, "hello world: {}", costs[0]);
        }
    }
}

fn nanos(text: &Value) -> i64 {
    text.as_str().expect("an amount").parse::<types::money::Amount>().expect("an amount").nanos()
}

fn amount(nanos: i64) -> String {
    types::money::Amount::from_nanos(nanos).to_string()
}

on_both! {
    async fn a_stream_over_a_spent_budget_is_a_plain_402(app: TestApp) {
        let kit = Kit::closed(app).await;
        price(&kit, "1", "2").await;
        budget(&kit, "0.000000001").await;
        let refused = kit.ask_stream("model:test:echo", "x").await;
        let body = refused.expect(402);
        let error = &body["error"];
        assert_eq!((&error["code"], &error["type"]), (&json!("budget_exhausted"), &json!("insufficient_quota")));
        assert_eq!((&error["reason"], &error["budget"]["name"]), (&json!("too_large"), &json!("All")));
        assert!(error["resets_at"].is_string());
        assert_eq!(kit.run_of(&refused).await["error"]["code"], "budget_exhausted");
    }

    async fn an_unpriced_model_cannot_slip_past_a_hard_budget(app: TestApp) {
        let kit = Kit::closed(app).await;
        let answer = kit.ask("model:test:echo", "x").await;
        answer.expect(200);
        let costs = kit.of_run(answer.header("x-soit-run-id"), "costs").await;
        assert_eq!((&costs[0]["pricing_status"], &costs[0]["amount"]), (&json!("unpriced"), &Value::Null));
        budget(&kit, "1").await;
        let refused = kit.ask("model:test:echo", "x").await.expect(403);
        assert_eq!(refused["error"]["code"], "pricing_not_configured");
    }

    async fn an_answer_beyond_its_cap_is_cut_at_what_is_held(app: TestApp) {
        let kit = Kit::closed(app).await;
        price(&kit, "1", "2").await;
        let id = budget(&kit, "1").await;
        let mut body = chat("model:test:over-cap", "x");
        body["stream"] = json!(true);
        let answer = kit.key.post("/v1/chat/completions", body).await;
        assert!(answer.text.contains("upstream_over_cap"), "{}", answer.text);
        assert_eq!(nanos(&status(&kit, &id).await["held"]), 0);
    }

    async fn a_thousand_abandoned_streams_leave_nothing(app: TestApp) {
        let kit = Kit::closed(app).await;
        price(&kit, "1", "2").await;
        let id = budget(&kit, "100").await;
        let mut body = chat("model:test:pace-20", "x");
        body["stream"] = json!(true);
        let tasks = kit.app.app.tasks.running();
        for _ in 0..10 {
            let calls = (0..100).map(|_| async {
                let mut stream = kit.key.open("/v1/chat/completions", body.clone()).await;
                stream.next().await.expect("a first frame").expect("bytes");
            });
            futures::future::join_all(calls).await;
        }
        kit.quiet().await;
        let app = &kit.app.app;
        while app.tasks.running() > tasks {
            tokio::task::yield_now().await;
        }
        let held = status(&kit, &id).await;
        assert_eq!((app.gateway.calls_in_flight(), nanos(&held["held"])), (0, 0));
        let runs = kit.admin.get("/api/v1/runs?limit=1&with_total=true&error_code=client_disconnected").await.expect(200);
        assert_eq!(runs["total"], 1000);
        let unfinished = kit.admin.get("/api/v1/runs?limit=1&with_total=true&status=running").await.expect(200);
        assert_eq!(unfinished["total"], 0);
    }
}
