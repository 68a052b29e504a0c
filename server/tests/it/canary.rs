//! A credential goes through every kind of call and failure; afterwards it is in no answer, no file and no log line.

use std::path::Path;

use reqwest::Method;
use serde_json::{Value, json};
use testkit::database::{Engine, TestDatabase};
use testkit::totp;
use testkit::upstream::Upstream;

use crate::scrub::{found, settings};
use crate::util::process::{Caller, Soit, http_client};

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

async fn a_credential_is_found_nowhere(engine: Engine) {
    let logs = tempfile::tempdir().expect("a folder");
    let log = logs.path().join("soit.log");
    let database = TestDatabase::new(engine).await;
    let settings: Vec<(&str, &str)> = settings(&database).into_iter().chain([("LOG_LEVEL", "debug")]).collect();
    let mut soit = Soit::new(&settings).logging_to(log.clone());
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
        for part in ["", "/steps", "/costs", "/events", "/artifacts", "/evidence"] {
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
    assert_eq!(found(&database, soit.data_dir(), "canary-").await, [""; 0], "files and every table");
    assert!(!found(&database, soit.data_dir(), "echo-credential").await.is_empty(), "what is there is found");
    let log = std::fs::read_to_string(&log).expect("the log");
    let told = log.lines().find(|line| line.contains("canary-"));
    assert_eq!((told, log.is_empty()), (None, false));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_credential_is_found_nowhere_after_every_kind_of_call_on_sqlite() {
    a_credential_is_found_nowhere(Engine::Sqlite).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_credential_is_found_nowhere_after_every_kind_of_call_on_postgres() {
    a_credential_is_found_nowhere(Engine::Postgres).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn seeds_codes_and_questions_of_a_second_factor_are_in_no_file_and_no_log() {
    let logs = tempfile::tempdir().expect("a folder");
    let log = logs.path().join("soit.log");
    let mut soit = Soit::new(&[("LOG_LEVEL", "debug")]).logging_to(log.clone());
    soit.start().await;
    let admin = soit.admin().await;
    let text = |value: &Value| value.as_str().expect("a text").to_owned();
    let now = || chrono::DateTime::<chrono::Utc>::from(std::time::SystemTime::now());
    let (mut secrets, mut heard) = (Vec::new(), Vec::new());
    let setup = admin.post("/api/v1/me/mfa/setup", json!({})).await;
    let secret = text(&setup["secret"]);
    send(&admin, Method::POST, "/api/v1/me/mfa/confirm", Some(json!({"code": "000000"})), &mut heard).await;
    let code = totp::code(&secret, now());
    let confirmed = admin.post("/api/v1/me/mfa/confirm", json!({"code": code})).await;
    let codes: Vec<String> = confirmed["recovery_codes"].as_array().expect("codes").iter().map(text).collect();
    let login = json!({"email": "admin@example.com", "password": "changeme123"});
    let nobody = admin.with_token("");
    for code in ["000000", codes[0].as_str(), codes[0].as_str()] {
        let asked = nobody.post("/api/v1/login", login.clone()).await;
        let token = text(&asked["mfa_token"]);
        // What it answers when it is right are new tokens, which belong to whoever asked.
        nobody
            .request(Method::POST, "/api/v1/login/mfa", Some(json!({"mfa_token": token, "code": code})))
            .send()
            .await
            .expect("an answer");
        let body = json!({"mfa_token": token, "code": [code]});
        send(&nobody, Method::POST, "/api/v1/login/mfa", Some(body), &mut heard).await;
        send(&admin, Method::POST, "/api/v1/me/step-up", Some(json!({"code": code, "password": code})), &mut heard)
            .await;
        secrets.push(token);
    }
    let answer =
        admin.request(Method::POST, "/api/v1/me/mfa/setup", None).header("idempotency-key", "once").send().await;
    let again: Value = answer.expect("an answer").json().await.expect("a body");
    secrets.extend([secret, text(&again["secret"])]);
    secrets.extend(codes.iter().cloned());
    secrets.extend(codes.iter().map(|code| code.replace('-', "")));
    for path in ["/api/v1/me/mfa", "/api/v1/me", "/api/v1/audit?limit=200", "/api/v1/events?limit=200", "/metrics"] {
        send(&admin, Method::GET, path, None, &mut heard).await;
    }
    soit.kill().await;
    let mut searched = 0;
    for secret in &secrets {
        for (path, text) in &heard {
            assert!(!text.contains(secret), "{path}: {text}");
        }
        for file in files(soit.data_dir()).into_iter().chain([log.clone()]) {
            let bytes = std::fs::read(&file).expect("a file");
            searched += bytes.len();
            assert!(!bytes.windows(secret.len()).any(|window| window == secret.as_bytes()), "{}", file.display());
        }
    }
    assert!(searched > 100_000, "the database and the log were searched: {searched}");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_token_of_an_invitation_is_in_no_file_and_no_log() {
    let logs = tempfile::tempdir().expect("a folder");
    let log = logs.path().join("soit.log");
    let mut soit = Soit::new(&[("LOG_LEVEL", "debug")]).logging_to(log.clone());
    soit.start().await;
    let admin = soit.admin().await;
    let me = admin.get("/api/v1/me").await;
    let path = format!("/api/v1/workspaces/{}/invitations", me["workspace_id"].as_str().expect("an id"));
    let mut tokens = Vec::new();
    for email in ["guest@example.com", "other@example.com"] {
        let issued = admin.post(&path, json!({"email": email, "role": "viewer"})).await;
        let link = issued["link"].as_str().expect("a link");
        tokens.push(link.split_once('#').expect("a fragment").1.to_owned());
    }
    let (nobody, mut heard) = (admin.with_token(""), Vec::new());
    let (accept, form) = ("/api/v1/invitations/accept", "/ui/invite");
    for password in ["password1234", "plum violin harbour 71", "plum violin harbour 71"] {
        let body = json!({"token": tokens[0], "name": "Guest", "password": password});
        send(&nobody, Method::POST, accept, Some(body), &mut heard).await;
    }
    let body = json!({"token": [tokens[0]], "name": "Guest"});
    send(&nobody, Method::POST, accept, Some(body), &mut heard).await;
    for password in ["password1234", "plum violin harbour 72"] {
        let fields = [("token", tokens[1].as_str()), ("name", "Other"), ("password", password)];
        let body = url::form_urlencoded::Serializer::new(String::new()).extend_pairs(fields).finish();
        let request = http_client().post(format!("http://127.0.0.1:{}{form}", soit.ports()[0]));
        let request = request.header("sec-fetch-site", "same-origin");
        let request = request.header("content-type", "application/x-www-form-urlencoded").body(body);
        let answer = request.send().await.expect("an answer");
        heard.push((form.to_owned(), format!("{:?} {:?}", answer.status(), answer.headers())));
    }
    for path in [&*path, "/api/v1/me", "/metrics"] {
        send(&admin, Method::GET, path, None, &mut heard).await;
    }
    let members = format!("/api/v1/workspaces/{}/members", me["workspace_id"].as_str().expect("an id"));
    let members = admin.get(&members).await;
    assert_eq!(members["items"].as_array().map(Vec::len), Some(3), "both joined");
    soit.kill().await;
    for token in &tokens {
        for (path, text) in &heard {
            assert!(!text.contains(token), "{path}: {text}");
        }
        for file in files(soit.data_dir()).into_iter().chain([log.clone()]) {
            let bytes = std::fs::read(&file).expect("a file");
            assert!(!bytes.windows(token.len()).any(|window| window == token.as_bytes()), "{}", file.display());
        }
    }
}
