//! Long content of runs: kept whole, found again byte by byte, in files and in a bucket; and what happens when the store does
//! not do its part.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use futures::StreamExt;
use http::Request;
use http::header::{ETAG, IF_NONE_MATCH};
use kernel::artifact::Of;
use kernel::context::Scope;
use kernel::ledger::{Batch, Durability, NewArtifact, Op};
use reqwest::Method;
use serde_json::{Value, json};
use server::compose::compose;
use server::config::{Config, Source};
use server::health::Status;
use tempfile::TempDir;
use testkit::database::{Fault, Proxy, TestDatabase};
use testkit::s3::{Bucket, S3Answer, ScriptedS3};

use crate::canary::files;
use crate::identity::people;
use crate::util::books::{Stage, shared};
use crate::util::process::Soit;
use crate::util::test_app::{Answer, Caller, TestApp};

/// Credentials that the S3 server of the tests takes.
const WHO: [(&str, &str); 2] = [("STORAGE_ACCESS_KEY_ID", "an-id"), ("STORAGE_SECRET_ACCESS_KEY", "a-secret")];

/// More than lies in a row.
fn large(marker: &str) -> String {
    format!("{marker} ").repeat(20_000 / (marker.len() + 1) + 1)
}

fn chat(text: &str) -> Value {
    json!({ "model": "model:test:echo", "messages": [{ "role": "user", "content": text }] })
}

async fn on_bucket(database: TestDatabase, bucket: &Bucket) -> TestApp {
    let url = bucket.url("artifacts");
    TestApp::start(database, &[&WHO[..], &[("STORAGE_URL", &url)]].concat()).await
}

/// On files of a folder the test can look into.
async fn on_files(database: TestDatabase) -> (TestApp, TempDir) {
    let folder = tempfile::tempdir().expect("a folder");
    let url = format!("file://{}", folder.path().join("artifacts").display());
    (TestApp::start(database, &[("STORAGE_URL", &url)]).await, folder)
}

/// Files of objects; not those of the store itself.
fn objects(folder: &Path) -> Vec<PathBuf> {
    files(folder).into_iter().filter(|path| path.file_name().is_some_and(|name| name.len() == 64)).collect()
}

async fn run_of(admin: &Caller, answer: &Answer) -> Value {
    admin.get(&format!("/api/v1/runs/{}", answer.header("x-soit-run-id"))).await.expect(200)
}

/// Those of a list that hold texts; one more holds what a replay takes.
fn texts(listed: &Value) -> Vec<Value> {
    let listed = listed["items"].as_array().expect("items").iter();
    listed.filter(|artifact| artifact["kind"] != "messages").cloned().collect()
}

fn content(run: &Value, artifact: &Value) -> String {
    let text = |value: &Value| value.as_str().expect("an id").to_owned();
    format!("/api/v1/runs/{}/artifacts/{}/content", text(&run["id"]), text(artifact))
}

