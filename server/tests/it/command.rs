//! The commands of the real binary: what they print and how they exit.

use std::path::Path;
use std::process::{Output, Stdio};
use std::time::Duration;

use migration::{Migrator, MigratorTrait};
use tempfile::TempDir;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::process::{Child, Command};

use crate::util::process::{free_port, http_client};

/// A folder and the settings of a soit that lives in it.
struct Install {
    data: TempDir,
    console: u16,
    api: u16,
}

impl Install {
    fn new() -> Self {
        Self { data: tempfile::tempdir().expect("a folder"), console: free_port(), api: free_port() }
    }

    fn path(&self) -> &Path {
        self.data.path()
    }

    fn command(&self, arguments: &[&str], settings: &[(&str, &str)]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_soit"));
        command
            .args(arguments)
            .env_clear()
            .env("ENVIRONMENT", "test")
            .env("DATA_DIR", self.path())
            .env("LISTEN_CONSOLE", format!("127.0.0.1:{}", self.console))
            .env("LISTEN_API", format!("127.0.0.1:{}", self.api))
            .envs(settings.iter().copied())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true);
        command
    }

    async fn run(&self, arguments: &[&str], settings: &[(&str, &str)]) -> Ran {
        Ran(self.command(arguments, settings).output().await.expect("the binary runs"))
    }

    /// Starts it; its greeting means that it is ready.
    async fn serve(&self, settings: &[(&str, &str)]) -> (Child, String) {
        self.serve_logging(settings, Stdio::null()).await
    }

    /// The same, with a place for its log.
    async fn serve_logging(&self, settings: &[(&str, &str)], log: Stdio) -> (Child, String) {
        let mut child = self.command(&["serve"], settings).stderr(log).spawn().expect("the binary starts");
        let mut lines = BufReader::new(child.stdout.take().expect("its stdout")).lines();
        let mut greeting = String::new();
        while let Some(line) = lines.next_line().await.expect("its greeting") {
            greeting.push_str(&line);
            greeting.push('\n');
            if line.contains("model:test:echo") {
                return (child, greeting);
            }
        }
        panic!("soit ended while starting: {greeting}");
    }
}

struct Ran(Output);

impl Ran {
    #[track_caller]
    fn exits(self, code: i32) -> Self {
        assert_eq!(self.0.status.code(), Some(code), "{}{}", self.out(), self.err());
        self
    }

    fn out(&self) -> String {
        String::from_utf8_lossy(&self.0.stdout).into_owned()
    }

    fn err(&self) -> String {
        String::from_utf8_lossy(&self.0.stderr).into_owned()
    }
}

/// Asks the process to end.
async fn terminate(child: &Child) {
    let pid = child.id().expect("a running process").to_string();
    let sent = Command::new("kill").args(["-TERM", &pid]).status().await.expect("kill runs");
    assert!(sent.success());
}

#[tokio::test]
async fn wrong_usage_exits_2_and_broken_settings_1() {
    let install = Install::new();
    install.run(&["fly"], &[]).await.exits(2);
    install.run(&["serve", "--colour"], &[]).await.exits(2);
    let refused = install.run(&["serve"], &[("SOIT_ROEL", "api"), ("LOG_LEVEL", "loud")]).await.exits(1);
    assert!(refused.err().contains("SOIT_ROEL") && refused.err().contains("LOG_LEVEL"), "{}", refused.err());
    assert!(install.run(&["serve", "--role", "gateway"], &[]).await.exits(1).err().contains("`all`"));
}

