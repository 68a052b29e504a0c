//! Erasing the content of a workspace: nothing of it is left anywhere, what proves the rest stays, and a killed process loses
//! nothing of the work.

use std::path::Path;
use std::time::Duration;

use serde_json::{Value, json};
use testkit::database::{Engine, TestDatabase};
use testkit::upstream::Upstream;

use crate::canary::files;
use crate::util::books::shared;
use crate::util::process::{Caller, Soit};

/// What is said before.
const BEFORE: &str = "canary-1c77e0-before";
/// What is said before, and held.
const HELD: &str = "canary-90be42-held";
/// What is said after.
const AFTER: &str = "canary-b3d5aa-after";

async fn say(key: &Caller, words: &str) -> String {
    let body = json!({ "model": "model:test:echo", "messages": [{ "role": "user", "content": words }] });
    let answer =
        key.request(reqwest::Method::POST, "/v1/chat/completions", Some(body)).send().await.expect("an answer");
    assert!(answer.status().is_success());
    answer.headers()["x-soit-run-id"].to_str().expect("an id").to_owned()
}

/// A provider whose errors repeat what they were asked, with models that do what their names say; the path of its models.
async fn upstream(admin: &Caller, names: &[&str]) -> (Upstream, String) {
    let upstream = Upstream::start().await.expect("an upstream");
    admin.allow_egress("127.0.0.1", upstream.address().port()).await;
    let account = json!({ "name": "Up", "slug": "up", "kind": "openai_compatible", "max_retries": 0,
        "base_url": upstream.base_url(), "credential": "a-credential" });
    let account = admin.post("/api/v1/modelhub/providers", account).await;
    let models = format!("/api/v1/modelhub/providers/{}/models", account["id"].as_str().expect("an id"));
    for name in names {
        admin.post(&models, json!({ "model_id": name, "capabilities": ["chat", "stream"] })).await;
    }
    (upstream, models)
}

/// What a call of a model answers, refusals included.
async fn told(key: &Caller, model: &str, words: &str) -> String {
    let body = json!({ "model": model, "messages": [{ "role": "user", "content": words }] });
    let answer =
        key.request(reqwest::Method::POST, "/v1/chat/completions", Some(body)).send().await.expect("an answer");
    answer.text().await.expect("a body")
}

/// A run is repeated from its record and comes to something else: its model is not there any more.
async fn diverges(admin: &Caller, models: &str, run: &str, model_id: &str) {
    let listed = admin.get(models).await;
    let model = listed["items"].as_array().expect("models").iter().find(|model| model["model_id"] == model_id);
    let path = format!("{models}/{}", model.expect("the model")["id"].as_str().expect("an id"));
    let present = admin.request(reqwest::Method::GET, &path, None).send().await.expect("an answer");
    let change = admin.request(reqwest::Method::PATCH, &path, Some(json!({ "enabled": false })));
    let change = change.header("if-match", present.headers()["etag"].clone()).send().await.expect("an answer");
    assert!(change.status().is_success(), "{:?}", change.text().await);
    let path = format!("/api/v1/runs/{run}/reexecute");
    let answer = admin.request(reqwest::Method::POST, &path, None).send().await.expect("an answer");
    let answer: Value = answer.json().await.expect("a body");
    assert_eq!(answer["replay"]["outcome"], "diverged", "{answer}");
}

async fn workspace(admin: &Caller) -> String {
    admin.get("/api/v1/me/workspaces").await["items"][0]["id"].as_str().expect("an id").to_owned()
}