async fn long_texts_come_back(database: TestDatabase) {
    let app = TestApp::start(database, &[]).await;
    let (admin, key) = (app.admin().await, app.key(&["write"]).await);
    for text in ["ä".repeat(3000), large("word")] {
        let answer = key.post("/v1/chat/completions", chat(&text)).await;
        let said = answer.expect(200)["choices"][0]["message"]["content"].as_str().expect("a text").to_owned();
        let run = run_of(&admin, &answer).await;
        let steps = admin.get(&format!("/api/v1/runs/{}/steps", answer.header("x-soit-run-id"))).await.expect(200);
        let listed = admin.get(&format!("/api/v1/runs/{}/artifacts", answer.header("x-soit-run-id"))).await.expect(200);
        let listed = texts(&listed);
        assert_eq!(listed.len(), 2, "{listed:?}");
        for (side, whole) in [("input", &text), ("output", &said)] {
            let kept = &run[side];
            assert_eq!(kept["artifact_id"], steps["items"][0][side]["artifact_id"]);
            assert_eq!(kept["preview"].as_str().map(|text| text.chars().count()), Some(2048));
            let found = listed.iter().find(|found| found["id"] == kept["artifact_id"]).expect("it is listed");
            assert_eq!((&found["kind"], &found["size"]), (&json!("file"), &json!(whole.len())));
            let file = admin.get(&content(&run, &kept["artifact_id"])).await;
            assert_eq!((file.status, &file.text), (200, whole));
            let tag = format!("\"{}\"", found["sha256"].as_str().expect("a digest"));
            for (name, value) in [
                ("content-type", "text/plain; charset=utf-8"),
                ("content-length", &whole.len().to_string()),
                ("etag", &tag),
                ("x-content-type-options", "nosniff"),
                ("content-security-policy", "sandbox; default-src 'none'"),
                ("cache-control", "no-store"),
            ] {
                assert_eq!(file.header(name), value);
            }
            let name = format!("attachment; filename=\"{}.txt\"", found["id"].as_str().expect("an id"));
            assert_eq!(file.header("content-disposition"), name);
            let again = admin.clone().header(IF_NONE_MATCH, &tag).get(&content(&run, &kept["artifact_id"])).await;
            assert_eq!((again.status, again.text.as_str(), again.header(ETAG.as_str())), (304, "", tag.as_str()));
        }
    }
    let answer = key.post("/v1/chat/completions", chat("short")).await;
    let run = run_of(&admin, &answer).await;
    assert_eq!((&run["input"]["artifact_id"], &run["output"]["artifact_id"]), (&Value::Null, &Value::Null));
    let listed = admin.get(&format!("/api/v1/runs/{}/artifacts", answer.header("x-soit-run-id"))).await;
    assert_eq!(texts(&listed.expect(200)), Vec::<Value>::new());
}

#[tokio::test]
async fn long_texts_come_back_byte_by_byte_on_sqlite() {
    long_texts_come_back(TestDatabase::sqlite().await).await;
}

#[tokio::test]
async fn long_texts_come_back_byte_by_byte_on_postgres() {
    long_texts_come_back(TestDatabase::postgres().await).await;
}

async fn nobody_else_reads(database: TestDatabase) {
    let app = TestApp::start(database, &[]).await;
    let home = people::first_home(&app).await;
    let elsewhere = people::new_home(&app, "elsewhere").await;
    people::new_member(&app, &elsewhere, "foreign@example.com", types::identity::Role::Owner).await;
    people::new_member(&app, &home, "viewer@example.com", types::identity::Role::Viewer).await;
    let (admin, key) = (app.admin().await, app.key(&["write"]).await);
    let one = run_of(&admin, &key.post("/v1/chat/completions", chat(&large("one"))).await).await;
    let two = run_of(&admin, &key.post("/v1/chat/completions", chat(&large("two"))).await).await;
    let own = content(&one, &one["input"]["artifact_id"]);
    let viewer = people::signed_in(&app, "viewer@example.com").await;
    assert_eq!(viewer.get(&own).await.status, 200, "who may read the run may read what it keeps");

    let unknown = json!("art_01jz8k0000000000000000000a");
    let foreign = people::signed_in(&app, "foreign@example.com").await;
    let refused = |answer: Answer| {
        let mut problem = answer.expect(404);
        problem["instance"] = Value::Null;
        problem
    };
    let missing = refused(admin.get(&content(&one, &unknown)).await);
    for (who, path) in [
        (&foreign, own.clone()),
        (&foreign, content(&one, &unknown)),
        (&admin, content(&two, &one["input"]["artifact_id"])),
        (&admin, content(&json!({ "id": "run_01jz8k0000000000000000000a" }), &one["input"]["artifact_id"])),
        (&foreign, format!("/api/v1/runs/{}/artifacts", one["id"].as_str().expect("an id"))),
    ] {
        assert_eq!(refused(who.get(&path).await), missing, "{path}");
    }
    assert_eq!(app.anon().get(&own).await.status, 401);
    assert_eq!(refused(admin.get(&own.replace("art_", "run_")).await), missing, "an id of another kind");
}

