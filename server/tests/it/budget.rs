//! Budgets through their routes, with real calls of the built-in models.

use axum::http::Method;
use axum::http::header::IF_MATCH;
use futures::future::join_all;
use serde_json::{Value, json};
use types::money::Amount;

use crate::util::test_app::{Answer, Caller, on_both};

const BUDGETS: &str = "/api/v1/billing/budgets";

fn budget(amount: &str) -> Value {
    json!({ "name": "All of it", "scope_kind": "workspace", "period": "month", "currency": "USD", "amount": amount })
}

async fn set_price(admin: &Caller) {
    let price = json!({ "match_ref": "model:test:*", "currency": "USD", "rates": { "input": "1", "output": "1" } });
    admin.post("/api/v1/modelhub/prices", price).await.expect(201);
}

async fn call(caller: &Caller, model: &str) -> Answer {
    let messages = json!([{ "role": "user", "content": "one two three" }]);
    let body = json!({ "model": model, "max_tokens": 16, "messages": messages });
    caller.post("/v1/chat/completions", body).await
}

async fn patch(caller: &Caller, path: &str, revision: &str, body: Value) -> Answer {
    caller.clone().header(IF_MATCH, revision).send(Method::PATCH, path, Some(body)).await
}

fn nanos(amount: &Value) -> i64 {
    amount.as_str().expect("an amount").parse::<Amount>().expect("an amount").nanos()
}

/// What the ledger says was spent, row by row.
async fn spent(caller: &Caller) -> i64 {
    let runs = caller.get("/api/v1/runs?limit=200").await.expect(200);
    let costs = runs["items"].as_array().expect("runs").iter().map(|run| {
        let path = format!("/api/v1/runs/{}/costs", run["id"].as_str().expect("an id"));
        async move { caller.get(&path).await.expect(200) }
    });
    let costs = join_all(costs).await;
    costs.iter().flat_map(|page| page["items"].as_array().expect("costs")).map(|cost| nanos(&cost["amount"])).sum()
}

fn path(budget: &Value) -> String {
    format!("{BUDGETS}/{}", budget["id"].as_str().expect("an id"))
}

