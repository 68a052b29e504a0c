//! A process under load in front of a provider that remembers what it answered, and whether its books are right after
//! whatever happened.

use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::Json;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use reqwest::Method;
use serde_json::{Value, json};
use types::money::Amount;

use super::process::{Caller, Soit, free_port};

/// Settings of a process that shares a PostgreSQL.
pub(crate) fn shared(url: &str) -> [(&str, &str); 4] {
    [
        ("DATABASE_URL", url),
        ("LIMITS_ON_STORE_DOWN", "local"),
        ("STORAGE_SHARED", "true"),
        ("SECRET_KEY", "a-key-for-tests-of-thirty-two-bytes-or-more"),
    ]
}

/// What runs that are repeated from their record begin with.
pub(crate) const SOURCE: &str = "source";

/// Tokens of each answer, as the provider counts them.
const PROMPT: u64 = 8;
const COMPLETION: u64 = 3;

/// A provider on loopback. It answers at once; what is marked `slow` waits for [`Provider::hurry`].
#[derive(Clone, Default)]
pub(crate) struct Provider(Arc<Memory>);

#[derive(Default)]
struct Memory {
    /// How often each marker came.
    received: Mutex<HashMap<String, usize>>,
    answered: Mutex<HashSet<String>>,
    hurry: tokio::sync::watch::Sender<bool>,
}

impl Provider {
    /// Starts it; the port it listens on.
    pub(crate) async fn start(&self) -> u16 {
        let port = free_port();
        let listener = tokio::net::TcpListener::bind(("127.0.0.1", port)).await.expect("the upstream's port");
        let router = axum::Router::new().route("/v1/chat/completions", post(answer)).with_state(self.clone());
        #[expect(clippy::disallowed_methods, reason = "the upstream ends with the test's runtime")]
        tokio::spawn(async move { axum::serve(listener, router).await });
        port
    }

    /// Markers of the calls it has received.
    pub(crate) fn received(&self) -> HashSet<String> {
        self.0.received.lock().expect("the map").keys().cloned().collect()
    }

    /// Markers of the calls that came more than once.
    fn repeated(&self) -> Vec<String> {
        let received = self.0.received.lock().expect("the map");
        received.iter().filter(|(_, times)| **times > 1).map(|(marker, _)| marker.clone()).collect()
    }

    /// Markers of the calls it has answered.
    pub(crate) fn answered(&self) -> HashSet<String> {
        self.0.answered.lock().expect("the set").clone()
    }

    /// Lets the slow calls go.
    pub(crate) fn hurry(&self) {
        self.0.hurry.send_replace(true);
    }
}