#[tokio::test]
async fn config_shows_where_each_value_comes_from_and_no_secret() {
    let install = Install::new();
    let file = install.path().join("soit.env");
    std::fs::write(&file, "LOG_LEVEL=debug\nMETRICS_TOKEN=canary-token\n").expect("a settings file");
    let shown = install.run(&["--env-file", file.to_str().expect("a path"), "config"], &[]).await.exits(0).out();
    for line in [
        "LOG_LEVEL=debug  (file)",
        "METRICS_TOKEN=set  (file)",
        "ENVIRONMENT=test  (environment)",
        "LEDGER_LANES=4  (default)",
    ] {
        assert!(shown.contains(line), "{line}\n{shown}");
    }
    assert!(!shown.contains("canary-token"));
    let public = format!("PUBLIC_URL=http://localhost:{}/  (default)", install.console);
    assert!(shown.contains(&public), "{public}\n{shown}");
    let refused = install.run(&["config", "--check"], &[("ENVIRONMENT", "production")]).await.exits(1).err();
    for name in ["PUBLIC_URL", "SECRET_KEY", "METRICS_TOKEN", "BOOTSTRAP_ADMIN_EMAIL", "BOOTSTRAP_ADMIN_PASSWORD"] {
        assert!(refused.contains(&format!("error: {name} ")), "{name}\n{refused}");
    }
    let broken = install.run(&["--env-file", "/nowhere/soit.env", "config"], &[]).await.exits(1).err();
    assert!(broken.contains("/nowhere/soit.env"), "{broken}");
}

#[tokio::test]
async fn migrate_tells_what_is_pending_and_does_it() {
    let install = Install::new();
    assert!(install.run(&["migrate", "--check"], &[]).await.exits(3).out().contains("pending 0001_"));
    let refused = install.run(&["serve"], &[("AUTO_MIGRATE", "false")]).await.exits(1).err();
    assert!(refused.contains("soit migrate"), "{refused}");
    assert!(install.run(&["migrate", "--json"], &[]).await.exits(0).out().contains("\"applied\""));
    install.run(&["migrate", "--check"], &[]).await.exits(0);
    let unknown = install.run(&["migrate", "--to", "0000_nothing"], &[]).await.exits(1).err();
    assert!(unknown.contains("--to") && unknown.contains("0001_foundation"), "{unknown}");
    let steps = Migrator::migrations();
    let newer: Vec<&str> = steps.iter().map(|step| step.name()).skip(1).collect();
    let newest = newer.last().expect("more than the first step");
    let there = install.run(&["migrate", "--to", newest, "--wait", "1"], &[]).await.exits(0).out();
    assert!(there.contains("up to date"), "{there}");
    let back = ["migrate", "--to", "0001_foundation"];
    let lossy = install.run(&back, &[]).await.exits(1).err();
    assert!(lossy.contains(&newer.join(", ")) && lossy.contains("--allow-data-loss"), "{lossy}");
    let reverted = install.run(&[&back[..], &["--allow-data-loss"]].concat(), &[]).await.exits(0).out();
    let told = |word: &str, name: &&str| format!("{word} {name}\n");
    assert_eq!(reverted, newer.iter().rev().map(|name| told("reverted", name)).collect::<String>());
    let pending: String = newer.iter().map(|name| told("pending", name)).collect();
    assert_eq!(install.run(&["migrate", "--check"], &[]).await.exits(3).out(), pending);
    let forth = install.run(&["migrate", "--to", newest], &[]).await.exits(0).out();
    assert_eq!(forth, pending.replace("pending", "applied"));
    install.run(&["migrate", "--allow-data-loss"], &[]).await.exits(2);
}

#[tokio::test]
async fn the_version_names_the_commit() {
    let version = Install::new().run(&["--version"], &[]).await.exits(0).out();
    assert!(version.starts_with(&format!("soit {} (commit ", env!("CARGO_PKG_VERSION"))), "{version}");
}

