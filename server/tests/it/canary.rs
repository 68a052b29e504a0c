//! A credential goes through every kind of call and failure; afterwards it is in no answer, no file and no log line.

use std::path::Path;

use reqwest::Method;
use serde_json::{Value, json};
use testkit::upstream::Upstream;

use crate::util::process::{Caller, Soit};

const CANARY: &str = "canary-9b1e5f0c7d-credential";
const SECOND: &str = "canary-40aa63d8e2-credential";
const FAULTS: [&str; 14] = [
    "plain",
    "no-usage",
    "status-400",
    "status-401",
    "status-429-after-1",
    "status-500",
    "reset",
    "reset-2",
    "cut-2",
    "garbage-1",
    "error-in-200",
    "error-after-2",
    "stall-2",
    "echo-credential",
];

/// Sends and keeps whatever comes back.
async fn send(
    caller: &Caller,
    method: Method,
    path: &str,
    body: Option<Value>,
    heard: &mut Vec<(String, String)>,
) -> Value {
    let answer = caller.request(method, path, body).header("x-soit-timeout-ms", "500").send().await.expect("an answer");
    let headers = format!("{:?}", answer.headers());
    let text = answer.text().await.unwrap_or_default();
    let value = serde_json::from_str(&text).unwrap_or_default();
    heard.push((path.to_owned(), headers + &text));
    value
}

/// Every file below a folder.
pub(crate) fn files(folder: &Path) -> Vec<std::path::PathBuf> {
    let entries = std::fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path());
    entries.flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] }).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_credential_is_found_nowhere_after_every_kind_of_call() {
    let logs = tempfile::tempdir().expect("a folder");
    let log = logs.path().join("soit.log");
    let mut soit = Soit::new(&[("LOG_LEVEL", "debug")]).logging_to(log.clone());
    soit.start().await;
    let (upstream, admin) = (Upstream::start().await.expect("an upstream"), soit.admin().await);
    admin.allow_egress("127.0.0.1", upstream.address().port()).await;
    let account = json!({"name": "Up", "slug": "up", "kind": "openai_compatible", "max_retries": 0,
        "base_url": upstream.base_url(), "credential": CANARY});
    let account = admin.post("/api/v1/modelhub/providers", account).await;
    let account = format!("/api/v1/modelhub/providers/{}", account["id"].as_str().expect("an id"));
    let key = admin.post("/api/v1/api-keys", json!({"name": "k", "scopes": ["write"]})).await;
    let key = admin.with_token(key["api_key"].as_str().expect("a key"));

    let mut heard = Vec::new();
    for fault in FAULTS {
        let model = json!({"model_id": fault, "capabilities": ["chat", "stream", "embedding"]});
        admin.post(&format!("{account}/models"), model).await;
        let model = format!("model:up:{fault}");
        for stream in [false, true] {
            let messages = json!([{"role": "user", "content": "hi"}]);
            let body = json!({"model": model, "stream": stream, "messages": messages});
            send(&key, Method::POST, "/v1/chat/completions", Some(body), &mut heard).await;
        }
        let body = json!({"model": model, "input": "hi"});
        send(&key, Method::POST, "/v1/embeddings", Some(body), &mut heard).await;
    }
    let bearer = format!("Bearer {CANARY}");
    assert!(upstream.calls().iter().all(|call| call.authorization.as_deref() == Some(bearer.as_str())));
    // A new credential, one no header can carry, a check of the account.
    for credential in [SECOND.to_owned(), format!("{SECOND}\u{e9}")] {
        let etag = admin.request(Method::GET, &account, None).send().await.expect("an answer");
        let etag = etag.headers()["etag"].clone();
        let patch = admin.request(Method::PATCH, &account, Some(json!({"credential": credential})));
        let answer = patch.header("if-match", etag).send().await.expect("an answer");
        heard.push((account.clone(), answer.text().await.expect("a body")));
        send(&admin, Method::POST, &format!("{account}/healthcheck"), Some(json!({})), &mut heard).await;
        let body = json!({"model": "model:up:plain", "messages": [{"role": "user", "content": "hi"}]});
        send(&key, Method::POST, "/v1/chat/completions", Some(body), &mut heard).await;
    }

    let runs = send(&admin, Method::GET, "/api/v1/runs?limit=200", None, &mut heard).await;
    let runs = runs["items"].as_array().expect("items").clone();
    assert!(runs.len() > FAULTS.len() * 2, "{}", runs.len());
    for run in &runs {
        for part in ["", "/steps", "/costs", "/events"] {
            let path = format!("/api/v1/runs/{}{part}", run["id"].as_str().expect("an id"));
            send(&admin, Method::GET, &path, None, &mut heard).await;
        }
    }
    for path in ["/api/v1/modelhub/providers", &account, "/metrics", "/health/ready"] {
        send(&admin, Method::GET, path, None, &mut heard).await;
    }
    soit.kill().await;

    for (path, text) in &heard {
        assert!(!text.contains("canary-"), "{path}: {text}");
    }
    let mut searched = 0;
    for file in files(soit.data_dir()).into_iter().chain([log]) {
        let bytes = std::fs::read(&file).expect("a file");
        searched += bytes.len();
        assert!(!bytes.windows(7).any(|window| window == b"canary-"), "{}", file.display());
    }
    assert!(searched > 100_000, "the database and the log were searched: {searched}");
}