async fn answer(State(Provider(state)): State<Provider>, Json(body): Json<Value>) -> Response {
    let marker = body["messages"][0]["content"].as_str().unwrap_or_default().to_owned();
    *state.received.lock().expect("the map").entry(marker.clone()).or_default() += 1;
    if marker.starts_with("slow") {
        let _ = state.hurry.subscribe().wait_for(|hurry| *hurry).await;
    }
    tokio::time::sleep(Duration::from_millis(u64::try_from(marker.len() % 7).unwrap_or_default() * 3)).await;
    state.answered.lock().expect("the set").insert(marker.clone());
    let usage = json!({"prompt_tokens": PROMPT, "completion_tokens": COMPLETION, "total_tokens": PROMPT + COMPLETION});
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

/// A workspace in front of that provider: an account, a priced model, a budget and a key.
pub(crate) struct Stage {
    pub(crate) provider: Provider,
    pub(crate) key: String,
    budget: String,
}

impl Stage {
    /// Sets it up.
    pub(crate) async fn new(soit: &Soit) -> Self {
        let provider = Provider::default();
        let (admin, port) = (soit.admin().await, provider.start().await);
        admin.allow_egress("127.0.0.1", port).await;
        let account = json!({"name": "Scripted", "slug": "scripted", "kind": "openai_compatible",
            "base_url": format!("http://127.0.0.1:{port}/v1"), "credential": "upstream-credential", "max_retries": 0});
        let account = admin.post("/api/v1/modelhub/providers", account).await;
        let account = account["id"].as_str().or(account["item"]["id"].as_str()).expect("a provider id");
        let pricing = json!({"currency": "USD", "rates": {"input": "0.15", "output": "0.6"}});
        let model = json!({"model_id": "m", "max_output_tokens": 100, "pricing": pricing});
        admin.post(&format!("/api/v1/modelhub/providers/{account}/models"), model).await;
        let budget = json!({"name": "All", "scope_kind": "workspace", "period": "total", "currency": "USD",
            "amount": "1000", "hard_stop": true});
        let budget = admin.post("/api/v1/billing/budgets", budget).await;
        let key = admin.post("/api/v1/api-keys", json!({"name": "load", "scopes": ["write"]})).await;
        let text = |value: &Value| value.as_str().expect("a text").to_owned();
        Self { provider, key: text(&key["api_key"]), budget: text(&budget["id"]) }
    }

    /// Nothing runs, no call was sent twice, every answered call has its run with exactly one cost row, nothing is held,
    /// the budget's counter is the sum of the rows, and nobody waits to be told of anything.
    pub(crate) async fn check(&self, admin: &Caller, within: Duration) {
        wait_until_quiet(admin, within).await;
        assert_eq!(self.provider.repeated(), Vec::<String>::new(), "calls that were sent twice");
        let runs = all_runs(admin).await;
        let mut by_marker: HashMap<&str, &Value> = HashMap::new();
        for run in &runs {
            assert!(["succeeded", "failed"].contains(&run["status"].as_str().expect("a status")), "{run}");
            // Refusals of a known caller are runs too, without a prompt.
            let Some(marker) = run["input"]["preview"].as_str() else { continue };
            if is_repetition(run) {
                assert_eq!(run["totals"]["cost"], json!([]), "a repetition from the record costs nothing: {run}");
                continue;
            }
            assert!(by_marker.insert(marker, run).is_none(), "two runs for {marker}");
        }
        for marker in &self.provider.answered() {
            let run = by_marker.get(marker.as_str()).unwrap_or_else(|| panic!("the answered call {marker} has no run"));
            let costs = admin.get(&format!("/api/v1/runs/{}/costs", run["id"].as_str().expect("an id"))).await;
            assert_eq!(costs["items"].as_array().map(Vec::len), Some(1), "{marker}: {costs}");
        }
        let charged: i64 = runs
            .iter()
            .flat_map(|run| run["totals"]["cost"].as_array().cloned().unwrap_or_default())
            .map(|sum| sum["amount"].as_str().and_then(|text| text.parse::<Amount>().ok()).expect("an amount").nanos())
            .sum();
        let status = admin.get(&format!("/api/v1/billing/budgets/{}/status", self.budget)).await;
        assert_eq!(status["held"], "0", "{status}");
        assert_eq!(status["spent"], Amount::from_nanos(charged).to_string(), "{status}");
        wait_until_told(admin).await;
    }

    /// What the ledger counted is what the provider counted: for faults that no process died of.
    pub(crate) async fn check_usage(&self, admin: &Caller) {
        let runs = all_runs(admin).await;
        let live = || runs.iter().filter(|run| !is_repetition(run));
        let counted = |class: &str| -> u64 { live().filter_map(|run| run["totals"]["usage"][class].as_u64()).sum() };
        let answered = u64::try_from(self.provider.answered().len()).expect("a count");
        assert_eq!((counted("input"), counted("output")), (answered * PROMPT, answered * COMPLETION));
    }
}

/// Whether a run is one that was repeated from its record.
fn is_repetition(run: &Value) -> bool {
    let is_of_source = run["input"]["preview"].as_str().is_some_and(|marker| marker.starts_with(SOURCE));
    is_of_source && run["source_run_id"].is_string()
}

/// One call; its status, or nothing when the connection broke.
pub(crate) async fn call(key: &Caller, marker: &str, stream: bool) -> Option<u16> {
    let messages = json!([{"role": "user", "content": marker}]);
    let body = json!({"model": "model:scripted:m", "stream": stream, "messages": messages});
    let answer = key.request(Method::POST, "/v1/chat/completions", Some(body)).send().await.ok()?;
    let status = answer.status().as_u16();
    answer.bytes().await.ok().map(|_| status)
}

/// Calls until told to stop, or until the process is gone; the statuses.
pub(crate) async fn load(key: Caller, prefix: String, stop: Arc<AtomicBool>) -> Vec<u16> {
    let mut statuses = Vec::new();
    for number in 0.. {
        if stop.load(Ordering::Relaxed) {
            break;
        }
        match call(&key, &format!("{prefix}-{number}"), number % 2 == 1).await {
            Some(status) => statuses.push(status),
            None => break,
        }
    }
    statuses
}

/// Every run of the workspace, sandboxed ones too, page by page.
async fn all_runs(admin: &Caller) -> Vec<Value> {
    let mut runs = Vec::new();
    let mut path = "/api/v1/runs?limit=200&sandbox=true&sandbox=false".to_owned();
    loop {
        let page = admin.get(&path).await;
        runs.extend(page["items"].as_array().expect("items").iter().cloned());
        match page["next_cursor"].as_str() {
            Some(cursor) => path = format!("/api/v1/runs?limit=200&sandbox=true&sandbox=false&cursor={cursor}"),
            None => return runs,
        }
    }
}

/// Waits until every consumer was told of everything, also of what could not be written down before its lease was over.
async fn wait_until_told(admin: &Caller) {
    let until = std::time::Instant::now() + Duration::from_secs(90);
    loop {
        let outbox = admin.get("/api/v1/observe/outbox").await;
        let consumers = outbox["items"].as_array().expect("items");
        let waiting = |consumer: &Value| ["pending", "leased", "dead"].iter().any(|count| consumer[count] != 0);
        if !consumers.iter().any(waiting) {
            return;
        }
        assert!(std::time::Instant::now() < until, "consumers still wait: {outbox}");
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}

/// Waits until nothing runs any more, a given time at most.
async fn wait_until_quiet(admin: &Caller, within: Duration) {
    let until = std::time::Instant::now() + within;
    while std::time::Instant::now() < until {
        let running = admin.get("/api/v1/runs?status=running&limit=1").await;
        if running["items"].as_array().is_some_and(Vec::is_empty) {
            return;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    panic!("runs are still running long after the last fault");
}
