//! Retention, legal holds and purges, through the doors and on both databases. Time passes by a clock of the test's own: what is
//! purged happened today.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use axum::http::Method;
use axum::http::header::IF_MATCH;
use chrono::{DateTime, TimeDelta, Utc};
use futures::future::BoxFuture;
use kernel::port::{Clock, Recount};
use kernel::retention::{ErasePorts, PurgePorts, Purger, Swept, erase_content};
use serde_json::{Value, json};
use tempfile::TempDir;
use testkit::database::{Engine, TestDatabase};
use testkit::fake::{FakeObjects, Mood};
use types::identity::Role;
use types::retention::Purged;

use crate::canary::files;
use crate::identity::people;
use crate::util::test_app::{Answer, Caller, TestApp, on_both};

/// More than lies in a row.
fn large(marker: &str) -> String {
    format!("{marker} ").repeat(20_000 / (marker.len() + 1) + 1)
}

/// A clock that is some days ahead.
struct Ahead(Arc<dyn Clock>, TimeDelta);

impl Clock for Ahead {
    fn now(&self) -> DateTime<Utc> {
        self.0.now() + self.1
    }

    fn monotonic(&self) -> Duration {
        self.0.monotonic()
    }

    fn sleep(&self, duration: Duration) -> BoxFuture<'static, ()> {
        self.0.sleep(duration)
    }
}

/// What erases, some days from now.
fn ports_in(app: &TestApp, days: i64) -> ErasePorts {
    let clock = Arc::new(Ahead(Arc::clone(&app.app.clock), TimeDelta::days(days)));
    ErasePorts { clock, ..app.app.erase.clone() }
}

fn purger(app: &TestApp, erase: ErasePorts) -> Purger {
    let retentions = Arc::new(app.app.store.clone());
    Purger::new(PurgePorts { retentions, erase, ledger: Arc::clone(&app.app.ledger) })
}

/// Purges until nothing is behind, some days from now.
async fn purge_in(app: &TestApp, days: i64) -> Swept {
    let purger = purger(app, ports_in(app, days));
    let mut all = Swept::default();
    loop {
        let swept = purger.pass(|| true).await.expect("a pass");
        for (what, number) in &swept.purged {
            *all.purged.entry(*what).or_default() += number;
        }
        all.failed += swept.failed;
        if swept.behind == 0 {
            purger.wipe().await.expect("the files are written anew");
            return all;
        }
    }
}

/// On files of a folder the test can look into.
async fn on_files(database: TestDatabase) -> (TestApp, TempDir) {
    let folder = tempfile::tempdir().expect("a folder");
    let url = format!("file://{}", folder.path().join("artifacts").display());
    (TestApp::start(database, &[("STORAGE_URL", &url)]).await, folder)
}

fn objects(folder: &TempDir) -> Vec<PathBuf> {
    let all = files(folder.path()).into_iter();
    all.filter(|path| path.file_name().is_some_and(|name| name.len() == 64)).collect()
}

/// A call with this prompt; its run.
async fn called(key: &Caller, prompt: &str) -> String {
    let messages = json!([{ "role": "user", "content": prompt }]);
    let answer = key.post("/v1/chat/completions", json!({ "model": "model:test:echo", "messages": messages })).await;
    answer.expect(200);
    answer.header("x-soit-run-id").to_owned()
}

fn kept(content: Value) -> Value {
    json!({ "content": content, "runs": "keep", "costs": "keep", "audit": "keep", "events": 90 })
}

/// Sets the times, whatever they were.
async fn put(caller: &Caller, times: Value) -> Answer {
    let seen = caller.get("/api/v1/retention").await;
    seen.expect(200);
    let caller = caller.clone().header(IF_MATCH, seen.header("etag"));
    caller.send(Method::PUT, "/api/v1/retention", Some(times)).await
}