#[tokio::test]
async fn bootstrap_makes_one_account_once() {
    let install = Install::new();
    let arguments = ["bootstrap", "--email", "first@example.com", "--password-stdin", "--workspace", "lab"];
    let bootstrap = async |password: &str| {
        let mut child = install.command(&arguments, &[]).stdin(Stdio::piped()).spawn().expect("the binary starts");
        let mut stdin = child.stdin.take().expect("its stdin");
        stdin.write_all(password.as_bytes()).await.expect("the password is taken");
        drop(stdin);
        Ran(child.wait_with_output().await.expect("it ends"))
    };
    let weak = bootstrap("short\n").await.exits(1).err();
    assert!(weak.contains("--password-stdin: "), "{weak}");
    let wrong = install.run(&["bootstrap", "--email", "nobody"], &[]).await.exits(1).err();
    assert!(wrong.contains("--email: "), "{wrong}");
    let wrong = install.run(&["bootstrap"], &[("BOOTSTRAP_ADMIN_EMAIL", "nobody")]).await.exits(1).err();
    assert!(wrong.contains("BOOTSTRAP_ADMIN_EMAIL"), "{wrong}");
    assert!(bootstrap("four-unrelated-words-here\n").await.exits(0).out().contains("is made"));
    assert!(bootstrap("four-unrelated-words-here\n").await.exits(0).out().contains("nothing was changed"));
    assert!(install.run(&["bootstrap", "--json"], &[]).await.exits(0).out().contains("\"created\": false"));
}

#[tokio::test]
async fn who_lost_the_second_factor_is_helped_at_the_command_line() {
    let install = Install::new();
    let (child, _) = install.serve(&[]).await;
    let base = format!("http://127.0.0.1:{}", install.api);
    let client = http_client();
    let login = serde_json::json!({ "email": "admin@example.com", "password": "changeme123" });
    let post = async |path: &str, token: &str, body: &serde_json::Value| {
        let answer = client.post(format!("{base}/api/v1{path}")).bearer_auth(token).json(body).send().await;
        answer.expect("an answer").json::<serde_json::Value>().await.expect("a body")
    };
    let session = post("/login", "", &login).await;
    let token = session["access_token"].as_str().expect("a token");
    let setup = post("/me/mfa/setup", token, &serde_json::json!({})).await;
    let now = std::time::SystemTime::now().into();
    let code = testkit::totp::code(setup["secret"].as_str().expect("a seed"), now);
    post("/me/mfa/confirm", token, &serde_json::json!({ "code": code })).await;
    assert_eq!(post("/login", "", &login).await["mfa_required"], true);
    let disable = ["admin", "disable-mfa", "--email", "Admin@example.com"];
    let busy = install.run(&disable, &[]).await.exits(1).err();
    assert!(busy.contains("data_dir_locked"), "{busy}");
    terminate(&child).await;
    assert_eq!(child.wait_with_output().await.expect("it ends").status.code(), Some(0));

    install.run(&["admin"], &[]).await.exits(2);
    install.run(&["admin", "disable-mfa"], &[]).await.exits(2);
    for (email, word) in [("nobody@example.com", "no account"), ("nobody", "--email: ")] {
        let refused = install.run(&["admin", "disable-mfa", "--email", email], &[]).await.exits(1).err();
        assert!(refused.contains(word), "{refused}");
    }
    assert!(install.run(&disable, &[]).await.exits(0).out().contains("is taken away"));
    let twice = install.run(&[&disable[..], &["--json"]].concat(), &[]).await.exits(0).out();
    assert!(twice.contains("\"disabled\": false"), "{twice}");

    let (child, _) = install.serve(&[]).await;
    let session = post("/login", "", &login).await;
    let token = session["access_token"].as_str().expect("the password alone will do again");
    let audit = client.get(format!("{base}/api/v1/audit?limit=20")).bearer_auth(token).send().await.expect("an answer");
    let audit: serde_json::Value = audit.json().await.expect("a body");
    let rows = audit["items"].as_array().expect("rows");
    let row = rows.iter().find(|row| row["event_type"] == "mfa.disabled").expect("audited");
    assert_eq!(row["actor"], serde_json::json!({ "kind": "system", "id": "cli" }));
    drop(child);
}