#[tokio::test]
async fn what_is_foreign_is_as_unknown_as_what_is_not_there_on_sqlite() {
    nobody_else_reads(TestDatabase::sqlite().await).await;
}

#[tokio::test]
async fn what_is_foreign_is_as_unknown_as_what_is_not_there_on_postgres() {
    nobody_else_reads(TestDatabase::postgres().await).await;
}

#[tokio::test]
async fn the_console_offers_the_whole_as_a_file() {
    let app = TestApp::sqlite().await;
    let (admin, key) = (app.admin().await, app.key(&["write"]).await);
    let text = large("word");
    let run = run_of(&admin, &key.post("/v1/chat/completions", chat(&text)).await).await;
    let (id, artifact) = (run["id"].as_str().expect("an id"), run["input"]["artifact_id"].as_str().expect("an id"));
    let href = format!("/ui/download/runs/{id}/artifacts/{artifact}?w=default");
    let home = people::first_home(&app).await;
    people::new_member(&app, &home, "viewer@example.com", types::identity::Role::Viewer).await;
    let console = people::at_console(&app, "viewer@example.com").await;
    let page = console.get(&format!("/w/default/runs/{id}")).await;
    assert!(page.status == 200 && page.text.contains(&href), "{}", page.text);
    let file = console.get(&href).await;
    assert_eq!((file.status, &file.text), (200, &text));
    assert_eq!(file.header("content-security-policy"), "sandbox; default-src 'none'");
    assert!(file.header("content-disposition").starts_with("attachment;"));
    assert_eq!(console.get(&href.replace("?w=default", "?w=other")).await.status, 404);
    assert_eq!(app.browser().get(&href).await.status, 401);
}

/// What the object was made of, is answered; what it was made into, never is.
async fn altered_objects_are_refused(app: &TestApp, folder: &Path) {
    let (admin, key) = (app.admin().await, app.key(&["write"]).await);
    let answer = key.post("/v1/chat/completions", chat(&large("word"))).await;
    let run = run_of(&admin, &answer).await;
    let path = content(&run, &run["input"]["artifact_id"]);
    let whole = admin.get(&path).await;
    assert_eq!(whole.status, 200);
    let object = objects(folder).into_iter().find(|path| std::fs::read(path).expect("a file") == whole.text.as_bytes());
    let object = object.expect("the object of the input");
    let longer = format!("{}!", whole.text);
    let shorter = &whole.text[1..];
    let other = whole.text.replacen('w', "W", 1);
    for altered in [longer.as_str(), shorter, &other, ""] {
        std::fs::write(&object, altered).expect("a file");
        let refused = admin.get(&path).await;
        assert_eq!(refused.status, 500, "{}", refused.text);
        let problem = refused.expect(500);
        assert_eq!(problem["code"], "artifact_corrupt");
        let named = run["input"]["artifact_id"].as_str().expect("an id");
        assert!(problem["detail"].as_str().is_some_and(|detail| detail.contains(named)), "{problem}");
        assert!(!problem.to_string().contains(&folder.display().to_string()), "no path leaves");
    }
    std::fs::remove_file(&object).expect("a file that goes");
    assert_eq!(admin.get(&path).await.expect(500)["code"], "artifact_corrupt");
    std::fs::write(&object, &whole.text).expect("a file");
    assert_eq!(admin.get(&path).await.text, whole.text, "put back, it is right again");
}

#[tokio::test]
async fn an_object_that_was_altered_is_refused_by_name() {
    let (app, folder) = on_files(TestDatabase::sqlite().await).await;
    altered_objects_are_refused(&app, folder.path()).await;
}