async fn until(admin: &Caller, id: &str, status: &str, within: Duration) -> Value {
    let stands = async {
        loop {
            let task = admin.get(&format!("/api/v1/tasks/{id}")).await;
            if task["status"] == status {
                return task;
            }
            assert_ne!(task["status"], "failed", "{task}");
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    };
    tokio::time::timeout(within, stands).await.unwrap_or_else(|_| panic!("{id} is not `{status}` in {within:?}"))
}

/// The tables whose rows hold a text, as text or as bytes.
async fn holding(database: &TestDatabase, text: &str) -> Vec<String> {
    let hex: String = text.bytes().map(|byte| format!("{byte:02x}")).collect();
    let tables = "SELECT table_name::text FROM information_schema.tables WHERE table_schema = current_schema()";
    let mut holding = Vec::new();
    for table in database.texts(tables).await {
        let found =
            format!("SELECT t::text FROM \"{table}\" t WHERE t::text LIKE '%{text}%' OR t::text LIKE '%{hex}%'");
        if !database.texts(&found).await.is_empty() {
            holding.push(table);
        }
    }
    holding
}

/// Where a text is found: files of the data directory and of the database, or tables.
pub(crate) async fn found(database: &TestDatabase, data: &Path, text: &str) -> Vec<String> {
    let read = |path: &std::path::PathBuf| std::fs::read(path).unwrap_or_default();
    let files = files(data).into_iter().filter(|path| holds(&read(path), text));
    let mut places: Vec<String> = files.map(|path| path.display().to_string()).collect();
    match database.engine() {
        Engine::Postgres => places.extend(holding(database, text).await),
        Engine::Sqlite => {
            let path = database.url().trim_start_matches("sqlite://");
            for end in ["", "-wal"] {
                let bytes = std::fs::read(format!("{path}{end}")).unwrap_or_default();
                if holds(&bytes, text) {
                    places.push(format!("{path}{end}"));
                }
            }
        }
    }
    places
}

fn holds(bytes: &[u8], text: &str) -> bool {
    bytes.windows(text.len()).any(|window| window == text.as_bytes())
}

pub(crate) fn settings(database: &TestDatabase) -> Vec<(&str, &str)> {
    match database.engine() {
        Engine::Postgres => shared(database.url()).to_vec(),
        Engine::Sqlite => vec![("DATABASE_URL", database.url())],
    }
}

async fn nothing_of_before_is_left(engine: Engine) {
    let database = TestDatabase::new(engine).await;
    let mut soit = Soit::new(&settings(&database));
    soit.start().await;
    let admin = soit.admin().await;
    let key = admin.post("/api/v1/api-keys", json!({ "name": "k", "scopes": ["write"] })).await;
    let key = admin.with_token(key["api_key"].as_str().expect("a key"));
    let gone = say(&key, BEFORE).await;
    // A provider that says what it was asked, and a repetition that comes to something else.
    let (_upstream, models) = upstream(&admin, &["status-400", "error-in-200", "echo"]).await;
    for model in ["model:up:status-400", "model:up:error-in-200"] {
        assert!(told(&key, model, BEFORE).await.contains(BEFORE), "its caller is told");
    }
    told(&key, "model:up:echo", BEFORE).await;
    let runs = admin.get("/api/v1/runs?limit=200").await;
    let source = runs["items"].as_array().expect("runs").iter().find(|run| run["model_ref"] == "model:up:echo");
    diverges(&admin, &models, source.expect("the run")["id"].as_str().expect("an id"), "echo").await;
    let held = say(&key, HELD).await;
    let feedback = json!({ "rating": "down", "comment": format!("{BEFORE} said somebody") });
    admin.post(&format!("/api/v1/runs/{gone}/feedback"), feedback).await;
    let hold = json!({ "name": "case", "reason": "a case", "filter": { "run_ids": [held] } });
    admin.post("/api/v1/legal-holds", hold).await;
    // Only what ended before: the clocks of the two are the same.
    tokio::time::sleep(Duration::from_millis(20)).await;
    let before = chrono::DateTime::<chrono::Utc>::from(std::time::SystemTime::now());
    tokio::time::sleep(Duration::from_millis(20)).await;
    let kept = say(&key, AFTER).await;
    assert!(!found(&database, soit.data_dir(), BEFORE).await.is_empty(), "it was there");

    let path = format!("/api/v1/workspaces/{}/content/scrub", workspace(&admin).await);
    let task = admin.post(&path, json!({ "before": before })).await;
    let id = task["id"].as_str().expect("an id");
    let done = until(&admin, id, "succeeded", Duration::from_secs(20)).await;
    assert!(done["progress"]["done"].as_u64() >= Some(4), "{done}");
    assert_eq!(found(&database, soit.data_dir(), BEFORE).await, [""; 0]);
    for words in [HELD, AFTER] {
        assert!(!found(&database, soit.data_dir(), words).await.is_empty(), "{words} stays");
    }
    let run = admin.get(&format!("/api/v1/runs/{gone}")).await;
    assert_eq!((&run["status"], &run["input"]["preview"]), (&json!("succeeded"), &Value::Null), "{run}");
    for (run, words) in [(held, HELD), (kept, AFTER)] {
        let run = admin.get(&format!("/api/v1/runs/{run}")).await;
        assert!(run["input"]["preview"].as_str().is_some_and(|text| text.contains(words)), "{run}");
    }
    let chain = admin.get("/api/v1/audit/chain/verify").await;
    assert_eq!(chain["valid"], true, "{chain}");
    let audit = admin.get("/api/v1/audit?operation=content.scrub").await;
    let names: Vec<&str> =
        audit["items"].as_array().expect("a list").iter().filter_map(|row| row["event_type"].as_str()).collect();
    assert_eq!(names, ["content.scrubbed", "content.scrub_requested"]);
    assert_eq!(audit["items"][0]["payload"]["runs"], done["progress"]["done"], "{audit}");
    // Once more there is nothing to do, and it does no harm.
    let task = admin.post(&path, json!({ "before": before })).await;
    let done = until(&admin, task["id"].as_str().expect("an id"), "succeeded", Duration::from_secs(20)).await;
    assert_eq!(done["progress"]["done"], 0, "{done}");
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_of_what_was_said_before_is_left_on_sqlite() {
    nothing_of_before_is_left(Engine::Sqlite).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_of_what_was_said_before_is_left_on_postgres() {
    nothing_of_before_is_left(Engine::Postgres).await;
}

/// A file that is so large that a purge leaves it for a day: who asks for a scrub is told it is done when it is.
#[tokio::test(flavor = "multi_thread")]
async fn a_large_file_is_written_anew_for_a_scrub_however_lately_it_was() {
    let database = TestDatabase::new(Engine::Sqlite).await;
    let mut soit = Soit::new(&settings(&database));
    soit.start().await;
    let admin = soit.admin().await;
    let key = admin.post("/api/v1/api-keys", json!({ "name": "k", "scopes": ["write"] })).await;
    let key = admin.with_token(key["api_key"].as_str().expect("a key"));
    database.texts("CREATE TABLE ballast AS SELECT zeroblob(280000000) AS weight").await;
    let file = std::fs::metadata(database.url().trim_start_matches("sqlite://")).expect("the file");
    assert!(file.len() > 256 * 1024 * 1024, "it is large: {}", file.len());
    let nil = "X'00000000000000000000000000000000'";
    let now = "CAST(strftime('%s', 'now') AS INTEGER)";
    let wiped = format!("INSERT INTO sequences (tenant_id, key, value) VALUES ({nil}, 'purge:wiped', {now})");
    database.texts(&format!("{wiped} ON CONFLICT DO UPDATE SET value = {now}")).await;
    say(&key, BEFORE).await;
    tokio::time::sleep(Duration::from_millis(20)).await;
    let before = chrono::DateTime::<chrono::Utc>::from(std::time::SystemTime::now());
    let path = format!("/api/v1/workspaces/{}/content/scrub", workspace(&admin).await);
    let task = admin.post(&path, json!({ "before": before })).await;
    until(&admin, task["id"].as_str().expect("an id"), "succeeded", Duration::from_secs(60)).await;
    assert_eq!(found(&database, soit.data_dir(), BEFORE).await, [""; 0]);
}

/// A process is killed that has a task: another one, or the next, does it, once.
async fn a_killed_process_loses_no_task(engine: Engine, within: Duration) {
    let database = TestDatabase::new(engine).await;
    let mut soit = Soit::new(&settings(&database));
    soit.start().await;
    let admin = soit.admin().await;
    let path = format!("/api/v1/workspaces/{}/content/scrub", workspace(&admin).await);
    let task = admin.post(&path, json!({ "before": "2026-01-01T00:00:00Z" })).await;
    let id = task["id"].as_str().expect("an id").to_owned();
    until(&admin, &id, "succeeded", Duration::from_secs(20)).await;
    // As it stands in the middle of its work: taken by the process, for the next minute.
    let minute = match engine {
        Engine::Sqlite => "strftime('%Y-%m-%dT%H:%M:%f000Z', 'now', '+60 seconds')",
        Engine::Postgres => "now() + INTERVAL '60 seconds'",
    };
    let alive = "(SELECT id FROM processes WHERE alive)";
    let taken = format!(
        "UPDATE tasks SET status = 'running', finished_at = NULL, lease_until = {minute}, lease_owner = {alive} RETURNING status"
    );
    assert_eq!(database.texts(&taken).await, ["running"]);
    soit.kill().await;
    let since = std::time::Instant::now();
    soit.start().await;
    let admin = soit.admin().await;
    let done = until(&admin, &id, "succeeded", within).await;
    assert!(since.elapsed() < within, "{:?}", since.elapsed());
    assert_eq!((&done["attempts"], &done["last_error"]["code"]), (&json!(2), &json!("process_lost")), "{done}");
    let audit = admin.get("/api/v1/audit?event_type=content.scrubbed").await;
    assert_eq!(audit["items"].as_array().map(Vec::len), Some(2), "once before, and once more: {audit}");
    assert_eq!(admin.get("/api/v1/observe/dead-letters?kind=task").await["items"], json!([]));
}

#[tokio::test(flavor = "multi_thread")]
async fn kill_9_loses_no_task_on_sqlite() {
    a_killed_process_loses_no_task(Engine::Sqlite, Duration::from_secs(10)).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn kill_9_loses_no_task_on_postgres() {
    a_killed_process_loses_no_task(Engine::Postgres, Duration::from_secs(40)).await;
}

/// The one that is killed had it; the other one, which lives on, does it.
#[tokio::test(flavor = "multi_thread")]
async fn of_two_processes_the_other_one_goes_on() {
    let database = TestDatabase::postgres().await;
    let settings = settings(&database);
    let (mut dies, mut lives) = (Soit::new(&settings), Soit::new(&settings));
    dies.start().await;
    let dying = database.texts("SELECT id::text FROM processes WHERE alive").await.remove(0);
    lives.start().await;
    let admin = lives.admin().await;
    let path = format!("/api/v1/workspaces/{}/content/scrub", workspace(&admin).await);
    let task = admin.post(&path, json!({ "before": "2026-01-01T00:00:00Z" })).await;
    let id = task["id"].as_str().expect("an id").to_owned();
    until(&admin, &id, "succeeded", Duration::from_secs(20)).await;
    let taken = format!(
        "UPDATE tasks SET status = 'running', finished_at = NULL, lease_until = now() + INTERVAL '60 seconds', \
         lease_owner = '{dying}' RETURNING status"
    );
    database.texts(&taken).await;
    dies.kill().await;
    let done = until(&admin, &id, "succeeded", Duration::from_secs(40)).await;
    assert_eq!(done["attempts"], 2, "{done}");
}
