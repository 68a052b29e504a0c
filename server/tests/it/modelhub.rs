//! Provider accounts, models and prices, through their routes.

use axum::http::Method;
use axum::http::header::IF_MATCH;
use serde_json::{Value, json};

use crate::util::test_app::{Answer, Caller, on_both};

const PROVIDERS: &str = "/api/v1/modelhub/providers";
const PRICES: &str = "/api/v1/modelhub/prices";

fn account(slug: &str) -> Value {
    json!({ "name": "An account", "slug": slug, "kind": "openai_compatible", "base_url": "http://127.0.0.1:9/v1" })
}

async fn patch(caller: &Caller, path: &str, revision: &str, body: Value) -> Answer {
    caller.clone().header(IF_MATCH, revision).send(Method::PATCH, path, Some(body)).await
}

fn fields(answer: &Answer) -> Vec<String> {
    let problem = answer.json();
    let errors = problem["errors"].as_array().cloned().unwrap_or_default();
    errors.iter().map(|error| error["field"].as_str().expect("a field").to_owned()).collect()
}

on_both! {
    async fn an_account_lives_and_goes(app: TestApp) {
        let admin = app.admin().await;
        let mut command = account("local");
        command["credential"] = json!("sk-very-secret");
        let made = admin.post(PROVIDERS, command.clone()).await;
        let provider = made.expect(201);
        assert_eq!(made.header("etag"), "\"1\"");
        assert_eq!(provider["egress"]["allowed"], false);
        assert_eq!(provider["egress"]["rule"]["ports"], json!([9]));
        assert_eq!(provider["egress"]["openable"], true);
        let path = format!("{PROVIDERS}/{}", provider["id"].as_str().expect("an id"));

        assert_eq!(admin.post(PROVIDERS, command).await.refusal(409), "already_exists");
        assert_eq!(admin.get(PROVIDERS).await.expect(200)["items"].as_array().expect("a list").len(), 1);

        let rename = json!({ "name": "Another name" });
        let blind = admin.send(Method::PATCH, &path, Some(rename.clone())).await;
        assert_eq!((blind.refusal(428).as_str(), &blind.json()["revision"]), ("precondition_required", &json!("1")));
        let changed = patch(&admin, &path, "\"1\"", rename.clone()).await;
        assert_eq!((changed.expect(200)["name"].as_str(), changed.header("etag")), (Some("Another name"), "\"2\""));
        let stale = patch(&admin, &path, "\"1\"", rename).await;
        assert_eq!((stale.refusal(412).as_str(), &stale.json()["revision"]), ("precondition_failed", &json!("2")));
        let moved = patch(&admin, &path, "\"2\"", json!({ "base_url": "http://127.0.0.2:9/v1" })).await;
        assert_eq!((moved.refusal(400).as_str(), fields(&moved)), ("invalid", vec!["credential".to_owned()]));

        for answer in [&made, &changed, &admin.get(&path).await, &admin.get(PROVIDERS).await] {
            assert!(!answer.text.contains("very-secret"));
        }

        let model = admin.post(&format!("{path}/models"), json!({ "model_id": "small" })).await.expect(201);
        assert_eq!(model["model_ref"], "model:local:small");
        assert_eq!(admin.send(Method::DELETE, &path, None).await.refusal(409), "in_use");
        let model_path = format!("{path}/models/{}", model["id"].as_str().expect("an id"));
        assert_eq!(model["tokenizer"], "auto");
        let wrong = patch(&admin, &model_path, "\"1\"", json!({ "tokenizer": "claude" })).await;
        assert_eq!((wrong.refusal(400).as_str(), fields(&wrong)), ("invalid", vec!["tokenizer".to_owned()]));
        for word in ["`auto`", "`o200k_base`", "`cl100k_base`"] {
            assert!(wrong.text.contains(word), "{}", wrong.text);
        }
        let change = json!({ "enabled": false, "tokenizer": "cl100k_base" });
        patch(&admin, &model_path, "\"1\"", change).await.expect(200);
        assert_eq!(admin.get(&model_path).await.expect(200)["tokenizer"], "cl100k_base");
        admin.send(Method::DELETE, &path, None).await.expect(204);
        for gone in [&path, &model_path, &format!("{path}/models")] {
            assert_eq!(admin.get(gone).await.refusal(404), "not_found");
        }
        admin.post(PROVIDERS, account("local")).await.expect(201);
    }

    async fn prices_are_dated_and_resolved(app: TestApp) {
        let admin = app.admin().await;
        let rates = json!({ "input": "0.15", "output": "0.6" });
        let price = |match_ref: &str| json!({ "match_ref": match_ref, "currency": "USD", "rates": rates });
        let all = admin.post(PRICES, price("model:test:*")).await.expect(201);
        assert_eq!(all["rates"], rates);
        let mut ahead = price("model:test:echo");
        ahead["valid_from"] = json!("2099-01-01T00:00:00Z");
        let ahead = admin.post(PRICES, ahead).await.expect(201);
        let resolve = |at: &str| {
            let (admin, path) = (admin.clone(), format!("{PRICES}/resolve?model_ref=model:test:echo{at}"));
            async move { admin.get(&path).await.expect(200) }
        };
        let now = resolve("").await;
        assert_eq!((&now["price"]["id"], &now["reason"]), (&all["id"], &json!("prefix")));
        let later = resolve("&at=2099-01-02T00:00:00Z").await;
        assert_eq!((&later["price"]["id"], &later["reason"]), (&ahead["id"], &json!("exact")));
        let unknown = admin.get(&format!("{PRICES}/resolve?model_ref=model:a:b")).await.expect(200);
        assert_eq!((&unknown["price"], &unknown["reason"]), (&Value::Null, &json!("pricing_not_configured")));
        let newest = admin.get(PRICES).await.expect(200);
        assert_eq!(newest["items"][0]["id"], ahead["id"]);
    }

    async fn wrong_input_is_refused_by_field(app: TestApp) {
        let admin = app.admin().await;
        let with = |name: &str, value: Value| {
            let mut body = account("local");
            body[name] = value;
            body
        };
        for (body, field) in [
            (with("slug", json!("test")), "slug"),
            (with("slug", json!("-x")), "slug"),
            (with("kind", json!("test")), "kind"),
            (with("kind", json!("llm")), "kind"),
            (with("base_url", json!("http://127.1/v1")), "base_url"),
            (with("base_url", json!("https://user@host.test/v1")), "base_url"),
            (with("credential", json!("short")), "credential"),
            (with("max_retries", json!(6)), "max_retries"),
            (with("timeout_ms", json!(999)), "timeout_ms"),
            (with("secret", json!("x")), "secret"),
            (json!({ "name": "x" }), "slug"),
        ] {
            let refused = admin.post(PROVIDERS, body).await;
            assert_eq!((refused.refusal(400), fields(&refused)), ("invalid".to_owned(), vec![field.to_owned()]));
        }
        let price = |name: &str, value: Value| {
            let mut body = json!({ "match_ref": "model:a:b", "currency": "USD", "rates": { "input": "1", "output": "1" } });
            body[name] = value;
            body
        };
        for (body, code, field) in [
            (price("rates", json!({ "input": "1" })), "invalid", "rates.output"),
            (price("rates", json!({ "input": "-1", "output": "1" })), "invalid", "rates.input"),
            (price("rates", json!({ "input": 1, "output": "1" })), "invalid", "rates.input"),
            (price("rates", json!({ "input": "1e3", "output": "1" })), "invalid", "rates.input"),
            (price("rates", json!({ "input": "9999999999", "output": "1" })), "amount_out_of_range", "rates.input"),
            (price("currency", json!("usd")), "invalid", "currency"),
            (price("currency", json!("XXX")), "invalid", "currency"),
            (price("match_ref", json!("gpt-4o")), "invalid", "match_ref"),
            (price("valid_from", json!("2020-01-01T00:00:00Z")), "price_backdated", "valid_from"),
        ] {
            let refused = admin.post(PRICES, body.clone()).await;
            assert_eq!((refused.refusal(400), fields(&refused)), (code.to_owned(), vec![field.to_owned()]), "{body}");
        }
    }

    async fn a_key_needs_the_scope_and_others_see_nothing(app: TestApp) {
        let provider = app.admin().await.post(PROVIDERS, account("local")).await.expect(201);
        let path = format!("{PROVIDERS}/{}", provider["id"].as_str().expect("an id"));
        let reader = app.key(&["read"]).await;
        reader.get(&path).await.expect(200);
        for key in [reader, app.key(&["write"]).await] {
            assert_eq!(key.post(PROVIDERS, account("other")).await.refusal(403), "scope_required");
            assert_eq!(key.send(Method::DELETE, &path, None).await.refusal(403), "scope_required");
        }
        let unknown = format!("{PROVIDERS}/prv_01jz8k0000000000000000000a");
        for path in [unknown.as_str(), &format!("{PROVIDERS}/nonsense")] {
            assert_eq!(app.admin().await.get(path).await.refusal(404), "not_found");
        }
    }

    async fn a_check_is_a_governed_call(app: TestApp) {
        let admin = app.admin().await;
        let provider = admin.post(PROVIDERS, account("local")).await.expect(201);
        let path = format!("{PROVIDERS}/{}", provider["id"].as_str().expect("an id"));
        let check = format!("{path}/healthcheck");
        assert_eq!(admin.post(&check, json!({})).await.refusal(404), "model_not_found");
        admin.post(&format!("{path}/models"), json!({ "model_id": "small" })).await.expect(201);
        let outcome = admin.post(&check, json!({})).await.expect(200);
        assert_eq!((&outcome["ok"], &outcome["code"]), (&json!(false), &json!("egress_denied")));
        let run = format!("/api/v1/runs/{}", outcome["run_id"].as_str().expect("a run"));
        assert_eq!(admin.get(&run).await.expect(200)["error"]["code"], "egress_denied");
    }
}
