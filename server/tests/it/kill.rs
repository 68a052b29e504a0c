//! `kill -9` at random points under load: nothing is left running, every call the upstream answered has exactly one
//! cost row, no hold is left, and the budget's counter is the sum of the rows.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::Json;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use reqwest::Method;
use serde_json::{Value, json};
use testkit::database::TestDatabase;
use types::money::Amount;

use crate::util::process::{Caller, Soit, free_port};

const KILLS: usize = 25;
const CALLERS: usize = 12;

/// What the provider answered, by the marker in the prompt.
type Answered = Arc<Mutex<HashSet<String>>>;

async fn answer(State(answered): State<Answered>, Json(body): Json<Value>) -> Response {
    let marker = body["messages"][0]["content"].as_str().unwrap_or_default().to_owned();
    tokio::time::sleep(Duration::from_millis(u64::try_from(marker.len() % 7).unwrap_or_default() * 3)).await;
    answered.lock().expect("the set").insert(marker.clone());
    let usage = json!({"prompt_tokens": 8, "completion_tokens": 3, "total_tokens": 11});
    if body["stream"] == json!(true) {
        let frame = |delta: Value, finish: Value| {
            json!({"id": marker, "object": "chat.completion.chunk", "created": 1, "model": "m",
                "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]})
        };
        let last = json!({"id": marker, "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [], "usage": usage});
        let frames = [
            frame(json!({"role": "assistant", "content": "one "}), Value::Null),
            frame(json!({"content": "two"}), json!("stop")),
            last,
        ];
        let text: String = frames.iter().map(|frame| format!("data: {frame}\n\n")).collect();
        return ([("content-type", "text/event-stream")], format!("{text}data: [DONE]\n\n")).into_response();
    }
    Json(json!({"id": marker, "object": "chat.completion", "created": 1, "model": "m", "usage": usage,
        "choices": [{"index": 0, "message": {"role": "assistant", "content": "one two"}, "finish_reason": "stop"}]}))
    .into_response()
}

async fn serve_upstream(answered: Answered) -> u16 {
    let port = free_port();
    let listener = tokio::net::TcpListener::bind(("127.0.0.1", port)).await.expect("the upstream's port");
    let router = axum::Router::new().route("/v1/chat/completions", post(answer)).with_state(answered);
    #[expect(clippy::disallowed_methods, reason = "the upstream ends with the test's runtime")]
    tokio::spawn(async move { axum::serve(listener, router).await });
    port
}

/// A provider, a priced model, a budget and a key.
async fn set_up(admin: &Caller, port: u16) -> (String, String) {
    admin.allow_egress("127.0.0.1", port).await;
    let provider = json!({"name": "Scripted", "slug": "scripted", "kind": "openai_compatible",
        "base_url": format!("http://127.0.0.1:{port}/v1"), "credential": "upstream-credential", "max_retries": 0});
    let provider = admin.post("/api/v1/modelhub/providers", provider).await;
    let provider_id = provider["id"].as_str().or(provider["item"]["id"].as_str()).expect("a provider id");
    let pricing = json!({"currency": "USD", "rates": {"input": "0.15", "output": "0.6"}});
    let model = json!({"model_id": "m", "max_output_tokens": 100, "pricing": pricing});
    admin.post(&format!("/api/v1/modelhub/providers/{provider_id}/models"), model).await;
    let budget = json!({"name": "All", "scope_kind": "workspace", "period": "total", "currency": "USD",
        "amount": "1000", "hard_stop": true});
    let budget = admin.post("/api/v1/billing/budgets", budget).await;
    let key = admin.post("/api/v1/api-keys", json!({"name": "load", "scopes": ["write"]})).await;
    (key["api_key"].as_str().expect("a key").to_owned(), budget["id"].as_str().expect("a budget").to_owned())
}

/// Calls until the process is gone.
async fn load(key: Caller, prefix: String) {
    for number in 0.. {
        let marker = format!("{prefix}-{number}");
        let body = json!({"model": "model:scripted:m", "stream": number % 2 == 1,
            "messages": [{"role": "user", "content": marker}]});
        let request = key.request(Method::POST, "/v1/chat/completions", Some(body));
        let Ok(answer) = request.send().await else { return };
        if answer.bytes().await.is_err() {
            return;
        }
    }
}

/// Every run of the workspace, page by page.
async fn all_runs(admin: &Caller) -> Vec<Value> {
    let mut runs = Vec::new();
    let mut path = "/api/v1/runs?limit=200".to_owned();
    loop {
        let page = admin.get(&path).await;
        runs.extend(page["items"].as_array().expect("items").iter().cloned());
        match page["next_cursor"].as_str() {
            Some(cursor) => path = format!("/api/v1/runs?limit=200&cursor={cursor}"),
            None => return runs,
        }
    }
}

async fn wait_until_quiet(admin: &Caller) {
    for _ in 0..900 {
        let running = admin.get("/api/v1/runs?status=running&limit=1").await;
        if running["items"].as_array().is_some_and(Vec::is_empty) {
            return;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    panic!("runs are still running long after the last kill");
}

async fn nothing_is_lost(settings: &[(&str, &str)]) {
    let answered = Answered::default();
    let port = serve_upstream(answered.clone()).await;
    let mut soit = Soit::new(settings);
    soit.start().await;
    let (key, budget) = set_up(&soit.admin().await, port).await;
    for kill in 0..KILLS {
        let key = soit.admin().await.with_token(&key);
        let callers: Vec<_> = (0..CALLERS).map(|caller| load(key.clone(), format!("m{kill}-{caller}"))).collect();
        // The moment of the kill differs from round to round and falls between any two of the calls' commits.
        let moment = Duration::from_millis(40 + u64::try_from(kill * 37 % 311).expect("small"));
        let load = futures::future::join_all(callers);
        tokio::join!(load, async {
            tokio::time::sleep(moment).await;
            soit.kill().await;
        });
        soit.start().await;
    }
    let admin = soit.admin().await;
    wait_until_quiet(&admin).await;

    let runs = all_runs(&admin).await;
    let mut by_marker: HashMap<&str, &Value> = HashMap::new();
    for run in &runs {
        assert!(["succeeded", "failed"].contains(&run["status"].as_str().expect("a status")), "{run}");
        let marker = run["input"]["preview"].as_str().expect("a preview");
        assert!(by_marker.insert(marker, run).is_none(), "two runs for {marker}");
    }
    let answered = answered.lock().expect("the set").clone();
    assert!(answered.len() > KILLS * 5, "too few calls to prove anything: {}", answered.len());
    for marker in &answered {
        let run = by_marker.iter().find(|(preview, _)| preview.contains(marker.as_str())).map(|(_, run)| *run);
        let run = run.unwrap_or_else(|| panic!("the answered call {marker} has no run"));
        let costs = admin.get(&format!("/api/v1/runs/{}/costs", run["id"].as_str().expect("an id"))).await;
        assert_eq!(costs["items"].as_array().map(Vec::len), Some(1), "{marker}: {costs}");
    }
    let charged: i64 = runs
        .iter()
        .flat_map(|run| run["totals"]["cost"].as_array().cloned().unwrap_or_default())
        .map(|sum| sum["amount"].as_str().and_then(|text| text.parse::<Amount>().ok()).expect("an amount").nanos())
        .sum();
    let status = admin.get(&format!("/api/v1/billing/budgets/{budget}/status")).await;
    assert_eq!(status["held"], "0", "{status}");
    assert_eq!(status["spent"], Amount::from_nanos(charged).to_string(), "{status}");
}

#[tokio::test(flavor = "multi_thread")]
async fn kill_9_under_load_loses_nothing_on_sqlite() {
    nothing_is_lost(&[]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn kill_9_under_load_loses_nothing_on_postgres() {
    let database = TestDatabase::postgres().await;
    nothing_is_lost(&[
        ("DATABASE_URL", database.url()),
        ("LIMITS_ON_STORE_DOWN", "local"),
        ("STORAGE_SHARED", "true"),
        ("SECRET_KEY", "a-key-for-tests-of-thirty-two-bytes-or-more"),
    ])
    .await;
}
