//! The hash chain and the evidence of a run, through the doors and the real command, on both databases.

use std::collections::BTreeMap;
use std::io::{Cursor, Read, Write};
use std::process::Stdio;

use axum::body::{Body, to_bytes};
use axum::http::{Method, Request};
use kernel::chain::PublicKey;
use kernel::evidence::{Refused, verify};
use kernel::ledger::Op;
use kernel::retention::erase_content;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use testkit::database::Engine;
use testkit::fake::FakeSigner;
use testkit::sample::{Sample, open_run};
use tokio::process::Command;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipArchive, ZipWriter};

use crate::gateway_kit::Kit;
use crate::identity::people::{at_console, first_home, new_home, new_member, signed_in};
use crate::util::test_app::{Caller, TestApp, on_both};

const PROMPT: &str = "canary-51c7 one two three";

type Files = BTreeMap<String, Vec<u8>>;

/// A call that is over; its run.
async fn called(app: &TestApp) -> String {
    said(app, PROMPT).await
}

/// A call with this prompt.
async fn said(app: &TestApp, prompt: &str) -> String {
    let key = app.key(&["write"]).await;
    let messages = json!([{ "role": "user", "content": prompt }]);
    let answer = key.post("/v1/chat/completions", json!({ "model": "model:test:echo", "messages": messages })).await;
    answer.expect(200);
    answer.header("x-soit-run-id").to_owned()
}

/// The zip and the SHA-256 that its answer names.
async fn evidence(caller: &Caller, run: &str) -> (Vec<u8>, String) {
    let request = Request::get(format!("/api/v1/runs/{run}/evidence")).body(Body::empty()).expect("a request");
    let answer = caller.respond(request).await;
    assert_eq!(answer.status(), 200);
    let sha256 = answer.headers()["x-soit-evidence-sha256"].to_str().expect("text").to_owned();
    (to_bytes(answer.into_body(), usize::MAX).await.expect("a body").to_vec(), sha256)
}

fn unpack(bytes: &[u8]) -> Files {
    let mut zip = ZipArchive::new(Cursor::new(bytes)).expect("a zip");
    let read = |index| {
        let mut file = zip.by_index(index).expect("a file");
        let mut content = Vec::new();
        file.read_to_end(&mut content).expect("its bytes");
        (file.name().expect("a name").into_owned(), content)
    };
    (0..16).map(read).collect()
}

fn pack<'a>(files: impl IntoIterator<Item = (&'a str, &'a [u8])>) -> Vec<u8> {
    let options = SimpleFileOptions::default().compression_method(CompressionMethod::Stored);
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, content) in files {
        zip.start_file(name, options).expect("a file");
        zip.write_all(content).expect("its bytes");
    }
    zip.finish().expect("a zip").into_inner()
}

fn packed(files: &Files) -> Vec<u8> {
    pack(files.iter().map(|(name, content)| (name.as_str(), content.as_slice())))
}

#[track_caller]
fn altered(bytes: &[u8]) -> (String, Option<String>) {
    match verify(bytes, &[]) {
        Err(Refused::Altered { file, record, .. }) => (file, record),
        other => panic!("it is altered: {other:?}"),
    }
}

/// The keys of a deployment, as everybody may read them.
async fn keys(app: &TestApp) -> (String, Vec<PublicKey>) {
    let answer = app.anon().get("/.well-known/soit-keys.json").await;
    let listed = answer.expect(200);
    let keys = listed["keys"].as_array().expect("keys");
    let key = |key: &Value| key["public_key"].as_str().expect("a key").parse().expect("a public key");
    (answer.text, keys.iter().map(key).collect())
}

async fn run_verify(file: &std::path::Path, arguments: &[&str]) -> (Option<i32>, Value) {
    let output = Command::new(env!("CARGO_BIN_EXE_soit"))
        .arg("verify")
        .arg(file)
        .args(arguments)
        .arg("--json")
        .env_clear()
        .stdin(Stdio::null())
        .output()
        .await
        .expect("the binary runs");
    let told = serde_json::from_slice(&output.stdout).unwrap_or_default();
    (output.status.code(), told)
}