#[tokio::test]
async fn a_fresh_folder_serves_keeps_its_data_and_belongs_to_one_process() {
    let install = Install::new();
    let (child, greeting) = install.serve(&[]).await;
    assert!(greeting.contains("admin@example.com / changeme123"), "{greeting}");
    assert!(greeting.contains(&format!("Console   http://localhost:{}\n", install.console)), "{greeting}");
    install.run(&["migrate", "--check"], &[]).await.exits(0);
    let second = install.run(&["serve"], &[]).await.exits(1).err();
    let pid = child.id().expect("a running process").to_string();
    assert!(second.contains("data_dir_locked") && second.contains(&pid), "{second}");
    assert_eq!(install.run(&["health", "--ready"], &[]).await.exits(0).out(), "ready\n");
    terminate(&child).await;
    let ended = child.wait_with_output().await.expect("it ends");
    assert_eq!(ended.status.code(), Some(0));
    install.run(&["health", "--timeout", "1"], &[]).await.exits(1);

    let key = std::fs::read(install.path().join("secret.key")).expect("a generated key");
    let (child, _) = install.serve(&[]).await;
    assert_eq!(std::fs::read(install.path().join("secret.key")).expect("the same key"), key);
    drop(child);
}

#[tokio::test]
async fn another_key_than_the_database_s_is_refused() {
    let install = Install::new();
    install.run(&["bootstrap"], &[("SECRET_KEY", "one-key-of-thirty-two-bytes-or-more")]).await.exits(0);
    let refused = install.run(&["serve"], &[("SECRET_KEY", "another-key-of-thirty-two-bytes-or-more")]).await;
    assert!(refused.exits(1).err().contains("secret_key_mismatch"));
}

#[tokio::test]
async fn a_call_in_flight_is_answered_after_the_signal_and_new_connections_are_refused() {
    let install = Install::new();
    let (child, _) = install.serve(&[]).await;
    let base = format!("http://127.0.0.1:{}", install.api);
    let client = http_client();
    let login = serde_json::json!({ "email": "admin@example.com", "password": "changeme123" });
    let session = client.post(format!("{base}/api/v1/login")).json(&login).send().await.expect("an answer");
    let session: serde_json::Value = session.json().await.expect("a session");
    let messages = serde_json::json!([{ "role": "user", "content": "hello" }]);
    let call = client
        .post(format!("{base}/v1/chat/completions"))
        .bearer_auth(session["access_token"].as_str().expect("a token"))
        .json(&serde_json::json!({ "model": "model:test:slow-1500", "messages": messages }))
        .send();
    #[expect(clippy::disallowed_methods, reason = "the test waits for the task itself")]
    let call = tokio::spawn(call);
    until(async || runs_in_flight(&client, &base).await == 1).await;
    terminate(&child).await;
    until(async || http_client().get(format!("{base}/health")).send().await.is_err()).await;
    assert!(call.await.expect("the task").expect("an answer").status().is_success());
    assert_eq!(child.wait_with_output().await.expect("it ends").status.code(), Some(0));
}

async fn runs_in_flight(client: &reqwest::Client, base: &str) -> u32 {
    let metrics = client.get(format!("{base}/metrics")).send().await.expect("metrics").text().await.expect("a body");
    let line = metrics.lines().find_map(|line| line.strip_prefix("soit_active_runs "));
    line.and_then(|number| number.parse().ok()).expect("the figure")
}