async fn artifacts_of(admin: &Caller, run: &str) -> usize {
    let listed = admin.get(&format!("/api/v1/runs/{run}/artifacts")).await.expect(200);
    listed["items"].as_array().expect("items").len()
}

async fn chain_is_valid(admin: &Caller) -> Value {
    let found = admin.get("/api/v1/audit/chain/verify").await.expect(200);
    assert_eq!(found["valid"], true, "{found}");
    found
}

async fn held_artifacts_remain(database: TestDatabase) {
    let (app, folder) = on_files(database).await;
    let (admin, key) = (app.admin().await, app.key(&["write"]).await);
    let held = called(&key, &large("canary-held-41")).await;
    let of_held = objects(&folder).len();
    let other = called(&key, &large("canary-other-73")).await;
    let short = called(&key, "canary-short-19").await;
    let comment = json!({ "rating": "up", "comment": "canary-comment-88" });
    admin.post(&format!("/api/v1/runs/{other}/feedback"), comment).await.expect(201);
    assert!(of_held > 0 && objects(&folder).len() == 2 * of_held, "each call has its own");
    assert_eq!(artifacts_of(&admin, &held).await, 3, "input, output, and what a replay needs");

    put(&admin, kept(json!(1))).await.expect(200);
    let hold = json!({ "name": "Case 7", "reason": "a court asks", "filter": { "run_ids": [held] } });
    let hold = admin.post("/api/v1/legal-holds", hold).await.expect(201);
    assert!(purge_in(&app, 0).await.purged.is_empty(), "nothing is a day old");
    let swept = purge_in(&app, 3).await;
    assert_eq!((swept.purged.get(&Purged::Content), swept.purged.get(&Purged::Artifacts)), (Some(&2), Some(&4)));

    assert_eq!((artifacts_of(&admin, &held).await, objects(&folder).len()), (3, of_held), "what is held remains");
    let run = admin.get(&format!("/api/v1/runs/{held}")).await.expect(200);
    let artifact = run["input"]["artifact_id"].as_str().expect("an id");
    let file = admin.get(&format!("/api/v1/runs/{held}/artifacts/{artifact}/content")).await;
    assert_eq!((file.status, file.text), (200, large("canary-held-41")));
    for gone in [&other, &short] {
        let run = admin.get(&format!("/api/v1/runs/{gone}")).await.expect(200);
        assert_eq!((&run["input"]["preview"], &run["output"]["preview"]), (&Value::Null, &Value::Null));
        assert_eq!((run["status"].as_str(), artifacts_of(&admin, gone).await), (Some("succeeded"), 0));
        let costs = admin.get(&format!("/api/v1/runs/{gone}/costs")).await.expect(200);
        assert_eq!(costs["items"].as_array().map(Vec::len), Some(1), "costs have a time of their own");
        assert_eq!(admin.get(&format!("/api/v1/runs/{gone}/evidence")).await.status, 200);
    }
    chain_is_valid(&admin).await;
    if app.database.engine() == Engine::Sqlite {
        let path = app.database.url().strip_prefix("sqlite://").expect("a file");
        for canary in ["canary-other-73", "canary-short-19", "canary-comment-88"] {
            for name in [path.to_owned(), format!("{path}-wal")] {
                let bytes = std::fs::read(&name).unwrap_or_default();
                let is_there = bytes.windows(canary.len()).any(|window| window == canary.as_bytes());
                assert!(!is_there, "{canary} is in {name}");
            }
        }
        let bytes = std::fs::read(path).expect("a file");
        assert!(bytes.windows(14).any(|window| window == b"canary-held-41"), "the search finds what is there");
    }

    let reports = admin.get("/api/v1/retention/reports").await.expect(200);
    assert_eq!(reports["items"][0]["purged"]["content"], 2);
    assert!(reports["items"][0]["finished_at"].is_string() && reports["next_cursor"].is_null(), "{reports}");
    let events = admin.get("/api/v1/events?event_type=retention.purged").await.expect(200);
    assert_eq!(events["items"][0]["payload"]["report_id"], reports["items"][0]["id"]);
    let audited = admin.get("/api/v1/audit?event_type=legal_hold.created").await.expect(200);
    assert_eq!(audited["items"][0]["resource"]["id"], hold["id"]);

    let release = format!("/api/v1/legal-holds/{}/release", hold["id"].as_str().expect("an id"));
    let released = admin.post(&release, json!({ "reason": "it is over" })).await.expect(200);
    assert!(released["released_at"].is_string() && released["release_reason"] == "it is over", "{released}");
    assert_eq!(admin.post(&release, json!({ "reason": "again" })).await.refusal(409), "invalid_transition");
    purge_in(&app, 3).await;
    assert_eq!((artifacts_of(&admin, &held).await, objects(&folder).len()), (0, 0));
    chain_is_valid(&admin).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_held_remains_and_the_others_are_gone_on_sqlite() {
    held_artifacts_remain(TestDatabase::sqlite().await).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_held_remains_and_the_others_are_gone_on_postgres() {
    held_artifacts_remain(TestDatabase::postgres().await).await;
}

/// Runs statements with the triggers of a table off.
async fn behind_its_back(app: &TestApp, table: &str, sql: &str) {
    if app.database.engine() == Engine::Postgres {
        app.database.texts(&format!("ALTER TABLE {table} DISABLE TRIGGER USER")).await;
    } else {
        app.database.texts(&format!("DROP TRIGGER IF EXISTS {table}_delete")).await;
    }
    app.database.texts(sql).await;
}

on_both! {
    async fn a_purged_run_is_told_from_a_deleted_one(app: TestApp) {
        let (admin, key) = (app.admin().await, app.key(&["write"]).await);
        let (purged, kept_run) = (called(&key, "one").await, called(&key, "two").await);
        let hold = json!({ "name": "h", "reason": "r", "filter": { "run_ids": [kept_run] } });
        admin.post("/api/v1/legal-holds", hold).await.expect(201);
        let times = json!({ "content": 1, "runs": 1, "costs": 400, "audit": 365, "events": 7 });
        put(&admin, times).await.expect(200);
        let swept = purge_in(&app, 3).await;
        assert_eq!(swept.purged.get(&Purged::Runs), Some(&1));
        assert_eq!(admin.get(&format!("/api/v1/runs/{purged}")).await.refusal(404), "not_found");
        chain_is_valid(&admin).await;

        // Its costs stay and are checked, as long as their own time is not over.
        let swept = purge_in(&app, 401).await;
        assert_eq!(swept.purged.get(&Purged::Costs), Some(&1));
        let before = chain_is_valid(&admin).await;
        assert!(swept.purged.contains_key(&Purged::Audit), "{swept:?}");
        // What the hold holds is whole: whoever deletes it is found out, purge or not.
        behind_its_back(&app, "costs", "DELETE FROM costs").await;
        let found = admin.get("/api/v1/audit/chain/verify").await.expect(200);
        assert_eq!((&found["valid"], &found["problem"]), (&json!(false), &json!("record_missing")), "{found}");
        assert!(found["record"].as_str().is_some_and(|id| id.starts_with("cst_")), "{found}");
        assert!(found["first_bad_seq"].as_u64() <= before["to"].as_u64(), "{found}");
    }

    async fn an_audit_row_that_somebody_deletes_is_missing_among_purged_ones(app: TestApp) {
        let admin = app.admin().await;
        put(&admin, json!({ "content": "keep", "runs": "keep", "costs": "keep", "audit": 365, "events": 7 })).await.expect(200);
        let swept = purge_in(&app, 366).await;
        assert!(swept.purged.get(&Purged::Audit).is_some_and(|rows| *rows > 3), "{swept:?}");
        assert_eq!(app.database.texts("SELECT event_type FROM audit").await, Vec::<String>::new());
        chain_is_valid(&admin).await;
        for _ in 0..3 {
            app.key(&["read"]).await;
        }
        behind_its_back(&app, "audit", "DELETE FROM audit WHERE seq = (SELECT MAX(seq) FROM audit) - 1").await;
        let found = admin.get("/api/v1/audit/chain/verify").await.expect(200);
        assert_eq!((&found["valid"], &found["problem"]), (&json!(false), &json!("record_missing")), "{found}");
    }

    async fn every_bound_is_told_by_its_field(app: TestApp) {
        let admin = app.admin().await;
        let seen = admin.get("/api/v1/retention").await.expect(200);
        assert_eq!((&seen["content"], &seen["events"], &seen["version"]), (&json!("keep"), &json!(90), &json!(0)));
        let fields = |answer: Answer| {
            let problem = answer.expect(400);
            let errors = problem["errors"].as_array().expect("errors").clone();
            errors.iter().map(|error| error["field"].as_str().expect("a field").to_owned()).collect::<Vec<_>>()
        };
        let short = json!({ "content": 0, "runs": 1, "costs": 399, "audit": 364, "events": 6 });
        assert_eq!(fields(put(&admin, short).await), ["content", "costs", "audit", "events"]);
        let mut shorter = kept(json!(30));
        shorter["runs"] = json!(29);
        assert_eq!(fields(put(&admin, shorter).await), ["runs"]);
        for (wrong, field) in [(json!("forever"), "content"), (json!(-1), "content"), (json!(null), "content")] {
            let answer = put(&admin, kept(wrong)).await;
            assert!(answer.status == 400 && answer.text.contains(field), "{}", answer.text);
        }
        let unread = admin.send(Method::PUT, "/api/v1/retention", Some(kept(json!(1)))).await;
        assert_eq!(unread.refusal(428), "precondition_required");
        let stale = admin.clone().header(IF_MATCH, "\"7\"");
        let stale = stale.send(Method::PUT, "/api/v1/retention", Some(kept(json!(1)))).await;
        assert_eq!(stale.refusal(412), "precondition_failed");

        app.database.texts("UPDATE tenants SET retention_bounds = '{\"floor\":{\"content\":10},\"ceiling\":{\"events\":30}}'").await;
        let mut times = kept(json!(9));
        assert_eq!(fields(put(&admin, times.clone()).await), ["content", "events"]);
        let seen = admin.get("/api/v1/retention").await.expect(200);
        assert_eq!((&seen["events"], &seen["effective"]["events"]), (&json!(90), &json!(30)), "the tenant binds");
        times["content"] = json!(10);
        times["events"] = json!(30);
        let set = put(&admin, times).await.expect(200);
        assert_eq!((&set["content"], &set["effective"]["content"], &set["version"]), (&json!(10), &json!(10), &json!(1)));
        let audited = admin.get("/api/v1/audit?event_type=retention.updated").await.expect(200);
        assert_eq!(audited["items"][0]["payload"]["after"]["content"], 10);
    }

    async fn a_hold_says_what_it_holds(app: TestApp) {
        let home = people::first_home(&app).await;
        let elsewhere = people::new_home(&app, "elsewhere").await;
        people::new_member(&app, &elsewhere, "foreign@example.com", Role::Owner).await;
        people::new_member(&app, &home, "manager@example.com", Role::Admin).await;
        let (admin, key) = (app.admin().await, app.key(&["write"]).await);
        let run = called(&key, "one").await;
        let hold = |filter: Value| json!({ "name": "Case", "reason": "a court asks", "filter": filter });
        let refused = async |caller: &Caller, body: Value| {
            let problem = caller.post("/api/v1/legal-holds", body).await.expect(400);
            let error = &problem["errors"][0];
            (error["field"].as_str().unwrap_or_default().to_owned(), error["message"].to_string())
        };
        assert_eq!(refused(&admin, hold(json!({}))).await.0, "filter");
        assert_eq!(refused(&admin, hold(json!({ "caller_id": "me" }))).await.0, "filter.caller_id");
        let times = json!({ "from": "2026-01-02T00:00:00Z", "to": "2026-01-01T00:00:00Z" });
        assert_eq!(refused(&admin, hold(times)).await.0, "filter.to");
        let mut silent = hold(json!({ "run_ids": [run] }));
        silent["reason"] = json!("");
        assert_eq!(refused(&admin, silent).await.0, "reason");
        let unheard = admin.post("/api/v1/legal-holds", hold(json!({ "subject": "agt_1" }))).await;
        assert!(unheard.status == 400 && unheard.text.contains("subject"), "{}", unheard.text);

        // A run of somebody else and one of nobody are told alike.
        let foreign = people::signed_in(&app, "foreign@example.com").await;
        let unknown = "run_01jz8k0000000000000000000a";
        let told = async |id: &str| {
            let (field, message) = refused(&foreign, hold(json!({ "run_ids": [id] }))).await;
            (field, message.replace(id, "it"))
        };
        assert_eq!(told(&run).await, told(unknown).await);
        let made = admin.post("/api/v1/legal-holds", hold(json!({ "run_ids": [run, run] }))).await.expect(201);
        assert_eq!(made["filter"]["run_ids"], json!([run]), "once is enough");
        let release = format!("/api/v1/legal-holds/{}/release", made["id"].as_str().expect("an id"));
        let strange = release.replace(made["id"].as_str().expect("an id"), "lgh_01jz8k0000000000000000000a");
        let refusal = |answer: Answer| {
            let mut problem = answer.expect(404);
            problem["instance"] = Value::Null;
            problem
        };
        let reason = json!({ "reason": "r" });
        assert_eq!(
            refusal(foreign.post(&release, reason.clone()).await),
            refusal(foreign.post(&strange, reason.clone()).await)
        );
        // An admin sees holds and places none.
        let manager = people::signed_in(&app, "manager@example.com").await;
        assert_eq!(manager.get("/api/v1/legal-holds").await.expect(200)["items"][0]["id"], made["id"]);
        assert_eq!(manager.post("/api/v1/legal-holds", hold(json!({ "run_ids": [run] }))).await.refusal(403), "role_required");
        assert_eq!(manager.post(&release, reason).await.refusal(403), "role_required");
    }

    async fn a_hold_keeps_later_runs_from_an_erasure_too(app: TestApp) {
        let (admin, key) = (app.admin().await, app.key(&["write"]).await);
        let early = called(&key, "canary early").await;
        let me = admin.get("/api/v1/me").await.expect(200);
        let from = app.app.clock.now();
        let hold = json!({ "name": "h", "reason": "r", "filter": { "from": from, "caller_id": me["user"]["id"] } });
        admin.post("/api/v1/legal-holds", hold).await.expect(201);
        let late = called(&key, "canary late").await;
        let (ports, scope) = (ports_in(&app, 2), people::first_home(&app).await.scope);
        let erased = erase_content(&ports, scope, ports.clock.now(), 100).await.expect("an erasure");
        assert_eq!((erased.runs, erased.more, erased.waiting), (1, false, 0), "{erased:?}");
        let preview = async |run: &str| admin.get(&format!("/api/v1/runs/{run}")).await.expect(200)["input"]["preview"].clone();
        assert_eq!(preview(&early).await, Value::Null);
        assert!(preview(&late).await.is_string(), "what matches later is held from its first moment");
        chain_is_valid(&admin).await;
    }

    async fn where_the_store_does_not_delete_rows_stay(app: TestApp) {
        let (admin, key) = (app.admin().await, app.key(&["write"]).await);
        let (stored, inline) = (called(&key, &large("stored")).await, called(&key, "inline").await);
        put(&admin, kept(json!(1))).await.expect(200);
        let broken = FakeObjects::default();
        broken.set(Mood::Down);
        let purger_of = |objects| purger(&app, ErasePorts { objects, ..ports_in(&app, 3) });
        let swept = purger_of(Arc::new(broken)).pass(|| true).await.expect("a pass");
        assert_eq!((swept.failed, swept.purged.get(&Purged::Content)), (1, Some(&1)), "{swept:?}");
        let preview = async |run: &str| admin.get(&format!("/api/v1/runs/{run}")).await.expect(200)["input"]["preview"].clone();
        assert_eq!(preview(&inline).await, Value::Null, "what has no object goes");
        assert!(preview(&stored).await.is_string(), "what names one stays whole");
        assert_eq!(artifacts_of(&admin, &stored).await, 3);
        let swept = purge_in(&app, 3).await;
        assert_eq!((swept.failed, swept.purged.get(&Purged::Artifacts)), (0, Some(&3)), "{swept:?}");
        assert_eq!((preview(&stored).await, artifacts_of(&admin, &stored).await), (Value::Null, 0));
        chain_is_valid(&admin).await;
    }

    async fn a_purge_that_is_cut_again_and_again_is_finished(app: TestApp) {
        let (admin, key) = (app.admin().await, app.key(&["write"]).await);
        let mut runs = Vec::new();
        for number in 0..24 {
            runs.push(called(&key, &if number % 3 == 0 { large("long") } else { "short".to_owned() }).await);
        }
        put(&admin, json!({ "content": 1, "runs": 2, "costs": "keep", "audit": "keep", "events": 7 })).await.expect(200);
        // Cut where it stands, as a killed process is: what was begun in a transaction is undone, what was not comes again.
        for round in 0..12_u64 {
            let purger = purger(&app, ports_in(&app, 3));
            let _ = tokio::time::timeout(Duration::from_millis(3 * round), purger.pass(|| true)).await;
            // Whoever held the claim is dead: its lease runs out.
            app.database.texts("UPDATE retention_reports SET claimed_until = started_at WHERE finished_at IS NULL").await;
            chain_is_valid(&admin).await;
        }
        purge_in(&app, 3).await;
        let left = admin.get("/api/v1/runs?limit=200").await.expect(200);
        assert_eq!(left["items"], json!([]), "everything went");
        let mut counted = 0;
        for report in admin.get("/api/v1/retention/reports?limit=200").await.expect(200)["items"].as_array().expect("items") {
            assert!(report["finished_at"].is_string(), "{report}");
            counted += report["purged"]["runs"].as_u64().unwrap_or_default();
        }
        assert_eq!(counted, runs.len() as u64, "each run is told of once");
        assert_eq!(app.database.texts("SELECT 'listed' FROM purge_list").await, Vec::<String>::new());
        chain_is_valid(&admin).await;
        let costs = app.database.texts("SELECT operation FROM costs").await;
        assert_eq!(costs.len(), runs.len(), "costs have a time of their own");
        let differences = app.app.counters.recount(Recount::Look).await.expect("a recount");
        assert_eq!(differences, [], "what rows tell no more is left as it is");
    }

    async fn two_purgers_share_the_work(app: TestApp) {
        let (admin, key) = (app.admin().await, app.key(&["write"]).await);
        for _ in 0..12 {
            called(&key, "one").await;
        }
        put(&admin, json!({ "content": 1, "runs": 1, "costs": "keep", "audit": "keep", "events": 7 })).await.expect(200);
        let (one, other) = (purger(&app, ports_in(&app, 3)), purger(&app, ports_in(&app, 3)));
        let (one, other) = tokio::join!(one.pass(|| true), other.pass(|| true));
        let runs = [one, other].map(|swept| swept.expect("a pass").purged.get(&Purged::Runs).copied().unwrap_or_default());
        assert_eq!(runs.iter().sum::<u64>(), 12, "{runs:?}");
        purge_in(&app, 3).await;
        chain_is_valid(&admin).await;
    }
}