on_both! {
    async fn a_new_budget_has_counted_the_past_and_binds_at_once(app: TestApp) {
        let (admin, key) = (app.admin().await, app.key(&["write"]).await);
        set_price(&admin).await;
        for _ in 0..3 {
            call(&key, "model:test:echo").await.expect(200);
        }
        let made = admin.post(BUDGETS, budget("1")).await;
        let made_budget = made.expect(201);
        assert_eq!(made_budget["status"], "active");
        let status = format!("{}/status", path(&made_budget));
        let state = admin.get(&status).await.expect(200);
        let past = spent(&admin).await;
        assert!(past > 0);
        assert_eq!((nanos(&state["spent"]), &state["held"]), (past, &json!("0")));
        assert_eq!(admin.get(&format!("{BUDGETS}/statuses")).await.expect(200)["items"], json!([state]));

        call(&key, "model:test:echo").await.expect(200);
        let state = admin.get(&status).await.expect(200);
        assert_eq!(nanos(&state["spent"]), spent(&admin).await);
        assert_eq!(nanos(&state["remaining"]), 1_000_000_000 - nanos(&state["spent"]));

        let lower = json!({ "amount": "0.000000001", "hard_stop": true });
        let lowered = patch(&admin, &path(&made_budget), made.header("etag"), lower).await;
        lowered.expect(200);
        let refused = call(&key, "model:test:echo").await;
        assert_eq!(refused.expect(402)["error"]["code"], "budget_exhausted");
        let off = patch(&admin, &path(&made_budget), lowered.header("etag"), json!({ "status": "disabled" })).await;
        off.expect(200);
        call(&key, "model:test:echo").await.expect(200);
        let on = patch(&admin, &path(&made_budget), off.header("etag"), json!({ "status": "active" })).await;
        assert_eq!(on.expect(200)["status"], "active");
        let state = admin.get(&status).await.expect(200);
        assert_eq!(nanos(&state["spent"]), spent(&admin).await);

        admin.send(Method::DELETE, &path(&made_budget), None).await.expect(204);
        assert_eq!(admin.get(&status).await.refusal(404), "not_found");
        call(&key, "model:test:echo").await.expect(200);
    }

    async fn budgets_made_while_calls_settle_miss_and_double_nothing(app: TestApp) {
        let (admin, key) = (app.admin().await, app.key(&["write"]).await);
        set_price(&admin).await;
        let calls = (0..60).map(|number| {
            let (key, pace) = (key.clone(), number % 7 * 15 + 1);
            async move {
                // A call that keeps meeting new rules is told to come again, and does.
                while call(&key, &format!("model:test:slow-{pace}")).await.status != 200 {}
            }
        });
        let budgets = async {
            let mut made = Vec::new();
            for _ in 0..5 {
                made.push(admin.post(BUDGETS, budget("1000")).await.expect(201));
            }
            made
        };
        let (_, budgets) = tokio::join!(join_all(calls), budgets);
        let truth = spent(&admin).await;
        assert!(truth > 0);
        for budget in &budgets {
            let state = admin.get(&format!("{}/status", path(budget))).await.expect(200);
            assert_eq!((nanos(&state["spent"]), &state["held"]), (truth, &json!("0")));
        }
    }

    async fn running_calls_show_as_holds(app: TestApp) {
        let (admin, key) = (app.admin().await, app.key(&["write"]).await);
        set_price(&admin).await;
        let made = admin.post(BUDGETS, budget("1")).await.expect(201);
        let holds = format!("{}/holds", path(&made));
        assert_eq!(admin.get(&holds).await.expect(200)["items"], json!([]));
        #[expect(clippy::disallowed_methods, reason = "the call ends before the test")]
        let running = tokio::spawn(async move { call(&key, "model:test:slow-1500").await.status });
        let held = loop {
            let page = admin.get(&holds).await.expect(200);
            if let Some(hold) = page["items"].get(0) {
                break hold.clone();
            }
            tokio::task::yield_now().await;
        };
        let state = admin.get(&format!("{}/status", path(&made))).await.expect(200);
        assert_eq!(held["amount"], state["held"]);
        let run = admin.get(&format!("/api/v1/runs/{}", held["run_id"].as_str().expect("a run"))).await.expect(200);
        assert_eq!(run["status"], "running");
        assert_eq!(running.await.expect("a call"), 200);
        assert_eq!(admin.get(&holds).await.expect(200)["items"], json!([]));
    }

    async fn wrong_budgets_are_refused_by_field(app: TestApp) {
        let admin = app.admin().await;
        let with = |name: &str, value: Value| {
            let mut body = budget("1");
            body[name] = value;
            body
        };
        for (body, code, field) in [
            (budget("0"), "invalid", "amount"),
            (budget("-1"), "invalid", "amount"),
            (budget("1e3"), "invalid", "amount"),
            (budget("+1"), "invalid", "amount"),
            (budget("1,5"), "invalid", "amount"),
            (budget("0.0000000001"), "invalid", "amount"),
            (budget("01"), "invalid", "amount"),
            (budget("9999999999"), "amount_out_of_range", "amount"),
            (with("amount", json!(1)), "invalid", "amount"),
            (with("currency", json!("usd")), "invalid", "currency"),
            (with("currency", json!("XXX")), "invalid", "currency"),
            (with("currency", json!("")), "invalid", "currency"),
            (with("thresholds", json!([0])), "invalid", "thresholds[0]"),
            (with("thresholds", json!([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11])), "invalid", "thresholds"),
            (with("period", json!("hour")), "invalid", "period"),
            (with("scope_kind", json!("api_key")), "invalid", "scope_id"),
            (with("scope_id", json!("key_01jz8k0000000000000000000a")), "invalid", "scope_id"),
            (with("name", json!(" ")), "invalid", "name"),
        ] {
            let refused = admin.post(BUDGETS, body.clone()).await;
            assert_eq!((refused.refusal(400).as_str(), refused.json()["errors"][0]["field"].as_str()), (code, Some(field)), "{body}");
        }
        let mut foreign = with("scope_kind", json!("api_key"));
        foreign["scope_id"] = json!("key_01jz8k0000000000000000000a");
        assert_eq!(admin.post(BUDGETS, foreign).await.refusal(404), "not_found");
        for gone in ["bdg_01jz8k0000000000000000000a/status", "bdg_01jz8k0000000000000000000a", "x/holds"] {
            assert_eq!(admin.get(&format!("{BUDGETS}/{gone}")).await.refusal(404), "not_found");
        }
        assert_eq!(app.key(&["write"]).await.post(BUDGETS, budget("1")).await.refusal(403), "scope_required");
    }

    async fn a_budget_of_a_key_binds_that_key(app: TestApp) {
        let admin = app.admin().await;
        set_price(&admin).await;
        let made = admin.post("/api/v1/api-keys", json!({ "name": "bound", "scopes": ["write"] })).await.expect(201);
        let (bound, free) = (app.anon().bearer(made["api_key"].as_str().expect("a key")), app.key(&["write"]).await);
        let mut command = budget("0.000000001");
        command["scope_kind"] = json!("api_key");
        command["scope_id"] = made["item"]["id"].clone();
        command["hard_stop"] = json!(true);
        admin.post(BUDGETS, command).await.expect(201);
        let refused = call(&bound, "model:test:echo").await.expect(402);
        assert_eq!(refused["error"]["budget"]["reason"], "too_large");
        call(&free, "model:test:echo").await.expect(200);
    }
}