/// Asks again until it is so, for ten seconds at most.
async fn until(so: impl AsyncFn() -> bool) {
    let wait = async {
        while !so().await {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(Duration::from_secs(10), wait).await.expect("it comes to be so");
}

#[tokio::test]
async fn the_log_is_json_lines_that_name_their_request_and_hold_no_content() {
    let install = Install::new();
    let path = install.path().join("soit.log");
    let log = std::fs::File::create(&path).expect("a file for the log");
    let (child, _) = install.serve_logging(&[("LOG_LEVEL", "debug"), ("LOG_FORMAT", "json")], log.into()).await;
    let base = format!("http://127.0.0.1:{}", install.api);
    let client = http_client();
    let login = serde_json::json!({ "email": "admin@example.com", "password": "changeme123" });
    let session = client.post(format!("{base}/api/v1/login")).json(&login).send().await.expect("an answer");
    let session: serde_json::Value = session.json().await.expect("a session");
    let token = session["access_token"].as_str().expect("a token");
    let messages = serde_json::json!([{ "role": "user", "content": "canary-prompt" }]);
    let call = client
        .post(format!("{base}/v1/chat/completions?q=canary-query"))
        .bearer_auth(token)
        .json(&serde_json::json!({ "model": "model:test:echo", "messages": messages }));
    let run = call.send().await.expect("an answer").headers()["x-soit-run-id"].to_str().expect("an id").to_owned();
    let forged = client.get(format!("{base}/api/v1/runs?cursor=canary-cursor")).bearer_auth(token);
    assert_eq!(forged.send().await.expect("an answer").status(), 400);
    terminate(&child).await;
    assert_eq!(child.wait_with_output().await.expect("it ends").status.code(), Some(0));

    let text = std::fs::read_to_string(&path).expect("the log");
    let lines: Vec<serde_json::Value> = text.lines().map(|line| serde_json::from_str(line).expect(line)).collect();
    for line in &lines {
        for name in ["ts", "level", "target", "message"] {
            assert!(line[name].is_string(), "{name}: {line}");
        }
    }
    let call = lines.iter().find(|line| line["message"] == "request answered" && line["run_id"] == run.as_str());
    let call = call.expect("a line about the call");
    for (name, prefix) in [("request_id", "req_"), ("trace_id", ""), ("tenant_id", "ten_"), ("workspace_id", "wsp_")] {
        assert!(call[name].as_str().is_some_and(|value| value.starts_with(prefix)), "{name}: {call}");
    }
    for secret in ["canary-prompt", "canary-query", "canary-cursor", "admin@example.com", "changeme123", token] {
        assert!(!text.contains(secret), "{secret}");
    }
}

/// A line of stdout that is JSON.
fn json(ran: &Ran) -> serde_json::Value {
    serde_json::from_str(&ran.out()).expect("JSON")
}

/// The token of a link on stdout.
fn token(link: &str) -> &str {
    link.trim().split_once("/reset-password#").expect("a link").1
}

#[tokio::test]
async fn accounts_and_links_are_made_at_the_command_line() {
    let install = Install::new();
    install.run(&["bootstrap"], &[]).await.exits(0);
    install.run(&["admin"], &[]).await.exits(2);
    install.run(&["admin", "create-user"], &[]).await.exits(2);
    let public = [("PUBLIC_URL", "http://soit.example.com")];
    let made = install.run(&["admin", "create-user", "--email", "ada@example.com"], &public).await.exits(0);
    assert!(made.out().starts_with("http://soit.example.com/reset-password#sl_"), "{}", made.out());
    assert!(made.err().contains("is made") && !made.err().contains("sl_"));
    let twin = install.run(&["admin", "create-user", "--email", "Ada@example.com"], &[]).await.exits(1).err();
    assert!(twin.contains("--email: is taken"), "{twin}");
    let place = ["--tenant", "default", "--workspace", "nowhere"];
    let nowhere = [&["admin", "create-user", "--email", "bob@example.com"][..], &place].concat();
    let nowhere = install.run(&nowhere, &[]).await.exits(1).err();
    assert!(nowhere.contains("--workspace: "), "{nowhere}");
    let link = json(&install.run(&["admin", "reset-link", "--email", "ada@example.com", "--json"], &[]).await.exits(0));
    let unknown = install.run(&["admin", "reset-link", "--email", "nobody@example.com"], &[]).await.exits(1).err();
    assert!(unknown.contains("--email: is the address of no account"), "{unknown}");
    let operator = ["admin", "make-operator", "--email", "ada@example.com", "--json"];
    for changed in [true, false] {
        assert_eq!(json(&install.run(&operator, &[]).await.exits(0))["changed"], changed);
    }

    let (child, _) = install.serve(&[]).await;
    let busy = install.run(&operator, &[]).await.exits(1).err();
    assert!(busy.contains("data_dir_locked"), "a SQLite file belongs to one process: {busy}");
    let (base, client) = (format!("http://127.0.0.1:{}/api/v1", install.api), http_client());
    let old = serde_json::json!({ "token": token(&made.out()), "password": "lantern orchid gravel 42" });
    let reset = |body: serde_json::Value| client.post(format!("{base}/auth/password-reset/confirm")).json(&body).send();
    assert_eq!(reset(old).await.expect("an answer").status(), 410, "the newest link counts");
    let new = token(link["link"].as_str().expect("a link"));
    let new = serde_json::json!({ "token": new, "password": "lantern orchid gravel 42" });
    assert_eq!(reset(new).await.expect("an answer").status(), 204);
    let login = serde_json::json!({ "email": "ada@example.com", "password": "lantern orchid gravel 42" });
    let session = client.post(format!("{base}/login")).json(&login).send().await.expect("an answer");
    let session: serde_json::Value = session.json().await.expect("a session");
    assert_eq!((&session["user"]["is_operator"], &session["workspaces"][0]["role"]), (&true.into(), &"owner".into()));
    let audit = client.get(format!("{base}/audit")).bearer_auth(session["access_token"].as_str().expect("a token"));
    let audit = audit.send().await.expect("an answer").text().await.expect("a body");
    assert!(audit.contains("admin.create_user") && audit.contains("\"cli\"") && !audit.contains("sl_"), "{audit}");
    terminate(&child).await;
}

#[tokio::test]
async fn on_postgres_a_link_is_made_beside_a_process_that_serves() {
    let database = testkit::database::TestDatabase::postgres().await;
    let (install, settings) = (Install::new(), [("DATABASE_URL", database.url())]);
    let (child, _) = install.serve(&settings).await;
    let made = install.run(&["admin", "reset-link", "--email", "admin@example.com"], &settings).await.exits(0);
    let body = serde_json::json!({ "token": token(&made.out()), "password": "lantern orchid gravel 42" });
    let path = format!("http://127.0.0.1:{}/api/v1/auth/password-reset/confirm", install.api);
    assert_eq!(http_client().post(path).json(&body).send().await.expect("an answer").status(), 204);
    terminate(&child).await;
}

#[tokio::test]
async fn a_signing_key_is_rotated_and_the_one_before_stays_known() {
    let install = Install::new();
    install.run(&["migrate"], &[]).await.exits(0);
    let json = |ran: &Ran| serde_json::from_str::<serde_json::Value>(&ran.out()).expect("JSON");
    let nothing = json(&install.run(&["admin", "rotate-signing-key", "--finish", "--json"], &[]).await.exits(0));
    assert_eq!(nothing["key_id"], serde_json::Value::Null);
    let first = json(&install.run(&["admin", "rotate-signing-key", "--json"], &[]).await.exits(0));
    let second = json(&install.run(&["admin", "rotate-signing-key", "--json"], &[]).await.exits(0));
    assert_eq!(second["previous_key_id"], first["key_id"]);
    assert!(second["chains"].as_u64() >= Some(1), "{second}");
    let told = install.run(&["admin", "rotate-signing-key", "--finish"], &[]).await.exits(0).out();
    assert!(told.contains(second["key_id"].as_str().expect("a key")), "{told}");
    let (child, _) = install.serve(&[]).await;
    let keys = http_client().get(format!("http://127.0.0.1:{}/.well-known/soit-keys.json", install.api)).send().await;
    let keys: serde_json::Value = keys.expect("an answer").json().await.expect("JSON");
    let ids: Vec<_> = keys["keys"].as_array().expect("keys").iter().map(|key| key["key_id"].clone()).collect();
    assert_eq!((ids.len(), &ids[..2]), (3, &[second["key_id"].clone(), first["key_id"].clone()][..]));
    assert_eq!(keys["rotations"].as_array().expect("rotations").len(), 2);
    terminate(&child).await;
}
