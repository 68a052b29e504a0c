//! The end of the real process while something still runs.

use std::time::{Duration, Instant};

use reqwest::Method;
use serde_json::{Value, json};

use crate::util::process::{Caller, Soit, http_client};

/// A stream that says a word each two seconds, twenty of them, and its run.
async fn long_stream(caller: &Caller) -> (reqwest::Response, String) {
    let messages = json!([{ "role": "user", "content": "go on" }]);
    let body = json!({ "model": "model:test:pace-2000", "stream": true, "messages": messages });
    let mut answer = caller.request(Method::POST, "/v1/chat/completions", Some(body)).send().await.expect("an answer");
    assert!(answer.status().is_success());
    let run = answer.headers()["x-soit-run-id"].to_str().expect("an id").to_owned();
    answer.chunk().await.expect("a frame").expect("a stream that goes on");
    (answer, run)
}

/// A price and a budget, so that the call holds something.
async fn with_budget(admin: &Caller) -> String {
    let price = json!({ "match_ref": "model:test:*", "currency": "USD", "rates": { "input": "1", "output": "1" } });
    admin.post("/api/v1/modelhub/prices", price).await;
    let budget =
        json!({ "name": "All", "scope_kind": "workspace", "period": "total", "currency": "USD", "amount": "9" });
    let budget = admin.post("/api/v1/billing/budgets", budget).await;
    format!("/api/v1/billing/budgets/{}/status", budget["id"].as_str().expect("an id"))
}

/// The run failed so, is charged once, and holds nothing.
async fn is_settled(admin: &Caller, run: &str, code: &str, budget: &str) -> Value {
    let ended = admin.get(&format!("/api/v1/runs/{run}")).await;
    assert_eq!((&ended["status"], &ended["error"]["code"]), (&json!("failed"), &json!(code)), "{ended}");
    let steps = admin.get(&format!("/api/v1/runs/{run}/steps")).await;
    assert_eq!(steps["items"][0]["status"], "failed", "{steps}");
    let costs = admin.get(&format!("/api/v1/runs/{run}/costs")).await;
    let [cost] = &costs["items"].as_array().expect("items")[..] else { panic!("one row: {costs}") };
    let status = admin.get(budget).await;
    assert_eq!((&status["held"], &status["spent"]), (&json!("0"), &cost["amount"]), "{status}");
    cost.clone()
}

#[tokio::test(flavor = "multi_thread")]
async fn streams_still_open_when_time_is_up_are_cut_and_settled_and_the_process_ends() {
    let mut soit = Soit::new(&[("SHUTDOWN_TIMEOUT_SECONDS", "4")]);
    soit.start().await;
    let admin = soit.admin().await;
    let budget = with_budget(&admin).await;
    let (answer, run) = long_stream(&admin).await;
    let reader =
        admin.request(Method::GET, &format!("/api/v1/runs/{run}/stream"), None).send().await.expect("a stream");

    let signaled = Instant::now();
    soit.signal("TERM").await;
    let rest = tokio::join!(answer.text(), reader.text());
    assert_eq!(soit.wait().await, Some(0));
    let took = signaled.elapsed();
    let told = rest.0.unwrap_or_default();
    assert!(took >= Duration::from_secs(3), "the stream was cut before its time: {took:?} {told}");
    assert!(took < Duration::from_secs(10), "{took:?}");
    assert!(!told.contains("\"finish_reason\":\"stop\""), "{told}");

    soit.start().await;
    let cost = is_settled(&soit.admin().await, &run, "process_shutdown", &budget).await;
    assert_ne!(cost["usage_basis"], "hold", "what was said is what is charged: {cost}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_second_signal_ends_at_once_and_the_next_process_settles() {
    let mut soit = Soit::new(&[]);
    soit.start().await;
    let admin = soit.admin().await;
    let budget = with_budget(&admin).await;
    let (answer, run) = long_stream(&admin).await;
    soit.signal("TERM").await;
    // It has heard the first once it takes no connections any more.
    let refuses = async {
        while http_client().get(soit.url("/health")).send().await.is_ok() {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(Duration::from_secs(20), refuses).await.expect("it stops accepting");
    soit.signal("INT").await;
    assert_eq!(soit.wait().await, Some(1));
    drop(answer);

    soit.start().await;
    let cost = is_settled(&soit.admin().await, &run, "process_lost", &budget).await;
    assert_eq!(cost["usage_basis"], "hold", "{cost}");
}