/// Of a large one: pieces of it, read while the memory holds two at most.
async fn is_read_in_pieces(app: &TestApp) {
    const SIZE: usize = 20 * 1024 * 1024;
    let (admin, key) = (app.admin().await, app.key(&["write"]).await);
    let run = run_of(&admin, &key.post("/v1/chat/completions", chat("short")).await).await;
    let home = people::first_home(app).await;
    let run_id = run["id"].as_str().expect("an id").parse().expect("an id");
    let of = Of { run_id: Some(run_id), ..Of::default() };
    let bytes: Vec<u8> = (0..SIZE).map(|at| u8::try_from(at % 251).expect("small")).collect();
    let artifact = kept(app, home.scope, &bytes, of).await;
    name(app, home.scope, Op::ArtifactAdd(Arc::clone(&artifact))).await;

    let path = content(&run, &json!(artifact.id));
    let answer = admin.respond(Request::get(&path).body(Body::empty()).expect("a request")).await;
    assert_eq!(
        (answer.status().as_u16(), &answer.headers()["content-type"]),
        (200, &"application/octet-stream".parse().expect("a type"))
    );
    let mut body = answer.into_body().into_data_stream();
    let (mut at, mut largest) = (0, 0);
    while let Some(piece) = body.next().await {
        let piece = piece.expect("a piece");
        assert!(piece[..] == bytes[at..at + piece.len()], "at {at}");
        (at, largest) = (at + piece.len(), largest.max(piece.len()));
    }
    assert_eq!(at, SIZE);
    assert!(largest <= 1024 * 1024, "{largest}");
}

/// Kept in the end, also by a server that is slower than calls would wait.
async fn kept(app: &TestApp, scope: Scope, bytes: &[u8], of: Of) -> Arc<NewArtifact> {
    for _ in 0..60 {
        if let Ok(artifact) = app.app.keeper.keep(scope, bytes.to_vec(), of).await {
            return artifact;
        }
        tokio::time::sleep(Duration::from_secs(1)).await;
    }
    panic!("the store takes nothing");
}

async fn name(app: &TestApp, scope: Scope, op: Op) {
    app.app.ledger.commit(Batch::opening(scope, Durability::Process).with([op])).await.expect("a row");
}

#[tokio::test]
async fn twenty_megabytes_are_read_in_pieces_from_files() {
    is_read_in_pieces(&on_files(TestDatabase::sqlite().await).await.0).await;
}

#[tokio::test]
async fn twenty_megabytes_are_read_in_pieces_from_a_bucket() {
    let bucket = Bucket::new().await;
    is_read_in_pieces(&on_bucket(TestDatabase::sqlite().await, &bucket).await).await;
}

#[tokio::test]
async fn two_processes_share_a_bucket() {
    let (bucket, database) = (Bucket::new().await, TestDatabase::postgres().await);
    let url = bucket.url("artifacts");
    let settings = [
        ("DATABASE_URL", database.url()),
        ("LIMITS_ON_STORE_DOWN", "local"),
        ("SECRET_KEY", "a-key-for-tests-of-thirty-two-bytes-or-more"),
        ("STORAGE_URL", url.as_str()),
        WHO[0],
        WHO[1],
    ];
    let (mut first, mut second) = (Soit::new(&settings), Soit::new(&settings));
    first.start().await;
    // No word of STORAGE_SHARED: a bucket is shared by itself.
    second.start().await;
    let admin = first.admin().await;
    let key = admin.post("/api/v1/api-keys", json!({ "name": "k", "scopes": ["write"] })).await;
    let key = admin.with_token(key["api_key"].as_str().expect("a key"));
    let text = large("word");
    let request =
        || key.request(Method::POST, "/v1/chat/completions", Some(chat(&text))).header("idempotency-key", "k1");
    let answer = request().send().await.expect("an answer");
    let run = answer.headers()["x-soit-run-id"].to_str().expect("an id").to_owned();
    let told = answer.text().await.expect("a body");
    let admin = admin.at(&second);
    let run = admin.get(&format!("/api/v1/runs/{run}")).await;
    let file = admin.request(Method::GET, &content(&run, &run["input"]["artifact_id"]), None).send().await;
    assert_eq!(file.expect("an answer").text().await.expect("a body"), text);

    let again = key.at(&second).request(Method::POST, "/v1/chat/completions", Some(chat(&text)));
    let again = again.header("idempotency-key", "k1").send().await.expect("an answer");
    assert_eq!(again.headers()["idempotency-replayed"], "true");
    assert_eq!(again.text().await.expect("a body"), told, "the sealed answer lies in the bucket too");
    let names = bucket.names().await;
    // Prompt and answer of an echo are the same bytes: one object; the sealed answer; and what a replay takes.
    assert_eq!(names.len(), 3, "{names:?}");
    for name in names {
        assert!(name.starts_with("artifacts/20"), "{name}");
    }
}

