//! What is said under `metadata_only` reaches the caller and nothing else: no file, no log line, no answer to a reader.

use std::path::Path;
use std::time::Duration;

use reqwest::Method;
use reqwest::header::{CONTENT_TYPE, COOKIE, SET_COOKIE};
use serde_json::{Value, json};
use testkit::database::{Engine, TestDatabase};
use testkit::upstream::Upstream;

use crate::scrub::{found, settings};
use crate::util::process::{Caller, Soit, http_client};

/// What is said.
const CANARY: &str = "canary-6e2d4f-content";
/// What is kept: whoever labels a call wants to find it by that.
const LABEL: &str = "kept-91c3aa-label";
/// Of the provider: answers, whole and in pieces, and errors, each of which repeats the prompt.
const UPSTREAM: [&str; 10] = [
    "echo",
    "echo-20",
    "status-400",
    "status-429-after-1",
    "status-500",
    "error-in-200",
    "error-after-2",
    "garbage-1",
    "cut-2",
    "reset-2",
];
/// Built in.
const BUILT_IN: [&str; 6] = ["echo", "pace-1", "tool", "error-400", "drop-2", "badframe-2"];

/// How a call is kept from being remembered.
#[derive(Clone, Copy, PartialEq, Eq)]
enum By {
    Header,
    Workspace,
}

struct Scene {
    database: TestDatabase,
    soit: Soit,
    admin: Caller,
    key: Caller,
    upstream: Upstream,
    by: By,
    /// What readers were answered, by path.
    heard: Vec<(String, String)>,
}

impl Scene {
    async fn set(by: By, engine: Engine, log: &Path) -> Self {
        let database = TestDatabase::new(engine).await;
        let settings: Vec<(&str, &str)> = settings(&database).into_iter().chain([("LOG_LEVEL", "debug")]).collect();
        let mut soit = Soit::new(&settings).logging_to(log.to_owned());
        soit.start().await;
        let (upstream, admin) = (Upstream::start().await.expect("an upstream"), soit.admin().await);
        admin.allow_egress("127.0.0.1", upstream.address().port()).await;
        let account = json!({ "name": "Up", "slug": "up", "kind": "openai_compatible", "max_retries": 1,
            "base_url": upstream.base_url(), "credential": "a-credential" });
        let account = admin.post("/api/v1/modelhub/providers", account).await;
        let models = format!("/api/v1/modelhub/providers/{}/models", account["id"].as_str().expect("an id"));
        for name in UPSTREAM {
            let capabilities = json!(["chat", "stream", "tools", "embedding"]);
            admin.post(&models, json!({ "model_id": name, "capabilities": capabilities })).await;
        }
        if by == By::Workspace {
            let home = admin.get("/api/v1/me/workspaces").await;
            let path = format!("/api/v1/workspaces/{}", home["items"][0]["id"].as_str().expect("an id"));
            let present = admin.request(Method::GET, &path, None).send().await.expect("an answer");
            let change = admin.request(Method::PATCH, &path, Some(json!({ "content_capture": "metadata_only" })));
            let change = change.header("if-match", present.headers()["etag"].clone()).send().await.expect("an answer");
            assert!(change.status().is_success(), "{:?}", change.text().await);
        }
        let key = admin.post("/api/v1/api-keys", json!({ "name": "k", "scopes": ["write"] })).await;
        let key = admin.with_token(key["api_key"].as_str().expect("a key"));
        Self { database, soit, admin, key, upstream, by, heard: Vec::new() }
    }

    fn request(&self, path: &str, body: Value) -> reqwest::RequestBuilder {
        let request = self.key.request(Method::POST, path, Some(body)).header("x-soit-labels", format!("team={LABEL}"));
        match self.by {
            By::Header => request.header("x-soit-capture", "metadata_only"),
            By::Workspace => request,
        }
    }

    /// A call, and what its caller was told.
    async fn call(&self, path: &str, body: Value) -> String {
        let answer = self.request(path, body).send().await.expect("an answer");
        assert!(answer.headers().contains_key("x-soit-run-id"), "{:?}", answer.text().await);
        answer.text().await.unwrap_or_default()
    }