/// Runs statements with the triggers of a table off.
async fn behind_its_back(app: &TestApp, table: &str, sql: &str) {
    if app.database.engine() == Engine::Postgres {
        app.database.texts(&format!("ALTER TABLE {table} DISABLE TRIGGER USER")).await;
    } else {
        app.database.texts(&format!("DROP TRIGGER IF EXISTS {table}_update")).await;
        app.database.texts(&format!("DROP TRIGGER IF EXISTS {table}_content_update")).await;
        app.database.texts(&format!("DROP TRIGGER IF EXISTS {table}_delete")).await;
    }
    app.database.texts(sql).await;
}

on_both! {
    async fn evidence_is_the_same_each_time_and_verified_offline(app: TestApp) {
        let admin = app.admin().await;
        let run = called(&app).await;
        let (bytes, sha256) = evidence(&admin, &run).await;
        let hash: String = Sha256::digest(&bytes).iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(sha256, hash);
        called(&app).await;
        assert_eq!(evidence(&admin, &run).await.0, bytes, "whatever happens afterwards");
        let chain = admin.get("/api/v1/audit/chain").await.expect(200);
        assert!(chain["last_checkpoint"]["last_seq"].as_u64() > Some(0), "the first request sealed it: {chain}");

        let (keys_file, keys) = keys(&app).await;
        let checked = verify(&bytes, &keys).expect("sound evidence");
        assert_eq!(checked.run_id, run);
        let folder = tempfile::tempdir().expect("a folder");
        let (file, listed) = (folder.path().join("evidence.zip"), folder.path().join("keys.json"));
        std::fs::write(&file, &bytes).expect("a file");
        std::fs::write(&listed, keys_file).expect("a file");
        let stranger = FakeSigner::new(9).key().to_string();
        let mine = keys[0].to_string();
        for (arguments, code, outcome) in [
            (&[][..], 0, "valid"),
            (&["--key", &mine], 0, "valid"),
            (&["--key", listed.to_str().expect("a path")], 0, "valid"),
            (&["--key", &stranger, "--key", &mine], 0, "valid"),
            (&["--key", &stranger], 3, "stranger"),
            (&["--key", "no-key"], 2, "unreadable"),
        ] {
            let (status, told) = run_verify(&file, arguments).await;
            assert_eq!((status, told["outcome"].as_str()), (Some(code), Some(outcome)), "{arguments:?}: {told}");
        }
        let mut files = unpack(&bytes);
        assert!(String::from_utf8_lossy(&files["run.json"]).contains(PROMPT), "what is kept is in it");
        *files.get_mut("costs.jsonl").and_then(|costs| costs.get_mut(40)).expect("a byte") ^= 1;
        std::fs::write(&file, packed(&files)).expect("a file");
        let (status, told) = run_verify(&file, &["--key", &mine]).await;
        assert_eq!((status, &told["file"], &told["record"]), (Some(1), &json!("costs.jsonl"), &json!("record 1")));
        std::fs::write(&file, &bytes[..bytes.len() / 2]).expect("a file");
        let (status, told) = run_verify(&file, &[]).await;
        assert_eq!((status, &told["outcome"]), (Some(1), &json!("altered")), "{told}");
        assert!(told["detail"].as_str().is_some_and(|why| why.contains("ends too early")), "{told}");
        assert_eq!(run_verify(&folder.path().join("none.zip"), &[]).await.0, Some(2));

        let taken = admin.get("/api/v1/audit?event_type=run.evidence_exported").await.expect(200);
        let taken = taken["items"].as_array().expect("items");
        assert_eq!(taken.len(), 2);
        assert!(taken.iter().all(|row| row["payload"]["sha256"] == hash && row["run_id"].is_null()), "{taken:?}");
    }

    async fn a_run_that_goes_on_has_no_evidence(app: TestApp) {
        let mut sample = Sample::named("open", 9);
        sample.scope = first_home(&app).await.scope;
        let run = sample.run();
        app.app.ledger.commit(sample.opening([open_run(&run)])).await.expect("a batch");
        let answer = app.admin().await.get(&format!("/api/v1/runs/{}/evidence", run.id)).await;
        assert_eq!(answer.refusal(409), "run_not_final");
    }

    async fn the_worker_seals_what_waits_and_does_it_once(app: TestApp) {
        let admin = app.admin().await;
        let mut sample = Sample::named("sealed", 9);
        sample.scope = first_home(&app).await.scope;
        let rows = (0..1_000).map(|_| Op::from(sample.audit()));
        app.app.ledger.commit(sample.opening(rows)).await.expect("a batch");
        let mut last = json!(null);
        for _ in 0..2 {
            server::worker::seal_due(&app.app).await.expect("a pass");
            let state = admin.get("/api/v1/audit/chain").await.expect(200);
            assert_eq!(state["unsealed"], 0, "{state}");
            assert!(last.is_null() || last == state["last_checkpoint"], "{state}");
            last = state["last_checkpoint"].clone();
        }
        let metrics = app.anon().get("/metrics").await;
        assert!(metrics.text.contains("soit_chain_checkpoint_age_seconds 0"), "{}", metrics.text);
        let found = admin.get("/api/v1/audit/chain/verify").await.expect(200);
        assert_eq!((&found["valid"], &found["to"]), (&json!(true), &last["last_seq"]), "{found}");
    }

    async fn an_update_with_triggers_off_is_named_by_its_number(app: TestApp) {
        let admin = app.admin().await;
        let run = called(&app).await;
        let state = admin.get("/api/v1/audit/chain").await.expect(200);
        let path = "/api/v1/audit/chain/verify";
        let sound = admin.get(path).await.expect(200);
        assert_eq!((&sound["valid"], &sound["checked"]), (&json!(true), &state["entries"]), "{sound}");
        let changed = "SELECT subject_id FROM chain_entries WHERE seq = 2 AND kind = 'audit'";
        let changed = app.database.texts(changed).await.pop().expect("the second entry");
        behind_its_back(&app, "audit", "UPDATE audit SET operation = 'nothing' WHERE seq = 2").await;
        let found = admin.get(path).await.expect(200);
        assert_eq!((&found["valid"], &found["first_bad_seq"]), (&json!(false), &json!(2)), "{found}");
        assert_eq!((&found["problem"], &found["record"]), (&json!("record_altered"), &json!(changed)));
        let rest = admin.get(&format!("{path}?from=3")).await.expect(200);
        assert_eq!(rest["valid"], true, "{rest}");

        // A step that was changed is named in the chain and in evidence that is signed over it.
        behind_its_back(&app, "steps", "UPDATE steps SET attempt_no = 7").await;
        let found = admin.get(&format!("{path}?from=3")).await.expect(200);
        let step = found["record"].as_str().expect("a record");
        assert!(step.starts_with("stp_"), "{found}");
        assert_eq!(altered(&evidence(&admin, &run).await.0), ("steps.jsonl".to_owned(), Some(step.to_owned())));
        for (query, field) in [("from=0", "from"), ("from=9999", "from"), ("from=2&to=1", "to")] {
            let refused = admin.get(&format!("{path}?{query}")).await.expect(400);
            assert_eq!(refused["errors"][0]["field"], field, "{refused}");
        }
        assert_eq!(admin.get(&format!("{path}?from=x")).await.status, 400);
    }

    async fn texts_are_withheld_where_the_workspace_keeps_none_now(app: TestApp) {
        let admin = app.admin().await;
        let run = called(&app).await;
        let kept = evidence(&admin, &run).await.0;
        let home = first_home(&app).await;
        let path = format!("/api/v1/workspaces/{}", home.scope.workspace_id);
        let etag = admin.get(&path).await;
        let owner = admin.clone().header(http::header::IF_MATCH, etag.header("etag"));
        owner.send(Method::PATCH, &path, Some(json!({ "content_capture": "metadata_only" }))).await.expect(200);
        let withheld = evidence(&admin, &run).await.0;
        verify(&withheld, &keys(&app).await.1).expect("sound evidence");
        let has = |bytes: &[u8]| bytes.windows(11).any(|window| window == b"canary-51c7");
        assert_eq!((has(&kept), has(&withheld)), (true, false));
    }

    async fn what_a_provider_says_of_its_failure_is_not_in_evidence_that_withholds_texts(app: TestApp) {
        let kit = Kit::new(app).await;
        let model = kit.model("status-400").await;
        let answer = kit.ask(&model, PROMPT).await;
        assert!(answer.text.contains("canary-51c7"), "the caller is told what the provider says: {}", answer.text);
        let run = answer.header("x-soit-run-id").to_owned();
        kit.quiet().await;
        let kept = unpack(&evidence(&kit.admin, &run).await.0);
        for name in ["run.json", "steps.jsonl"] {
            let text = String::from_utf8_lossy(&kept[name]).into_owned();
            let record: Value = serde_json::from_str(text.trim()).expect("one record");
            assert_eq!(record["record"]["error"]["message"], "the provider refuses the request", "{record}");
        }
        let path = format!("/api/v1/workspaces/{}", first_home(&kit.app).await.scope.workspace_id);
        let etag = kit.admin.get(&path).await;
        let owner = kit.admin.clone().header(http::header::IF_MATCH, etag.header("etag"));
        owner.send(Method::PATCH, &path, Some(json!({ "content_capture": "metadata_only" }))).await.expect(200);
        let withheld = evidence(&kit.admin, &run).await.0;
        verify(&withheld, &keys(&kit.app).await.1).expect("sound evidence");
        assert!(!withheld.windows(11).any(|window| window == b"canary-51c7"));
    }

    async fn content_that_somebody_deletes_is_named(app: TestApp) {
        let admin = app.admin().await;
        let (first, second, long) = (called(&app).await, called(&app).await, said(&app, &"word ".repeat(10_000)).await);
        let path = "/api/v1/audit/chain/verify";
        let sound = admin.get(path).await.expect(200);
        assert_eq!(sound["valid"], true, "{sound}");
        let artifacts = admin.get(&format!("/api/v1/runs/{long}/artifacts")).await.expect(200);
        let artifacts: Vec<&str> =
            artifacts["items"].as_array().expect("items").iter().filter_map(|one| one["id"].as_str()).collect();
        assert!(!artifacts.is_empty());
        let nth = |number: u8| format!("WHERE id = (SELECT id FROM runs ORDER BY started_at, id LIMIT 1 OFFSET {number})");

        // The latest first: what is named is the first that is wrong.
        behind_its_back(&app, "artifacts", "DELETE FROM artifacts").await;
        let found = admin.get(path).await.expect(200);
        assert_eq!((&found["valid"], &found["problem"]), (&json!(false), &json!("record_missing")), "{found}");
        assert!(artifacts.contains(&found["record"].as_str().expect("a record")), "{found}");
        behind_its_back(&app, "runs", &format!("UPDATE runs SET salt = NULL {}", nth(1))).await;
        let found = admin.get(path).await.expect(200);
        assert_eq!((&found["problem"], &found["record"]), (&json!("record_altered"), &json!(format!("{second}.input"))));
        behind_its_back(&app, "runs", &format!("UPDATE runs SET input_preview = NULL {}", nth(0))).await;
        let found = admin.get(path).await.expect(200);
        let input = format!("{first}.input");
        assert_eq!((&found["problem"], &found["record"]), (&json!("record_missing"), &json!(input)), "{found}");
        // In evidence that is signed over it, too.
        assert_eq!(altered(&evidence(&admin, &first).await.0), ("run.json".to_owned(), Some(input)));
    }

    async fn content_that_a_purge_took_is_not_missing_and_evidence_says_so(app: TestApp) {
        let admin = app.admin().await;
        let run = called(&app).await;
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
        let (scope, before) = (first_home(&app).await.scope, app.app.clock.now());
        let erased = erase_content(&app.app.erase, scope, before, 10).await.expect("an erasure");
        assert_eq!(erased.runs, 1, "{erased:?}");
        let path = "/api/v1/audit/chain/verify";
        let found = admin.get(path).await.expect(200);
        assert_eq!(found["valid"], true, "{found}");
        let bytes = evidence(&admin, &run).await.0;
        verify(&bytes, &keys(&app).await.1).expect("sound evidence");
        assert!(!bytes.windows(11).any(|window| window == b"canary-51c7"));
        let chain: Value = serde_json::from_slice(&unpack(&bytes)["chain.json"]).expect("JSON");
        let kinds = chain["entries"].as_array().expect("entries").iter().filter(|entry| entry["kind"] == "purge");
        assert_eq!(kinds.count(), 1, "the purge is in it: {chain}");
        // As it was indexed by nobody before, and then by the migration: without the index it is missing.
        app.database.texts("DELETE FROM purged_entries").await;
        let found = admin.get(path).await.expect(200);
        assert_eq!((&found["problem"], &found["record"]), (&json!("record_missing"), &json!(format!("{run}.input"))));
        let up = match app.database.engine() {
            Engine::Sqlite => include_str!("../../../migration/sql/0023_purged_content/up.sqlite.sql"),
            Engine::Postgres => include_str!("../../../migration/sql/0023_purged_content/up.postgres.sql"),
        };
        app.database.texts(up.trim().trim_end_matches(';')).await;
        let found = admin.get(path).await.expect(200);
        assert_eq!(found["valid"], true, "{found}");
    }

    async fn evidence_after_a_rotation_is_trusted_by_who_has_the_first_key_alone(app: TestApp) {
        let admin = app.admin().await;
        let old = called(&app).await;
        let before = keys(&app).await.1;
        let early = evidence(&admin, &old).await.0;
        verify(&early, &before).expect("sound evidence");
        app.app.rotator.rotate().await.expect("a rotation");
        let (file, after) = keys(&app).await;
        assert_eq!((after.len(), after[1]), (2, before[0]));
        let listed: Value = serde_json::from_str(&file).expect("JSON");
        assert_eq!(listed["keys"][0]["valid_from"], listed["keys"][1]["valid_until"]);
        assert_eq!((&listed["keys"][0]["valid_until"], &listed["keys"][1]["valid_from"]), (&Value::Null, &Value::Null));

        let new = called(&app).await;
        let stranger = [FakeSigner::new(9).key()];
        for run in [&old, &new] {
            let bytes = evidence(&admin, run).await.0;
            let checked = verify(&bytes, &before).expect("the first key is enough");
            assert_eq!(checked.key_id, after[0].id());
            assert!(matches!(verify(&bytes, &stranger), Err(Refused::Stranger(_))));
            let folder = tempfile::tempdir().expect("a folder");
            let path = folder.path().join("evidence.zip");
            std::fs::write(&path, &bytes).expect("a file");
            let first = before[0].to_string();
            let (status, told) = run_verify(&path, &["--key", &first]).await;
            assert_eq!((status, &told["outcome"]), (Some(0), &json!("valid")), "{told}");
            // A statement that was changed is found.
            let mut files = unpack(&bytes);
            let chain: Value = serde_json::from_slice(&files["chain.json"]).expect("JSON");
            let statement = chain["rotations"][0].as_str().expect("a statement").to_owned();
            let text = String::from_utf8(files["chain.json"].clone()).expect("text");
            let quoted = serde_json::to_string(&statement).expect("JSON");
            files.insert("chain.json".to_owned(), text.replace(&quoted, "\"{}\"").into_bytes());
            assert_eq!(altered(&packed(&files)).0, "chain.json");
        }
        verify(&early, &before).expect("what was taken out before is as good as it was");
        let found = admin.get("/api/v1/audit/chain/verify").await.expect(200);
        assert_eq!(found["valid"], true, "{found}");
    }

    async fn evidence_of_a_broken_chain_names_the_entry(app: TestApp) {
        let admin = app.admin().await;
        let run = called(&app).await;
        let seq = format!("SELECT CAST(seq AS TEXT) FROM chain_entries WHERE subject_id = '{run}'");
        let seq = app.database.texts(&seq).await.pop().expect("its entry");
        let alter = format!("UPDATE chain_entries SET hash = prev_hash WHERE seq = {seq} AND subject_id = '{run}'");
        behind_its_back(&app, "chain_entries", &alter).await;
        let answer = admin.get(&format!("/api/v1/runs/{run}/evidence")).await;
        assert_eq!(answer.refusal(409), "chain_broken");
        assert!(answer.text.contains(&format!("entry {seq} of the chain")), "{}", answer.text);
        server::worker::seal_due(&app.app).await.expect("a pass that leaves it as it is");
    }

    async fn the_chain_of_a_tenant_is_checked_by_those_who_manage_it(app: TestApp) {
        let home = first_home(&app).await;
        new_member(&app, &home, "alice@example.com", types::identity::Role::Owner).await;
        let alice = signed_in(&app, "alice@example.com").await;
        let tenant = format!("/api/v1/tenants/{}", home.scope.tenant_id);
        let path = format!("{tenant}/audit/chain");
        let state = |caller: Caller| {
            let path = path.clone();
            async move { caller.get(&path).await.expect(200) }
        };
        let before = state(alice.clone()).await;
        for name in ["One", "Two"] {
            let seen = alice.get(&tenant).await;
            let owner = alice.clone().header(http::header::IF_MATCH, seen.header("etag"));
            owner.send(Method::PATCH, &tenant, Some(json!({ "name": name }))).await.expect(200);
        }
        let after = state(alice.clone()).await;
        let entries = |state: &Value| state["entries"].as_u64().expect("a number");
        assert_eq!(entries(&after), entries(&before) + 2, "{after}");
        let mine = alice.get("/api/v1/audit/chain").await.expect(200);
        assert_ne!(after["head"], mine["head"], "the workspace's is another");
        let verify = format!("{path}/verify");
        let sound = alice.get(&verify).await.expect(200);
        assert_eq!((&sound["valid"], &sound["checked"]), (&json!(true), &after["entries"]), "{sound}");
        server::worker::seal_due(&app.app).await.expect("a pass");
        alice.get(&verify).await.expect(200);

        let seq = entries(&after);
        let of_tenant = format!("seq = {seq} AND event_type = 'tenant.updated'");
        let changed = format!("SELECT event_type FROM audit WHERE {of_tenant}");
        assert_eq!(app.database.texts(&changed).await.len(), 1);
        behind_its_back(&app, "audit", &format!("UPDATE audit SET operation = 'nothing' WHERE {of_tenant}")).await;
        let found = alice.get(&verify).await.expect(200);
        assert_eq!((&found["valid"], &found["first_bad_seq"]), (&json!(false), &json!(seq)), "{found}");
        assert_eq!(found["problem"], "record_altered", "{found}");
        for (query, field) in [("from=0", "from"), ("from=9999", "from"), ("from=2&to=1", "to")] {
            let refused = alice.get(&format!("{verify}?{query}")).await.expect(400);
            assert_eq!(refused["errors"][0]["field"], field, "{refused}");
        }

        let other = new_home(&app, "other").await;
        new_member(&app, &other, "eve@example.com", types::identity::Role::Owner).await;
        let eve = signed_in(&app, "eve@example.com").await;
        let unknown = types::id::TenantId::from_uuid(app.app.ids.uuid());
        for rest in ["/audit/chain", "/audit/chain/verify"] {
            let foreign = eve.get(&format!("{tenant}{rest}")).await;
            let none = eve.get(&format!("/api/v1/tenants/{unknown}{rest}")).await;
            assert_eq!((foreign.refusal(404), none.refusal(404)), ("not_found".to_owned(), "not_found".to_owned()));
            assert_eq!(foreign.json()["detail"], none.json()["detail"]);
        }
    }

    async fn what_proves_the_chain_is_for_who_may_read_all_of_the_audit(app: TestApp) {
        let home = first_home(&app).await;
        let run = called(&app).await;
        evidence(&app.admin().await, &run).await;
        new_member(&app, &home, "alice@example.com", types::identity::Role::Owner).await;
        let console = at_console(&app, "alice@example.com").await;
        let path = "/ui/audit/chain?w=default";
        let answer = console.get(path).await;
        assert_eq!(answer.status, 200, "{}", answer.text);
        let proof: Value = serde_json::from_str(&answer.text).expect("JSON");
        let entries = proof["entries"].as_array().expect("entries");
        assert!(entries.iter().any(|entry| entry["kind"] == "run" && entry["subject_id"] == *run), "{proof}");
        assert!(!proof["checkpoints"].as_array().expect("checkpoints").is_empty());
        assert!(!answer.text.contains(PROMPT), "of runs the parts alone");
        assert_eq!(console.get(&format!("{path}&from=0")).await.status, 400);
        new_member(&app, &home, "bob@example.com", types::identity::Role::Dev).await;
        assert_eq!(at_console(&app, "bob@example.com").await.get(path).await.status, 403);
    }
}

