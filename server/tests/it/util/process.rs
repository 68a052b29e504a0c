//! The real binary as a child process, for tests that kill it or run two of it.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::process::{Child, Command};

/// Where one soit process keeps its data and listens.
pub(crate) struct Soit {
    child: Option<Child>,
    data: TempDir,
    env: Vec<(String, String)>,
    /// A program that starts it, with arguments.
    launcher: Vec<String>,
    /// Where its log goes, if not to the test's own.
    log: Option<PathBuf>,
    console: u16,
    api: u16,
    client: reqwest::Client,
}

/// A port that was free a moment ago.
pub(crate) fn free_port() -> u16 {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a loopback port");
    listener.local_addr().expect("a local address").port()
}

/// The one place where a test makes a client: no proxy, no retries, no way followed on.
#[expect(clippy::disallowed_methods, reason = "a test is a caller of soit, not soit's way out")]
pub(crate) fn http_client() -> reqwest::Client {
    let client = reqwest::Client::builder().no_proxy().redirect(reqwest::redirect::Policy::none());
    client.timeout(Duration::from_secs(60)).build().expect("a client")
}

impl Soit {
    /// A process that was not started yet, with further settings.
    pub(crate) fn new(env: &[(&str, &str)]) -> Self {
        Self {
            child: None,
            data: tempfile::tempdir().expect("a data directory"),
            env: env.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect(),
            launcher: Vec::new(),
            log: None,
            console: free_port(),
            api: free_port(),
            client: http_client(),
        }
    }

    /// The same, started by a program that becomes it.
    pub(crate) fn started_by(mut self, launcher: &[&str]) -> Self {
        self.launcher = launcher.iter().map(|word| (*word).to_owned()).collect();
        self
    }

    /// The same, with its log in a file.
    pub(crate) fn logging_to(mut self, log: PathBuf) -> Self {
        self.log = Some(log);
        self
    }

    /// Where it keeps its data.
    pub(crate) fn data_dir(&self) -> &Path {
        self.data.path()
    }

    /// Starts it and waits until it is ready.
    pub(crate) async fn start(&mut self) {
        let words = self.launcher.iter().map(String::as_str).chain([env!("CARGO_BIN_EXE_soit"), "serve"]);
        let words: Vec<&str> = words.collect();
        let (program, arguments) = words.split_first().expect("a program");
        let child = Command::new(program)
            .args(arguments)
            .env_clear()
            .env("ENVIRONMENT", "test")
            .env("DATA_DIR", self.data.path())
            .env("LISTEN_CONSOLE", format!("127.0.0.1:{}", self.console))
            .env("LISTEN_API", format!("127.0.0.1:{}", self.api))
            .env("LOG_LEVEL", "warn")
            .envs(self.env.iter().map(|(name, value)| (name, value)))
            .stdout(Stdio::null())
            .stderr(self.log.as_ref().map_or_else(Stdio::inherit, |log| File::create(log).expect("a log").into()))
            .kill_on_drop(true)
            .spawn()
            .expect("the binary starts");
        self.child = Some(child);
        let ready = self.url("/health/ready");
        for _ in 0..1_200 {
            if let Some(status) = self.child.as_mut().and_then(|child| child.try_wait().expect("a child")) {
                panic!("soit ended while starting: {status}");
            }
            let answer = self.client.get(&ready).send().await;
            if answer.is_ok_and(|answer| answer.status().is_success()) {
                return;
            }
            tokio::time::sleep(Duration::from_millis(25)).await;
        }
        panic!("soit did not become ready");
    }

