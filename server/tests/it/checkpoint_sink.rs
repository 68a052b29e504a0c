//! Copies of checkpoints, at each kind of place, on both databases.

use std::path::Path;
use std::sync::{Arc, Mutex};

use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::routing::post;
use kernel::chain::{PublicKey, Signature};
use serde_json::{Value, json};
use server::health::Status;
use testkit::database::TestDatabase;
use testkit::s3::Bucket;

use crate::identity::people::first_home;
use crate::util::test_app::TestApp;

/// Something happens and is sealed.
async fn sealed(app: &TestApp) {
    app.key(&["write"]).await;
    let scope = first_home(app).await.scope;
    app.app.chain.seal(scope).await.expect("a checkpoint");
}

async fn copied(app: &TestApp) {
    server::worker::copy_due(&app.app).await.expect("a pass");
}

/// Whether it is signed by the key that it names.
fn is_signed(copy: &[u8]) -> bool {
    let mut value: Value = serde_json::from_slice(copy).expect("JSON");
    let members = value.as_object_mut().expect("an object");
    let key = members.remove("public_key").and_then(|key| key.as_str().map(str::to_owned));
    let key: PublicKey = key.expect("a key").parse().expect("a public key");
    let signature: Signature = serde_json::from_value(members.remove("signature").expect("one")).expect("a signature");
    let text = String::from_utf8(copy.to_vec()).expect("text");
    // RFC 8785: without the two members it is what was signed.
    let body = text.trim_end().replace(&format!("\"public_key\":\"{key}\","), "");
    let body = body.replace(&format!("\"signature\":\"{signature}\","), "");
    key.verifies(body.as_bytes(), &signature)
}

fn files(folder: &Path) -> Vec<String> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() { folders.push(path) } else { found.push(path.display().to_string()) }
        }
    }
    found.sort();
    found
}