/// Nowhere in the data directory and the bucket, also not of what was answered under a key.
#[tokio::test(flavor = "multi_thread")]
async fn under_metadata_only_nothing_that_was_said_is_in_the_bucket_or_on_the_disk() {
    const CANARY: &str = "canary-90b1ce-content";
    let bucket = Bucket::new().await;
    let url = bucket.url("artifacts");
    let mut soit = Soit::new(&[&WHO[..], &[("STORAGE_URL", url.as_str())]].concat());
    soit.start().await;
    let admin = soit.admin().await;
    let key = admin.post("/api/v1/api-keys", json!({ "name": "k", "scopes": ["write"] })).await;
    let key = admin.with_token(key["api_key"].as_str().expect("a key"));
    let call = async |capture: &str, idempotency_key: &str| {
        let request = key.request(Method::POST, "/v1/chat/completions", Some(chat(&large(CANARY))));
        let request = request.header("x-soit-capture", capture).header("idempotency-key", idempotency_key);
        let answer = request.send().await.expect("an answer");
        assert!(answer.text().await.expect("a body").contains(CANARY), "the caller is told");
    };
    call("metadata_only", "one").await;
    let names = bucket.names().await;
    assert_eq!(names.len(), 1, "the sealed answer alone: {names:?}");
    let sealed = bucket.read(&names[0]).await;
    let holds = |bytes: &[u8]| bytes.windows(7).any(|window| window == b"canary-");
    assert!(sealed.len() > 20_000 && !holds(&sealed));

    call("full", "two").await;
    let mut found = false;
    for name in bucket.names().await {
        found |= holds(&bucket.read(&name).await);
    }
    assert!(found, "what is kept is found, so the search finds");
    soit.kill().await;
}

#[tokio::test]
async fn nothing_that_was_said_under_metadata_only_lies_in_a_row_or_file() {
    for database in [TestDatabase::sqlite().await, TestDatabase::postgres().await] {
        let (app, folder) = on_files(database).await;
        let key = app.key(&["write"]).await.header(http::HeaderName::from_static("x-soit-capture"), "metadata_only");
        for text in ["b".repeat(3000), large("word")] {
            key.post("/v1/chat/completions", chat(&text)).await.expect(200);
        }
        assert_eq!(app.database.texts("SELECT CAST(count(*) AS TEXT) FROM artifacts").await, ["0"]);
        assert_eq!(objects(folder.path()), Vec::<PathBuf>::new());
    }
}