    /// Another command with its settings, beside it; run to its end.
    pub(crate) async fn command(&self, arguments: &[&str]) -> std::process::Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_soit"));
        command.args(arguments).env_clear().env("ENVIRONMENT", "test").env("DATA_DIR", self.data.path());
        command.envs(self.env.iter().map(|(name, value)| (name, value))).stdin(Stdio::null()).kill_on_drop(true);
        command.output().await.expect("the binary runs")
    }

    /// Its process id.
    pub(crate) fn pid(&self) -> String {
        self.child.as_ref().and_then(Child::id).expect("a running process").to_string()
    }

    /// Sends it a signal.
    pub(crate) async fn signal(&self, name: &str) {
        run("kill", &[&format!("-{name}"), &self.pid()]).await;
    }

    /// `kill -9`.
    pub(crate) async fn kill(&mut self) {
        let mut child = self.child.take().expect("a running process");
        child.kill().await.expect("it is killed");
    }

    /// Waits for its end; what it exits with.
    pub(crate) async fn wait(&mut self) -> Option<i32> {
        let mut child = self.child.take().expect("a running process");
        let ended = tokio::time::timeout(Duration::from_secs(30), child.wait()).await;
        ended.expect("it ends in time").expect("a status").code()
    }

    /// An address of the API listener.
    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://127.0.0.1:{}{path}", self.api)
    }

    /// The ports it listens on: the console's and the API's.
    pub(crate) fn ports(&self) -> [u16; 2] {
        [self.console, self.api]
    }

    /// Signs the bootstrap administrator in, with a fresh proof of identity.
    pub(crate) async fn admin(&self) -> Caller {
        let login = json!({"email": "admin@example.com", "password": "changeme123"});
        let anonymous = Caller { base: self.url(""), token: String::new(), client: self.client.clone() };
        let token = anonymous.send(reqwest::Method::POST, "/api/v1/login", Some(login)).await;
        let token = token["access_token"].as_str().expect("an access token").to_owned();
        let caller = Caller { token, ..anonymous };
        caller.post("/api/v1/me/step-up", json!({"password": "changeme123"})).await;
        caller
    }
}

/// Someone with a credential.
#[derive(Clone)]
pub(crate) struct Caller {
    base: String,
    token: String,
    client: reqwest::Client,
}

impl Caller {
    /// The same process with another credential.
    pub(crate) fn with_token(&self, token: &str) -> Self {
        Self { token: token.to_owned(), ..self.clone() }
    }

    /// The same credential at another process.
    pub(crate) fn at(&self, soit: &Soit) -> Self {
        Self { base: soit.url(""), ..self.clone() }
    }

    /// The request, for callers that want the answer as it comes.
    pub(crate) fn request(&self, method: reqwest::Method, path: &str, body: Option<Value>) -> reqwest::RequestBuilder {
        let mut request = self.client.request(method, format!("{}{path}", self.base));
        if !self.token.is_empty() {
            request = request.bearer_auth(&self.token);
        }
        match body {
            Some(body) => request.header("content-type", "application/json").body(body.to_string()),
            None => request,
        }
    }

    async fn send(&self, method: reqwest::Method, path: &str, body: Option<Value>) -> Value {
        let answer = self.request(method.clone(), path, body).send().await.expect("an answer");
        let status = answer.status();
        let text = answer.text().await.expect("a body");
        assert!(status.is_success(), "{method} {path}: {status} {text}");
        serde_json::from_str(&text).unwrap_or_default()
    }

    /// GET that must succeed.
    pub(crate) async fn get(&self, path: &str) -> Value {
        self.send(reqwest::Method::GET, path, None).await
    }

    /// POST that must succeed.
    pub(crate) async fn post(&self, path: &str, body: Value) -> Value {
        self.send(reqwest::Method::POST, path, Some(body)).await
    }

    /// PUT of the egress layer over the present one.
    pub(crate) async fn allow_egress(&self, host: &str, port: u16) {
        let path = "/api/v1/security/egress/workspace";
        let bundle = self.get(path).await["bundle_id"].as_str().expect("a bundle id").to_owned();
        let body = json!({
            "rules": [{"schemes": ["http"], "host": host, "ports": [port]}],
            "private_networks": ["127.0.0.0/8"],
            "reason": "the scripted provider",
        });
        let put = self.request(reqwest::Method::PUT, path, Some(body)).header("if-match", format!("\"{bundle}\""));
        let answer = put.send().await.expect("an answer");
        let status = answer.status();
        assert!(status.is_success(), "{path}: {status} {}", answer.text().await.unwrap_or_default());
    }
}

/// A program that must succeed.
pub(crate) async fn run(program: &str, arguments: &[&str]) {
    let status = Command::new(program).args(arguments).status().await.expect("it runs");
    assert!(status.success(), "{program} {arguments:?}: {status}");
}