#[tokio::test(flavor = "multi_thread")]
async fn a_folder_takes_each_checkpoint_once_on_both_databases() {
    for database in [TestDatabase::sqlite().await, TestDatabase::postgres().await] {
        let folder = tempfile::tempdir().expect("a folder");
        let place = format!("file://{}", folder.path().display());
        let app = TestApp::start(database, &[("CHECKPOINT_SINK", &place)]).await;
        sealed(&app).await;
        copied(&app).await;
        sealed(&app).await;
        copied(&app).await;
        let found = files(folder.path());
        assert!(found.len() >= 2, "{found:?}");
        for file in &found {
            assert!(is_signed(&std::fs::read(file).expect("a file")), "{file}");
        }
        copied(&app).await;
        assert_eq!(files(folder.path()), found);
        app.app.health.check().await;
        assert!(!app.app.health.readiness().degraded.contains(&"checkpoint_sink".to_owned()));
        let metrics = app.app.encode_metrics();
        assert!(metrics.contains(&format!("soit_checkpoint_copies_total {}", found.len())), "{metrics}");
        assert!(metrics.contains("soit_checkpoint_copy_age_seconds 0"), "{metrics}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_bucket_takes_them_under_its_prefix() {
    let bucket = Bucket::new().await;
    let url = bucket.url("copies");
    let settings = [
        ("CHECKPOINT_SINK", url.as_str()),
        ("CHECKPOINT_SINK_ACCESS_KEY_ID", "test"),
        ("CHECKPOINT_SINK_SECRET_ACCESS_KEY", "test-secret"),
    ];
    let app = TestApp::start(TestDatabase::sqlite().await, &settings).await;
    sealed(&app).await;
    copied(&app).await;
    let names = bucket.names().await;
    assert!(
        !names.is_empty() && names.iter().all(|name| name.starts_with("copies/") && name.ends_with(".json")),
        "{names:?}"
    );
    assert!(is_signed(&bucket.read(&names[0]).await));
}

/// Name, credential and bytes.
type Taken = (String, String, Bytes);

#[derive(Clone, Default)]
struct Witness {
    taken: Arc<Mutex<Vec<Taken>>>,
    answer: Arc<Mutex<u16>>,
}

impl Witness {
    fn names(&self) -> Vec<String> {
        self.taken.lock().expect("a list").iter().map(|(name, ..)| name.clone()).collect()
    }
}

async fn take(State(witness): State<Witness>, headers: HeaderMap, body: Bytes) -> StatusCode {
    let answer = *witness.answer.lock().expect("a number");
    if answer != 0 {
        return StatusCode::from_u16(answer).expect("a status");
    }
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default().to_owned();
    witness.taken.lock().expect("a list").push((text("x-soit-checkpoint"), text("authorization"), body));
    StatusCode::NO_CONTENT
}

#[tokio::test(flavor = "multi_thread")]
async fn a_web_address_is_tried_again_in_order_and_sealing_goes_on_meanwhile() {
    let witness = Witness::default();
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let url = format!("http://{}/copies", listener.local_addr().expect("an address"));
    let router = Router::new().route("/copies", post(take)).with_state(witness.clone());
    #[expect(clippy::disallowed_methods, reason = "the witness ends with the test")]
    let serving = tokio::spawn(async move { axum::serve(listener, router).await });
    let settings = [("CHECKPOINT_SINK", url.as_str()), ("CHECKPOINT_SINK_TOKEN", "witness-token")];
    let app = TestApp::start(TestDatabase::sqlite().await, &settings).await;
    let admin = app.admin().await;
    *witness.answer.lock().expect("a number") = 503;
    let mut numbers = Vec::new();
    for _ in 0..3 {
        sealed(&app).await;
        copied(&app).await;
        let state = admin.get("/api/v1/audit/chain").await.expect(200);
        assert_eq!(state["unsealed"], 0, "{state}");
        numbers.push(state["last_checkpoint"]["number"].clone());
    }
    assert!(witness.names().is_empty());
    let metrics = app.app.encode_metrics();
    let failures = metrics.lines().find_map(|line| line.strip_prefix("soit_checkpoint_copy_failures_total "));
    assert!(failures.is_some_and(|count| count != "0"), "{metrics}");

    *witness.answer.lock().expect("a number") = 0;
    copied(&app).await;
    let home = first_home(&app).await.scope;
    let own: Vec<String> =
        witness.names().into_iter().filter(|name| name.contains(&home.workspace_id.to_string())).collect();
    let last = numbers.last().and_then(Value::as_u64).expect("a number");
    let expected: Vec<String> =
        (1..=last).map(|number| format!("{}/{}/{number:010}.json", home.tenant_id, home.workspace_id)).collect();
    assert_eq!(own, expected);
    let taken = witness.taken.lock().expect("a list").clone();
    assert!(taken.iter().all(|(_, token, body)| token == "Bearer witness-token" && is_signed(body)));
    // What waits for long is told of.
    *witness.answer.lock().expect("a number") = 500;
    sealed(&app).await;
    app.database.texts("DROP TRIGGER chain_checkpoints_update").await;
    app.database.texts("UPDATE chain_checkpoints SET created_at = '2026-01-01T00:00:00.000000Z'").await;
    app.app.health.check().await;
    let readiness = app.app.health.readiness();
    assert_eq!((readiness.status, readiness.degraded), (Status::Degraded, vec!["checkpoint_sink".to_owned()]));
    serving.abort();
}

#[tokio::test(flavor = "multi_thread")]
async fn nobody_is_told_where_copies_go() {
    let settings =
        [("CHECKPOINT_SINK", "https://witness.invalid/secret-path"), ("CHECKPOINT_SINK_TOKEN", "witness-token")];
    let app = TestApp::start(TestDatabase::sqlite().await, &settings).await;
    sealed(&app).await;
    copied(&app).await;
    app.app.health.check().await;
    let readiness = app.anon().get("/health/ready").await;
    let told = [readiness.text, app.app.encode_metrics()].concat();
    assert!(!told.contains("secret-path") && !told.contains("witness"), "{told}");
    assert_eq!(app.anon().get("/health").await.expect(200), json!({ "status": "ok" }));
}