/// A server that hangs, refuses or is full: calls go on, say what is missing, and readers are told to come again.
#[tokio::test]
async fn without_its_store_calls_go_on_and_readers_are_told() {
    let server = ScriptedS3::new(S3Answer::Refusal(503, "SlowDown")).await;
    let url = format!("s3://bucket/artifacts?endpoint={}&path_style=true", server.endpoint);
    let app = TestApp::start(TestDatabase::sqlite().await, &[&WHO[..], &[("STORAGE_URL", &url)]].concat()).await;
    let (admin, key) = (app.admin().await, app.key(&["write"]).await);
    app.app.health.check().await;
    let readiness = app.app.health.readiness();
    assert_eq!((readiness.status, readiness.degraded), (Status::Degraded, vec!["artifacts".to_owned()]));

    let answer = key.post("/v1/chat/completions", chat(&large("word"))).await;
    answer.expect(200);
    let run = run_of(&admin, &answer).await;
    assert_eq!((&run["status"], &run["flags"]), (&json!("succeeded"), &json!(["content_not_kept"])));
    assert_eq!((&run["input"]["artifact_id"], &run["input"]["chars"]), (&Value::Null, &json!(large("word").len())));
    let metrics = app.app.encode_metrics();
    assert!(metrics.contains("soit_artifacts_total{place=\"lost\"} 3"), "{metrics}");
    assert!(metrics.contains("soit_dependency_up{name=\"artifacts\"} 0"), "{metrics}");

    // A row whose object the server does not give out now.
    let home = people::first_home(&app).await;
    let key =
        kernel::port::ObjectKey::new(app.app.clock.now().date_naive(), home.scope, &kernel::record::Digest([7; 32]));
    let artifact = NewArtifact {
        id: app.app.ids.artifact(),
        run_id: Some(run["id"].as_str().expect("an id").parse().expect("an id")),
        step_id: None,
        kind: types::artifact::ArtifactKind::File,
        mime: "text/plain; charset=utf-8".to_owned(),
        size: 20_000,
        sha256: kernel::record::Digest([7; 32]),
        place: kernel::ledger::Place::Object(key),
        expires_at: None,
    };
    let path = content(&run, &json!(artifact.id));
    name(&app, home.scope, Op::ArtifactAdd(artifact.into())).await;
    let refused = admin.get(&path).await;
    assert_eq!((refused.header("retry-after"), &refused.expect(503)["code"]), ("1", &json!("storage_unavailable")));
    server.set(S3Answer::Refusal(404, "NoSuchKey"));
    assert_eq!(admin.get(&path).await.expect(500)["code"], "artifact_corrupt");
}

#[tokio::test]
async fn wrong_credentials_and_places_are_named_at_the_start() {
    let server = ScriptedS3::new(S3Answer::Refusal(403, "InvalidAccessKeyId")).await;
    let folder = tempfile::tempdir().expect("a folder");
    let refusal = async |url: &str| {
        let data = folder.path().join("data").display().to_string();
        let values = [("ENVIRONMENT", "test"), ("DATA_DIR", &data), ("STORAGE_URL", url), WHO[0], WHO[1]];
        let config = Config::from_source(&Source::of_values(values), None).expect("sound settings");
        format!("{:#}", compose(config).await.expect_err("no start"))
    };
    let told = refusal(&format!("s3://bucket?endpoint={}&path_style=true", server.endpoint)).await;
    assert!(told.contains("STORAGE_ACCESS_KEY_ID") && !told.contains("a-secret"), "{told}");
    let bucket = Bucket::new().await;
    let told = refusal(&format!("s3://no-such-bucket?endpoint={}&path_style=true", bucket.endpoint)).await;
    assert!(told.contains("STORAGE_URL") && told.contains("no-such-bucket"), "{told}");

    let file = folder.path().join("file");
    std::fs::write(&file, b"no folder").expect("a file");
    let data = folder.path().join("data").display().to_string();
    let url = format!("file://{}", file.join("artifacts").display());
    let values = [("ENVIRONMENT", "test"), ("DATA_DIR", data.as_str()), ("STORAGE_URL", &url)];
    let config = Config::from_source(&Source::of_values(values), None).expect("sound settings");
    let told = format!("{:#}", compose(config).await.expect_err("no start"));
    assert!(told.contains("STORAGE_URL cannot be used"), "{told}");
}