#[tokio::test]
async fn one_byte_of_any_file_is_named_and_so_is_a_file_too_many_or_too_few() {
    let app = TestApp::sqlite().await;
    let admin = app.admin().await;
    let bytes = evidence(&admin, &called(&app).await).await.0;
    let files = unpack(&bytes);
    assert_eq!(files.len(), 16);
    for (name, content) in &files {
        // Each byte of the small ones, and of the others many.
        let step = (content.len() / 60).max(1);
        for place in (0..content.len()).step_by(step) {
            let mut changed = files.clone();
            changed.get_mut(name).and_then(|content| content.get_mut(place)).map(|byte| *byte ^= 1).expect("a byte");
            assert_eq!(altered(&packed(&changed)).0, *name, "byte {place}");
        }
        let mut longer = files.clone();
        longer.get_mut(name).expect("the file").push(b'\n');
        assert_eq!(altered(&packed(&longer)).0, *name, "one more");
        let mut fewer = files.clone();
        fewer.remove(name);
        assert_eq!(altered(&packed(&fewer)).0, *name, "none");
        // In the zip itself, where its own checksum tells.
        if content.len() > 40 {
            let place = bytes.windows(40).position(|window| window == &content[..40]).expect("its bytes");
            let mut changed = bytes.clone();
            changed[place] ^= 1;
            assert_eq!(altered(&changed).0, *name);
        }
    }
    let own = || files.iter().map(|(name, content)| (name.as_str(), content.as_slice()));
    for extra in ["../run.json", "/etc/passwd", "notes.txt", "run.json/", "a\\..\\b"] {
        let more = pack(own().chain([(extra, &b"x"[..])]));
        assert!(matches!(verify(&more, &[]), Err(Refused::Altered { .. })), "{extra}");
    }
    // The same name twice: written under another of the same length, and renamed in the bytes.
    let mut twice = pack(own().chain([("xun.json", &b"x"[..])]));
    while let Some(place) = twice.windows(8).position(|window| window == b"xun.json") {
        twice[place] = b'r';
    }
    assert!(matches!(verify(&twice, &[]), Err(Refused::Altered { .. })));
    assert!(matches!(verify(b"", &[]), Err(Refused::Unreadable(_))));
    assert!(matches!(verify(b"no zip at all", &[]), Err(Refused::Unreadable(_))));
}