    /// A stream that is followed by a reader while it happens.
    async fn call_while_somebody_reads(&mut self) {
        let words = json!([{ "role": "user", "content": format!("{CANARY} ").repeat(60) }]);
        let body = json!({ "model": "model:up:echo-20", "stream": true, "messages": words });
        let answer = self.request("/v1/chat/completions", body).send().await.expect("an answer");
        let path = format!("/api/v1/runs/{}/stream", answer.headers()["x-soit-run-id"].to_str().expect("an id"));
        let reader = self.admin.request(Method::GET, &path, None).send().await.expect("a stream");
        let (told, read) = tokio::join!(answer.text(), reader.text());
        let told = told.expect("a stream");
        assert!(told.contains(CANARY), "the caller is told: {told}");
        let read = read.expect("a stream");
        assert!(read.contains("run.finished"), "{read}");
        self.heard.push((path, read));
    }

    async fn read(&mut self, path: &str) -> Value {
        let answer = self.admin.request(Method::GET, path, None).send().await.expect("an answer");
        let status = answer.status();
        let text = answer.text().await.expect("a body");
        assert!(status.is_success(), "{path}: {status} {text}");
        let value = serde_json::from_str(&text).unwrap_or_default();
        self.heard.push((path.to_owned(), text));
        value
    }

    /// Every way there is to read of the runs.
    async fn read_everything(&mut self) {
        let runs = self.read("/api/v1/runs?limit=200").await;
        let runs: Vec<Value> = runs["items"].as_array().expect("items").clone();
        for run in &runs {
            assert_eq!(run["capture"], "metadata_only", "{run}");
            let id = run["id"].as_str().expect("an id");
            for part in ["", "/steps", "/costs", "/events", "/stream", "/artifacts", "/evidence"] {
                self.read(&format!("/api/v1/runs/{id}{part}")).await;
            }
            self.read(&format!("/api/v1/observe/runs/{id}/replay")).await;
            if let Some(trace) = run["trace_id"].as_str() {
                self.read(&format!("/api/v1/runs/trace/{trace}/otlp")).await;
            }
        }
        for two in runs.windows(2) {
            let [a, b] = [0, 1].map(|place: usize| two[place]["id"].as_str().expect("an id"));
            self.read(&format!("/api/v1/runs/compare?a={a}&b={b}")).await;
        }
        let labelled = self.read(&format!("/api/v1/runs?limit=200&label.team={LABEL}")).await;
        assert!(labelled["items"].as_array().is_some_and(|items| items.len() > UPSTREAM.len() * 2));
        let found = self.read(&format!("/api/v1/runs?q={CANARY}&with_total=true")).await;
        assert_eq!((&found["items"], &found["total"]), (&json!([]), &json!(0)), "{found}");
        // Files of records end ten seconds ago.
        tokio::time::sleep(Duration::from_secs(11)).await;
        for kind in ["runs", "steps", "costs", "tasks", "audit", "events", "run_events"] {
            self.read(&format!("/api/v1/exports/{kind}?format=csv")).await;
            self.read(&format!("/api/v1/exports/{kind}")).await;
            let lines = self.heard.last().map_or(0, |(_, text)| text.lines().count());
            assert!(kind == "tasks" || lines > 1, "{kind}: {lines}");
        }
        for path in ["/metrics", "/api/v1/audit?limit=200", "/api/v1/events?limit=200", "/health/ready"] {
            self.read(path).await;
        }
        self.read_console(&runs).await;
    }

    /// The list, and a page of each run.
    async fn read_console(&mut self, runs: &[Value]) {
        let console = format!("http://127.0.0.1:{}", self.soit.ports()[0]);
        let form = "email=admin%40example.com&password=changeme123";
        let signing_in = http_client().post(format!("{console}/ui/sign-in")).header("sec-fetch-site", "same-origin");
        let signed_in = signing_in.header(CONTENT_TYPE, "application/x-www-form-urlencoded").body(form).send().await;
        let signed_in = signed_in.expect("an answer");
        let cookies = signed_in.headers().get_all(SET_COOKIE).iter();
        let cookies: Vec<&str> = cookies.filter_map(|cookie| cookie.to_str().ok()?.split(';').next()).collect();
        let pages = runs.iter().map(|run| format!("/w/default/runs/{}", run["id"].as_str().expect("an id")));
        for page in pages.chain(["/w/default".to_owned(), "/w/default/runs".to_owned()]) {
            let request = http_client().get(format!("{console}{page}")).header(COOKIE, cookies.join("; "));
            let answer = request.send().await.expect("an answer");
            assert_eq!(answer.status(), 200, "{page}");
            self.heard.push((page, answer.text().await.expect("a page")));
        }
    }
}