/// The object is there and the process dies before its batch: no row names anything that is missing, and the object goes.
#[tokio::test(flavor = "multi_thread")]
async fn a_kill_between_object_and_batch_leaves_an_orphan_that_is_swept() {
    let (database, folder) = (TestDatabase::postgres().await, tempfile::tempdir().expect("a folder"));
    let proxy = Proxy::before(database.url()).await;
    let (database_url, root) = (proxy.url(database.url()), folder.path().join("artifacts"));
    let url = format!("file://{}", root.display());
    let settings = [&shared(&database_url)[..], &[("STORAGE_URL", url.as_str())]].concat();
    let mut soit = Soit::new(&settings);
    soit.start().await;
    let stage = Stage::new(&soit).await;
    let key = soit.admin().await.with_token(&stage.key);
    let prompt = large("slow");
    let body = json!({ "model": "model:scripted:m", "messages": [{ "role": "user", "content": prompt }] });
    let call = key.request(Method::POST, "/v1/chat/completions", Some(body)).send();
    let (answer, ()) = tokio::join!(call, async {
        while stage.provider.received().is_empty() {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        proxy.set(Fault::Silent);
        stage.provider.hurry();
        while objects(&root).is_empty() {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        soit.kill().await;
    });
    assert!(answer.is_err(), "the process died under it");
    proxy.set(Fault::None);
    soit.start().await;
    let admin = soit.admin().await;
    let mut lost = Value::Null;
    for _ in 0..600 {
        lost = admin.get("/api/v1/runs?error_code=process_lost").await["items"][0].clone();
        if lost.is_object() {
            break;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    assert_eq!(lost["input"]["artifact_id"], Value::Null, "{lost}");
    let listed = admin.get(&format!("/api/v1/runs/{}/artifacts", lost["id"].as_str().expect("an id"))).await;
    assert_eq!(listed["items"], json!([]));
    assert!(!objects(&root).is_empty(), "it is too young to be swept");

    soit.kill().await;
    let day = std::fs::read_dir(&root).expect("a folder").map(|entry| entry.expect("an entry").path());
    let day = day.filter(|path| path.file_name().is_some_and(|name| name != "unnamed")).collect::<Vec<_>>();
    std::fs::rename(&day[0], root.join("2026-01-15")).expect("a day long ago");
    soit.start().await;
    for _ in 0..300 {
        if objects(&root).is_empty() {
            return;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    panic!("the orphan is still there");
}

/// Starts a program with a small disk of its own in the place of its artifacts, which only it sees.
const ON_A_SMALL_STORE: [&str; 7] = [
    "unshare",
    "--user",
    "--map-root-user",
    "--mount",
    "sh",
    "-c",
    "install -d -m 700 \"$DATA_DIR\" \"$DATA_DIR/artifacts\" && \
     mount -t tmpfs -o size=256k,mode=0700 small \"$DATA_DIR/artifacts\" && exec \"$0\" \"$@\"",
];

#[tokio::test(flavor = "multi_thread")]
async fn a_full_store_costs_the_content_and_takes_more_when_there_is_room() {
    let mut soit = Soit::new(&[]).started_by(&ON_A_SMALL_STORE);
    soit.start().await;
    let admin = soit.admin().await;
    let key = admin.post("/api/v1/api-keys", json!({ "name": "k", "scopes": ["write"] })).await;
    let key = admin.with_token(key["api_key"].as_str().expect("a key"));
    let call = async |number: usize| {
        let request = key.request(Method::POST, "/v1/chat/completions", Some(chat(&large(&format!("n{number}")))));
        let answer = request.send().await.expect("an answer");
        assert_eq!(answer.status(), 200);
        let run = answer.headers()["x-soit-run-id"].to_str().expect("an id").to_owned();
        answer.text().await.expect("a body");
        admin.get(&format!("/api/v1/runs/{run}")).await
    };
    let (mut kept, mut full) = (Vec::new(), None);
    for number in 0..40 {
        let run = call(number).await;
        if run["flags"] == json!(["content_not_kept"]) {
            full = Some(run);
            break;
        }
        kept.push(run);
    }
    let full = full.expect("the store is full in the end");
    assert_eq!(full["status"], "succeeded");
    assert!(!kept.is_empty());
    for run in &kept {
        let path = content(run, &run["input"]["artifact_id"]);
        let file = admin.request(Method::GET, &path, None).send().await.expect("an answer");
        assert_eq!(file.status(), 200, "what was kept is whole");
    }

    let store = format!("/proc/{}/root{}/artifacts", soit.pid(), soit.data_dir().display());
    for object in objects(Path::new(&store)) {
        std::fs::remove_file(object).expect("a file that goes");
    }
    // The store is left alone for five seconds after it failed.
    for number in 100..200 {
        if call(number).await["input"]["artifact_id"].is_string() {
            return;
        }
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
    panic!("the store takes nothing although there is room");
}
