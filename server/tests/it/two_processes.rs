//! Two processes on one PostgreSQL: a budget that fits N calls admits exactly N, wherever they arrive, and live updates
//! reach the listeners of both.

use reqwest::Method;
use serde_json::{Value, json};
use testkit::database::TestDatabase;
use testkit::totp;
use testkit::upstream::Upstream;
use types::money::Amount;

use crate::util::books::shared;
use crate::util::process::Soit;

const CALLS: usize = 200;
const FITS: i64 = 40;

/// Two processes on one database.
async fn both(database: &TestDatabase) -> (Soit, Soit) {
    let settings = shared(database.url());
    let (mut first, mut second) = (Soit::new(&settings), Soit::new(&settings));
    first.start().await;
    second.start().await;
    (first, second)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_budget_for_n_calls_admits_exactly_n_over_two_processes() {
    let database = TestDatabase::postgres().await;
    let (first, second) = both(&database).await;
    let admin = first.admin().await;
    let price = json!({"match_ref": "model:test:*", "currency": "USD", "rates": {"input": "1", "output": "1"}});
    admin.post("/api/v1/modelhub/prices", price).await;
    let key = async |name: &str| admin.post("/api/v1/api-keys", json!({"name": name, "scopes": ["write"]})).await;
    let (scout, crowd) = (key("scout").await, key("crowd").await);

    // One call tells what a call holds at worst; the budget of the other key is made for exactly N of those.
    let body = |model: &str| {
        let messages = json!([{"role": "user", "content": "one"}]);
        json!({"model": model, "max_tokens": 16, "messages": messages})
    };
    let scout = admin.with_token(scout["api_key"].as_str().expect("a key"));
    let call = scout.request(Method::POST, "/v1/chat/completions", Some(body("model:test:slow-10")));
    let answer = call.send().await.expect("an answer");
    let run = answer.headers()["x-soit-run-id"].to_str().expect("a run id").to_owned();
    assert!(answer.status().is_success(), "{:?}", answer.text().await);
    let costs = admin.get(&format!("/api/v1/runs/{run}/costs")).await;
    let hold: Amount =
        costs["items"][0]["snapshot"]["hold"].as_str().expect("the hold placed").parse().expect("an amount");
    let amount = Amount::from_nanos(hold.nanos() * FITS).to_string();
    let budget = json!({"name": "N calls", "scope_kind": "api_key", "scope_id": crowd["item"]["id"],
        "period": "total", "currency": "USD", "amount": amount, "hard_stop": true});
    let budget = admin.post("/api/v1/billing/budgets", budget).await;

    // Every call outlives the admission of all: nothing settles before the last one was judged.
    let crowd_id = crowd["item"]["id"].clone();
    let crowd = admin.with_token(crowd["api_key"].as_str().expect("a key"));
    let callers = [crowd.clone(), crowd.at(&second)];
    let calls = (0..CALLS).map(|number| {
        let call =
            callers[number % 2].request(Method::POST, "/v1/chat/completions", Some(body("model:test:slow-8000")));
        async move { call.send().await.expect("an answer").status().as_u16() }
    });
    let statuses = futures::future::join_all(calls).await;
    let admitted = statuses.iter().filter(|status| **status == 200).count();
    assert!(statuses.iter().all(|status| [200, 402].contains(status)), "{statuses:?}");

    let status = admin.get(&format!("/api/v1/billing/budgets/{}/status", budget["id"].as_str().expect("an id"))).await;
    let spent: Amount = status["spent"].as_str().expect("spent").parse().expect("an amount");
    assert_eq!(admitted, usize::try_from(FITS).expect("small"));
    assert_eq!(status["held"], "0", "{status}");
    let costs = charged(&admin.get("/api/v1/runs?limit=200&status=succeeded").await, &crowd_id);
    assert_eq!(costs.len(), admitted, "every admitted call ended and is charged once");
    assert!(costs.iter().all(|cost| (1..=hold.nanos()).contains(cost)), "{costs:?}");
    assert_eq!(spent.nanos(), costs.iter().sum::<i64>(), "{status}");
}

#[tokio::test(flavor = "multi_thread")]
async fn one_code_at_two_processes_at_once_opens_one_session() {
    let database = TestDatabase::postgres().await;
    let (first, second) = both(&database).await;
    let admin = first.admin().await;
    let now = || chrono::DateTime::<chrono::Utc>::from(std::time::SystemTime::now());
    let setup = admin.post("/api/v1/me/mfa/setup", json!({})).await;
    let secret = setup["secret"].as_str().expect("a seed");
    admin.post("/api/v1/me/mfa/confirm", json!({"code": totp::code(secret, now())})).await;
    let nobody = [admin.with_token(""), admin.with_token("").at(&second)];
    let mut tokens = Vec::new();
    for number in 0..6 {
        let login = json!({"email": "admin@example.com", "password": "changeme123"});
        let asked = nobody[number % 2].post("/api/v1/login", login).await;
        tokens.push(asked["mfa_token"].as_str().expect("a question").to_owned());
    }
    // The code of the next step: the present one confirmed the app.
    let code = totp::code(secret, now() + chrono::TimeDelta::seconds(30));
    let answers = tokens.iter().enumerate().map(|(number, token)| {
        let body = json!({"mfa_token": token, "code": code});
        let call = nobody[number % 2].request(Method::POST, "/api/v1/login/mfa", Some(body));
        async move { call.send().await.expect("an answer").status().as_u16() }
    });
    let statuses = futures::future::join_all(answers).await;
    assert_eq!(statuses.iter().filter(|status| **status == 200).count(), 1, "{statuses:?}");
    assert!(statuses.iter().all(|status| [200, 401].contains(status)), "{statuses:?}");
}

/// What each run of a key cost.
fn charged(runs: &Value, key: &Value) -> Vec<i64> {
    let runs = runs["items"].as_array().expect("items").iter().filter(|run| run["api_key_id"] == *key);
    let amounts = runs.map(|run| run["totals"]["cost"][0]["amount"].as_str().expect("an amount"));
    amounts.map(|amount| amount.parse::<Amount>().expect("an amount").nanos()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_listener_at_one_process_hears_of_a_run_at_the_other() {
    let database = TestDatabase::postgres().await;
    let (first, second) = both(&database).await;
    let admin = first.admin().await;
    let there = admin.at(&second);
    let body = json!({"model": "model:test:slow-3000", "messages": [{"role": "user", "content": "one"}]});
    let call = admin.request(Method::POST, "/v1/chat/completions", Some(body));
    let listening = async {
        // The run is found by its state at the other process, and followed from there to its end.
        let run = loop {
            let running = there.get("/api/v1/runs?status=running&limit=1").await;
            if let Some(id) = running["items"][0]["id"].as_str() {
                break id.to_owned();
            }
            tokio::time::sleep(std::time::Duration::from_millis(20)).await;
        };
        let stream = there.request(Method::GET, &format!("/api/v1/runs/{run}/stream"), None).send().await;
        (run, stream.expect("a stream").text().await.expect("the whole stream"))
    };
    let (answer, (run, heard)) = tokio::join!(call.send(), listening);
    assert_eq!(answer.expect("an answer").headers()["x-soit-run-id"].to_str().ok(), Some(run.as_str()));
    for event in ["run.started", "step.closed", "run.finished", "event: end"] {
        assert!(heard.contains(event), "{event} is not in {heard}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_key_has_one_effect_over_two_processes() {
    let database = TestDatabase::postgres().await;
    let (first, second) = both(&database).await;
    let admin = first.admin().await;
    let key = admin.post("/api/v1/api-keys", json!({"name": "both", "scopes": ["write"]})).await;
    let key = admin.with_token(key["api_key"].as_str().expect("a key"));
    let callers = [key.clone(), key.at(&second)];
    let body = json!({"model": "model:test:slow-500", "messages": [{"role": "user", "content": "once"}]});
    let calls = (0..20).map(|number| {
        let call = callers[number % 2].request(Method::POST, "/v1/chat/completions", Some(body.clone()));
        let call = call.header("idempotency-key", "both").header("prefer", "wait=30");
        async move {
            let answer = call.send().await.expect("an answer");
            let replayed = answer.headers().contains_key("idempotency-replayed");
            let run = answer.headers().get("x-soit-run-id").and_then(|id| id.to_str().ok()).map(str::to_owned);
            (answer.status().as_u16(), run, replayed, answer.text().await.expect("a body"))
        }
    });
    let answers = futures::future::join_all(calls).await;
    assert!(answers.iter().all(|answer| answer.0 == 200), "{answers:?}");
    assert!(answers.iter().all(|answer| (&answer.1, &answer.3) == (&answers[0].1, &answers[0].3)), "{answers:?}");
    assert_eq!(answers.iter().filter(|answer| !answer.2).count(), 1);
    let runs = admin.get("/api/v1/runs").await;
    assert_eq!(runs["items"].as_array().map(Vec::len), Some(1), "{runs}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_is_canceled_from_the_other_process() {
    let database = TestDatabase::postgres().await;
    let (first, second) = both(&database).await;
    let admin = first.admin().await;
    let body = json!({"model": "model:test:slow-60000", "messages": [{"role": "user", "content": "x"}]});
    let call = admin.request(Method::POST, "/v1/chat/completions", Some(body)).send();
    let cancel = async {
        let there = admin.at(&second);
        loop {
            let runs = there.get("/api/v1/runs?status=running").await;
            if let Some(id) = runs["items"][0]["id"].as_str() {
                let path = format!("/api/v1/runs/{id}/cancel");
                let answer = there.request(Method::POST, &path, None).send().await.expect("an answer");
                assert_eq!(answer.status(), 202);
                return id.to_owned();
            }
        }
    };
    let (answer, id) = tokio::join!(call, cancel);
    let answer: Value = answer.expect("an answer").json().await.expect("JSON");
    assert_eq!(answer["error"]["code"], "run_canceled");
    assert_eq!(admin.get(&format!("/api/v1/runs/{id}")).await["status"], "canceled");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_grant_taken_back_at_one_process_stops_the_next_call_at_the_other() {
    let database = TestDatabase::postgres().await;
    let (first, second) = both(&database).await;
    let (admin, upstream) = (first.admin().await, Upstream::start().await.expect("an upstream"));
    admin.allow_egress("127.0.0.1", upstream.address().port()).await;
    let account = json!({"name": "Up", "slug": "up", "kind": "openai_compatible", "base_url": upstream.base_url()});
    let account = admin.post("/api/v1/modelhub/providers", account).await;
    let models = format!("/api/v1/modelhub/providers/{}/models", account["id"].as_str().expect("an id"));
    let model = admin.post(&models, json!({"model_id": "plain", "capabilities": ["chat"]})).await;
    let principal = admin.post("/api/v1/service-principals", json!({"name": "CI", "role": "viewer"})).await;
    let key = json!({"name": "k", "scopes": ["write"], "principal_id": principal["id"]});
    let key = admin.post("/api/v1/api-keys", key).await;
    let there = admin.with_token(key["api_key"].as_str().expect("a key")).at(&second);
    let call = async || {
        let body = json!({"model": "model:up:plain", "messages": [{"role": "user", "content": "hi"}]});
        let call = there.request(Method::POST, "/v1/chat/completions", Some(body));
        call.send().await.expect("an answer").status().as_u16()
    };
    assert_eq!(call().await, 403, "not granted");
    let grant = json!({"subject": principal["id"], "resource_type": "model", "resource_id": model["id"],
        "actions": ["execute"]});
    let grant = admin.post("/api/v1/resource-grants", grant).await;
    // That more is allowed may be learnt within a second; that less is, at once.
    let granted =
        tokio::time::timeout(std::time::Duration::from_secs(20), async { while call().await != 200 {} }).await;
    assert!(granted.is_ok(), "granted");
    let path = format!("/api/v1/resource-grants/{}", grant["id"].as_str().expect("an id"));
    let taken = admin.request(Method::DELETE, &path, None).send().await.expect("an answer");
    assert_eq!(taken.status(), 204);
    assert_eq!(call().await, 403, "taken back");
}