/// A chat that says the canary wherever something can be said.
fn chat(model: &str, stream: bool) -> Value {
    let call = json!({ "id": "call_1", "type": "function", "function": { "name": "look", "arguments": format!("{{\"at\":\"{CANARY}\"}}") } });
    json!({
        "model": model, "stream": stream, "user": CANARY, "stop": [format!("{CANARY}-stop")], "store": true,
        "metadata": { "user_id": CANARY, "note": CANARY },
        "tools": [{ "type": "function", "function": { "name": "look", "description": CANARY, "parameters": {
            "type": "object", "properties": { "at": { "type": "string", "description": CANARY } } } } }],
        "messages": [
            { "role": "system", "content": format!("{CANARY} system") },
            { "role": "user", "content": [{ "type": "text", "text": format!("{CANARY} first") }] },
            { "role": "assistant", "content": null, "tool_calls": [call] },
            { "role": "tool", "tool_call_id": "call_1", "content": format!("{CANARY} result") },
            { "role": "user", "content": format!("{CANARY} one two three") },
        ],
    })
}

/// Bodies that are refused with the canary where the mistake is.
fn wrong_chats() -> Vec<Value> {
    let wrong = [
        ("/messages/0/role", json!(CANARY)),
        ("/temperature", json!(CANARY)),
        ("/tools/0/type", json!(CANARY)),
        ("/tool_choice", json!(CANARY)),
        ("/response_format", json!({ "type": CANARY })),
        ("/messages/1/content/0/type", json!(CANARY)),
        ("/reasoning_effort", json!([CANARY])),
        ("/max_tokens", json!(CANARY)),
    ];
    let wrong = wrong.into_iter().map(|(pointer, value)| {
        let mut body = chat("model:test:echo", false);
        let (parent, name) = pointer.rsplit_once('/').expect("a pointer");
        match body.pointer_mut(parent).expect("a member") {
            Value::Array(items) => items[name.parse::<usize>().expect("an index")] = value,
            object => object[name] = value,
        }
        body
    });
    wrong.collect()
}

async fn is_found_nowhere(by: By, engine: Engine) {
    let logs = tempfile::tempdir().expect("a folder");
    let log = logs.path().join("soit.log");
    let mut scene = Scene::set(by, engine, &log).await;
    let models = UPSTREAM.map(|name| format!("model:up:{name}")).into_iter();
    for model in models.chain(BUILT_IN.map(|name| format!("model:test:{name}"))) {
        for stream in [false, true] {
            let told = scene.call("/v1/chat/completions", chat(&model, stream)).await;
            assert!(!model.ends_with("echo") || told.contains(CANARY), "the caller is told: {told}");
        }
    }
    for model in ["model:up:echo", "model:up:status-500", "model:test:embed-8"] {
        scene.call("/v1/embeddings", json!({ "model": model, "input": [CANARY, CANARY] })).await;
    }
    for body in wrong_chats() {
        scene.call("/v1/chat/completions", body).await;
    }
    scene.call_while_somebody_reads().await;
    assert!(scene.upstream.received(CANARY) > UPSTREAM.len());
    scene.read_everything().await;

    for (path, text) in &scene.heard {
        assert!(!text.contains("canary-"), "{path}: {text}");
    }
    scene.soit.kill().await;
    let (database, data) = (&scene.database, scene.soit.data_dir());
    assert_eq!(found(database, data, "canary-").await, [""; 0], "files and every table");
    assert!(!found(database, data, LABEL).await.is_empty(), "what is kept is found, so the search finds");
    let log = String::from_utf8_lossy(&std::fs::read(&log).expect("the log")).into_owned();
    let told = log.lines().find(|line| line.contains("canary-"));
    assert_eq!((told, log.is_empty()), (None, false));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_call_says_is_found_nowhere_where_its_header_says_so_on_sqlite() {
    is_found_nowhere(By::Header, Engine::Sqlite).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_call_says_is_found_nowhere_where_its_header_says_so_on_postgres() {
    is_found_nowhere(By::Header, Engine::Postgres).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_call_says_is_found_nowhere_where_the_workspace_says_so_on_sqlite() {
    is_found_nowhere(By::Workspace, Engine::Sqlite).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_call_says_is_found_nowhere_where_the_workspace_says_so_on_postgres() {
    is_found_nowhere(By::Workspace, Engine::Postgres).await;
}