/// Where each file of a zip lies, with its header, and where its header in the directory lies.
fn places(bytes: &[u8]) -> Vec<(String, std::ops::Range<usize>, usize)> {
    let mut zip = ZipArchive::new(Cursor::new(bytes)).expect("a zip");
    let place = |index| {
        let file = zip.by_index(index).expect("a file");
        let start = usize::try_from(file.header_start()).expect("a place");
        let data = usize::try_from(file.data_start().expect("a place")).expect("a place");
        let size = usize::try_from(file.size()).expect("a size");
        let listed = usize::try_from(file.central_header_start()).expect("a place");
        (file.name().expect("a name").into_owned(), start..data + size, listed)
    };
    (0..16).map(place).collect()
}

#[tokio::test]
async fn every_byte_of_a_bundle_that_is_flipped_cut_or_added_is_found() {
    let app = TestApp::sqlite().await;
    let admin = app.admin().await;
    let bytes = evidence(&admin, &called(&app).await).await.0;
    assert_eq!(packed(&unpack(&bytes)), bytes, "a bundle of a library's making is the same");
    let places = places(&bytes);
    let (directory, end) = (places[0].2, bytes.len() - 22);
    let owner = |place: usize| {
        let own = places.iter().find(|(_, lies, _)| lies.contains(&place));
        let listed = || places.iter().rfind(|(.., listed)| *listed <= place && place < end);
        own.or_else(listed).map_or("container", |(name, ..)| name)
    };
    // A name that was changed is not the name of a file: it is told as it is.
    let is_name = |place: usize| {
        places.iter().any(|(name, lies, _)| (lies.start + 26..lies.start + 30 + name.len()).contains(&place))
    };
    let headers = places.iter().flat_map(|(name, lies, _)| lies.start..lies.start + 30 + name.len());
    let around: std::collections::BTreeSet<usize> = headers.chain(directory..bytes.len()).collect();
    for place in 0..bytes.len() {
        let mut changed = bytes.clone();
        let bits = if around.contains(&place) { 0..8 } else { place % 8..place % 8 + 1 };
        for bit in bits {
            changed[place] = bytes[place] ^ (1 << bit);
            let (file, _) = altered(&changed);
            assert!(file == owner(place) || is_name(place), "byte {place}, bit {bit}: {file}, not {}", owner(place));
        }
    }
    for length in 0..bytes.len() {
        assert!(verify(&bytes[..length], &[]).is_err(), "cut to {length}");
    }
    for place in places.iter().flat_map(|(_, lies, listed)| [lies.start, lies.end, *listed]).chain([end, bytes.len()]) {
        for more in
            [&b"\0"[..], b"PK\x03\x04", b"a longer text that is no part of any zip, and longer than a header is"]
        {
            let added = [&bytes[..place], more, &bytes[place..]].concat();
            altered(&added);
        }
    }
    let again = [&bytes[..], &bytes[..]].concat();
    assert_eq!(altered(&again).0, "container");
    // In another order, the same files are another container.
    let files = unpack(&bytes);
    altered(&pack(files.iter().rev().map(|(name, content)| (name.as_str(), content.as_slice()))));
    let (folder, mine) = (tempfile::tempdir().expect("a folder"), keys(&app).await.1[0].to_string());
    let file = folder.path().join("evidence.zip");
    for (place, named) in [(10, "SHA256SUMS"), (directory + 10, "SHA256SUMS"), (end + 20, "container")] {
        let mut changed = bytes.clone();
        changed[place] ^= 1;
        std::fs::write(&file, &changed).expect("a file");
        let (status, told) = run_verify(&file, &["--key", &mine]).await;
        assert_eq!((status, &told["file"]), (Some(1), &json!(named)), "{told}");
        assert!(told["detail"].as_str().is_some_and(|why| why.contains(&format!("byte {place} "))), "{told}");
    }
}
