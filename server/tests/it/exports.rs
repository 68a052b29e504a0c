//! Taking records out through `/exports`.

use std::time::Duration;

use async_compression::tokio::bufread::{GzipDecoder, ZstdDecoder};
use axum::body::{Body, to_bytes};
use axum::http::header::{ACCEPT_ENCODING, IF_MATCH};
use axum::http::{Method, Request};
use chrono::SecondsFormat;
use futures::StreamExt;
use kernel::export::fields;
use kernel::ledger::{NewArtifact, NewRun, NewTask, Op, Place, TaskOp};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use testkit::database::Engine;
use testkit::sample::{self, Sample};
use tokio::io::AsyncReadExt;
use types::artifact::ArtifactKind;
use types::export::RecordType;
use types::id::RunId;
use types::identity::Role;

use crate::identity::people::{at_console, first_home, new_home, new_member, signed_in};
use crate::util::test_app::{Caller, TestApp, on_both};

/// Kinds that leave by a window.
const KINDS: [&str; 7] = ["steps", "costs", "tasks", "audit", "events", "run_events", "artifacts"];

/// The columns of a table, as the database has them.
async fn columns(app: &TestApp, table: &str) -> Vec<String> {
    let asking = match app.database.engine() {
        Engine::Sqlite => format!("SELECT name FROM pragma_table_info('{table}')"),
        Engine::Postgres => format!(
            "SELECT column_name::text FROM information_schema.columns
             WHERE table_schema = current_schema() AND table_name = '{table}'"
        ),
    };
    app.database.texts(&asking).await
}

/// Copies the only row of a table, one a day from 2025-01-01 on, as if each had been written then.
async fn days(app: &TestApp, table: &str, count: u32) {
    // Signing in is in the audit, too.
    days_of(app, table, if table == "audit" { "WHERE event_type = 'key.created'" } else { "" }, count).await;
}

/// The same of the first of some of its rows.
async fn days_of(app: &TestApp, table: &str, of: &str, count: u32) {
    let (id, numbers, at) = match app.database.engine() {
        Engine::Sqlite => (
            "randomblob(16)",
            format!(
                "(WITH RECURSIVE n (number) AS (SELECT 0 UNION ALL SELECT number + 1 FROM n WHERE number < {count} - 1) SELECT number FROM n)"
            ),
            "strftime('%Y-%m-%dT%H:%M:%f', '2025-01-01', '+' || number || ' days') || '000Z'",
        ),
        Engine::Postgres => (
            "gen_random_uuid()",
            format!("generate_series(0, {count} - 1) AS numbers (number)"),
            "TIMESTAMPTZ '2025-01-01T00:00:00Z' + number * INTERVAL '1 day'",
        ),
    };
    let columns = columns(app, table).await;
    let value = |column: &String| match column.as_str() {
        "id" => id.to_owned(),
        "created_at" | "occurred_at" => at.to_owned(),
        "seq" | "subject_seq" | "offset" => "1000 + number".to_owned(),
        "source_ref" => "'copy:' || number".to_owned(),
        other => other.to_owned(),
    };
    let values: Vec<String> = columns.iter().map(value).collect();
    let names: Vec<String> = columns.iter().map(|column| format!("\"{column}\"")).collect();
    let first = format!("(SELECT * FROM {table} {of} ORDER BY created_at LIMIT 1) AS first");
    let copy =
        format!("INSERT INTO {table} ({}) SELECT {} FROM {first}, {numbers}", names.join(", "), values.join(", "));
    app.database.texts(&copy).await;
}

fn artifact(sample: &Sample, run_id: RunId) -> NewArtifact {
    NewArtifact {
        id: sample.ids().artifact(),
        run_id: Some(run_id),
        step_id: None,
        kind: ArtifactKind::File,
        mime: "text/plain; charset=utf-8".to_owned(),
        size: 9,
        sha256: sample.digest(7),
        place: Place::Inline(b"canary-77".to_vec()),
        expires_at: None,
    }
}

/// A run under a label that looks like a formula, with one record of each kind, written now; and 400 days of each.
async fn history(app: &TestApp, count: u32) -> NewRun {
    let mut sample = Sample::named("past", 9);
    sample.scope = first_home(app).await.scope;
    let mut run = sample.run();
    run.labels.insert("team".to_owned(), "=1+1".to_owned());
    let step = sample.step(run.id);
    let ops = [
        sample::open_run(&run),
        sample::open_step(&step),
        sample::close_step(step.id),
        sample::add_cost(&sample.cost(run.id, step.id, 1_500)),
        sample::append(sample.run_event(run.id, "run.started")),
        sample.event(run.id, "live").into(),
        sample.audit().into(),
        Op::ArtifactAdd(artifact(&sample, run.id).into()),
        Op::Task(TaskOp::Open(NewTask { delay: Duration::from_secs(3_600), ..sample.task() }.into())),
    ];
    app.app.ledger.commit(sample.opening(ops)).await.expect("a batch");
    for table in KINDS {
        days(app, table, count).await;
    }
    run
}

fn sha256(text: &str) -> String {
    Sha256::digest(text).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The records of a JSONL file, and its trailer.
fn read(text: &str) -> (Vec<Value>, Value, String) {
    let (body, last) = text.trim_end().rsplit_once('\n').unwrap_or(("", text.trim_end()));
    let records = body.lines().map(|line| serde_json::from_str(line).expect("a record")).collect();
    let trailer = serde_json::from_str(last).expect("a trailer");
    (records, trailer, if body.is_empty() { String::new() } else { format!("{body}\n") })
}

/// What the audit says of exports that ended, once it says so many.
async fn exports(app: &TestApp, count: usize) -> Vec<Value> {
    loop {
        let rows = "SELECT payload FROM audit WHERE event_type = 'ledger.exported' ORDER BY seq";
        let rows = app.database.texts(rows).await;
        if rows.len() >= count {
            return rows.iter().map(|text| serde_json::from_str(text).expect("JSON")).collect();
        }
    }
}

/// The bytes as they travel, and the encoding they name.
async fn compressed(caller: &Caller, path: &str, accept: &str) -> (String, Vec<u8>) {
    let request = Request::get(path).header(ACCEPT_ENCODING, accept).body(Body::empty()).expect("a request");
    let (parts, body) = caller.respond(request).await.into_parts();
    assert_eq!(parts.status, 200);
    assert_eq!(parts.headers["vary"], "accept-encoding");
    let encoding = parts.headers.get("content-encoding").map(|name| name.to_str().expect("a name").to_owned());
    let bytes = to_bytes(body, usize::MAX).await.expect("a whole body").to_vec();
    (encoding.unwrap_or_default(), bytes)
}

on_both! {
    async fn four_hundred_days_of_costs_leave_whole_and_a_label_is_no_formula(app: TestApp) {
        let admin = app.admin().await;
        history(&app, 400).await;
        let file = admin.get("/api/v1/exports/costs").await;
        assert_eq!((file.status, file.header("x-soit-ledger-schema")), (200, "2.0"));
        assert_eq!(file.header("content-disposition"), "attachment; filename=\"soit-costs.jsonl\"");
        let (records, trailer, body) = read(&file.text);
        // Without the one that was written this moment.
        assert_eq!(records.len(), 400);
        let mut receipt = json!({ "count": 400, "sha256": sha256(&body) });
        // Their run goes on, it is no entry yet.
        receipt["first_chain_seq"] = Value::Null;
        receipt["last_chain_seq"] = Value::Null;
        assert_eq!((&trailer["record_type"], &trailer["record"]), (&json!("trailer"), &receipt));
        assert!(records.iter().all(|line| line["record_type"] == "cost" && line["schema_version"] == "2.0"));
        let at: Vec<&str> = records.iter().map(|line| line["record"]["created_at"].as_str().expect("a time")).collect();
        assert!(at.is_sorted() && at[0].starts_with("2025-01-01") && at[399].starts_with("2026-02-04"), "{at:?}");
        assert_eq!(records[7]["record"]["labels"], json!({ "team": "=1+1" }));

        let csv = admin.get("/api/v1/exports/costs?format=csv").await;
        assert_eq!((csv.status, csv.header("content-type")), (200, "text/csv; charset=utf-8"));
        let rows: Vec<&str> = csv.text.split_terminator("\r\n").collect();
        let names: Vec<&str> = fields(RecordType::Costs).iter().map(|field| field.name).collect();
        assert_eq!((rows.len(), rows[0]), (401, format!("\u{feff}{}", names.join(",")).as_str()));
        assert_eq!(csv.text.matches("'=1+1").count(), 400);
        assert!(!csv.text.contains("\"=1+1"), "{}", rows[1]);

        let audited = exports(&app, 2).await;
        for (audit, text) in [(&audited[0], &body), (&audited[1], &csv.text)] {
            assert_eq!((&audit["count"], &audit["complete"]), (&json!(400), &json!(true)));
            assert_eq!(audit["sha256"], sha256(text));
        }
        let operations = "SELECT operation FROM audit WHERE event_type = 'ledger.exported'";
        assert_eq!(app.database.texts(operations).await, ["export.costs", "export.costs"]);
    }

    async fn every_kind_leaves_by_its_window_and_goes_on_behind_the_last_one(app: TestApp) {
        let admin = app.admin().await;
        history(&app, 30).await;
        for kind in KINDS {
            let path = format!("/api/v1/exports/{kind}");
            let (all, ..) = read(&admin.get(&format!("{path}?until=2025-06-01T00:00:00Z")).await.text);
            assert_eq!(all.len(), 30, "{kind}");
            let of = kind.parse::<RecordType>().expect("a kind");
            let expected: Vec<&str> = fields(of).iter().map(|field| field.name).collect();
            for line in &all {
                assert_eq!(line["record_type"], of.one());
                let names: Vec<&str> = line["record"].as_object().expect("a record").keys().map(String::as_str).collect();
                assert_eq!(names, expected, "{kind}");
            }
            let window = format!("{path}?since=2025-01-05T00:00:00Z&until=2025-01-08T00:00:00Z");
            let (some, ..) = read(&admin.get(&window).await.text);
            assert_eq!(some, all[4..7], "{kind}: the start is in, the end is not");
            let last = &all[9]["record"];
            let last = match of {
                RecordType::RunEvents => format!("{}.{}", last["run_id"].as_str().expect("an id"), last["offset"]),
                _ => last["id"].as_str().expect("an id").to_owned(),
            };
            let (rest, ..) = read(&admin.get(&format!("{path}?until=2025-06-01T00:00:00Z&after={last}")).await.text);
            assert_eq!(rest, all[10..], "{kind}");
        }
    }

    async fn the_audit_of_a_tenant_as_a_whole_leaves_by_itself(app: TestApp) {
        let home = first_home(&app).await;
        new_member(&app, &home, "boss@example.com", Role::Owner).await;
        new_member(&app, &home, "dev@example.com", Role::Dev).await;
        let (boss, dev) = (signed_in(&app, "boss@example.com").await, signed_in(&app, "dev@example.com").await);
        let tenant = format!("/api/v1/tenants/{}", home.scope.tenant_id);
        let etag = boss.get(&tenant).await.header("etag").to_owned();
        let named = boss.clone().header(IF_MATCH, &etag);
        named.send(Method::PATCH, &tenant, Some(json!({ "name": "Acme" }))).await.expect(200);
        days_of(&app, "audit", "WHERE event_type = 'tenant.updated'", 30).await;
        let path = format!("{tenant}/audit/export");
        let window = format!("{path}?since=2025-01-05T00:00:00Z&until=2025-01-08T00:00:00Z");
        let file = boss.get(&window).await;
        assert_eq!(file.header("content-disposition"), "attachment; filename=\"soit-tenant-audit.jsonl\"");
        let (some, trailer, body) = read(&file.text);
        assert_eq!((some.len(), &trailer["record"]["count"]), (3, &json!(3)));
        assert_eq!(trailer["record"]["sha256"], sha256(&body));
        assert!(some.iter().all(|line| line["record"]["event_type"] == "tenant.updated"), "nothing of its workspaces");
        let last = some[2]["record"]["id"].as_str().expect("an id");
        let csv = boss.get(&format!("{path}?format=csv&until=2025-06-01T00:00:00Z&after={last}")).await;
        assert_eq!(csv.text.split_terminator("\r\n").count(), 1 + 23);
        let told = boss.get(&format!("{tenant}/audit?event_type=ledger.exported")).await.expect(200);
        assert_eq!(told["items"].as_array().map(Vec::len), Some(2), "whoever takes it out is in it");
        let (here, ..) = read(&boss.get("/api/v1/exports/audit?until=2025-06-01T00:00:00Z").await.text);
        assert!(here.is_empty(), "it is none of the workspace's: {here:?}");
        assert_eq!(boss.get(&format!("{path}?format=xml")).await.refusal(400), "invalid");
        assert_eq!(boss.get(&format!("{path}?after=aud_01jz8k0000000000000000000a")).await.refusal(400), "invalid");
        assert_eq!(dev.get(&path).await.refusal(403), "role_required");
        assert_eq!(app.key(&["admin"]).await.get(&format!("{path}?until=2025-02-01T00:00:00Z")).await.status, 200);
        let elsewhere = new_home(&app, "elsewhere").await;
        new_member(&app, &elsewhere, "stranger@example.com", Role::Owner).await;
        assert_eq!(signed_in(&app, "stranger@example.com").await.get(&path).await.refusal(404), "not_found");
    }

    async fn no_column_of_the_ledger_is_missing_from_the_schema_and_the_exports(app: TestApp) {
        let schema = app.key(&["read"]).await.get("/api/v1/exports/schema").await.expect(200);
        assert_eq!(schema["schema_version"], "2.0");
        for kind in RecordType::ALL {
            let properties = &schema["$defs"][kind.one()]["properties"];
            let columns = columns(&app, kind.as_str()).await;
            assert!(columns.len() > 5, "{kind}: {columns:?}");
            // Who knows the salt can try whether a text is the one that a commitment of the chain stands for. Where the bytes of an
            // artifact lie is nobody's business, and none that expires leaves.
            let left = ["salt", "content", "storage_key", "expires_at"];
            for column in columns.into_iter().filter(|column| !left.contains(&column.as_str())) {
                let field = fields(*kind).iter().find(|field| field.covers(&column));
                let field = field.unwrap_or_else(|| panic!("`{kind}.{column}` is in no field of the contract"));
                assert!(properties[field.name].is_object(), "{kind}.{} is not in the schema", field.name);
            }
        }
        // The file says what the schema does: `every_kind_leaves…` and the contract of the store hold the records against it.
        let runs = app.admin().await.get("/api/v1/exports/runs?format=csv").await;
        let names: Vec<&str> = fields(RecordType::Runs).iter().map(|field| field.name).collect();
        assert_eq!(runs.text.trim_start_matches('\u{feff}').lines().next(), Some(names.join(",").as_str()));
    }

    async fn what_is_compressed_is_the_same_file(app: TestApp) {
        let admin = app.admin().await;
        history(&app, 400).await;
        let path = "/api/v1/exports/costs";
        let (none, plain) = compressed(&admin, path, "br;q=1").await;
        assert_eq!(none, "");
        for (accept, name) in [("gzip", "gzip"), ("gzip, deflate, br, zstd", "zstd"), ("zstd;q=0.1, gzip", "gzip")] {
            let (encoding, bytes) = compressed(&admin, path, accept).await;
            assert_eq!(encoding, name, "{accept}");
            assert!(bytes.len() * 5 < plain.len(), "{} of {}", bytes.len(), plain.len());
            let mut decoded = Vec::new();
            match name {
                "gzip" => GzipDecoder::new(bytes.as_slice()).read_to_end(&mut decoded).await.expect("gzip"),
                _ => ZstdDecoder::new(bytes.as_slice()).read_to_end(&mut decoded).await.expect("zstd"),
            };
            assert_eq!(decoded, plain, "{accept}");
        }
        let (.., body) = read(std::str::from_utf8(&plain).expect("UTF-8"));
        for audit in exports(&app, 4).await {
            assert_eq!((&audit["sha256"], &audit["complete"]), (&json!(sha256(&body)), &json!(true)));
        }
    }

    async fn a_download_that_is_cut_shows_it_and_is_on_the_record(app: TestApp) {
        let admin = app.admin().await;
        history(&app, 300).await;
        let request = Request::get("/api/v1/exports/steps").body(Body::empty()).expect("a request");
        let mut body = admin.respond(request).await.into_body().into_data_stream();
        let mut cut = String::new();
        while cut.lines().count() < 3 {
            let bytes = body.next().await.expect("a line").expect("a line");
            cut.push_str(std::str::from_utf8(&bytes).expect("UTF-8"));
        }
        drop(body);
        assert!(!cut.contains("trailer"));
        let audit = &exports(&app, 1).await[0];
        let told = (&audit["count"], &audit["complete"], &audit["sha256"]);
        assert_eq!(told, (&json!(3), &json!(false), &json!(sha256(&cut))));
        let started = "SELECT operation FROM audit WHERE event_type = 'ledger.export_started'";
        assert_eq!(app.database.texts(started).await, ["export.steps"]);
    }

    async fn wrong_exports_are_refused_by_name(app: TestApp) {
        let admin = app.admin().await;
        history(&app, 3).await;
        for kind in ["tool_calls", "approvals", "nonsense", "cost"] {
            let refused = admin.get(&format!("/api/v1/exports/{kind}")).await;
            assert_eq!(refused.refusal(400), "invalid", "{kind}");
            let error = &refused.json()["errors"][0];
            let message = error["message"].as_str().expect("a message");
            assert!(error["field"] == "record_type" && message.contains(kind) && message.contains("run_events"), "{message}");
        }
        let now = app.app.clock.now().to_rfc3339_opts(SecondsFormat::Secs, true);
        let (steps, ..) = read(&admin.get("/api/v1/exports/steps").await.text);
        let step = steps[0]["record"]["id"].as_str().expect("an id");
        for (query, field) in [
            ("format=parquet".to_owned(), "format"),
            ("limit=5".to_owned(), "limit"),
            ("status=failed".to_owned(), "status"),
            ("since=yesterday".to_owned(), "since"),
            (format!("until={now}"), "until"),
            ("since=2026-01-02T00:00:00Z&until=2026-01-01T00:00:00Z".to_owned(), "until"),
            ("since=2026-01-02T00:00:00Z&until=2026-01-02T00:00:00Z".to_owned(), "until"),
            ("after=cst_01jz8k0000000000000000000a".to_owned(), "after"),
            ("after=nonsense".to_owned(), "after"),
            // A record of another kind is none of these.
            (format!("after={step}"), "after"),
        ] {
            let refused = admin.get(&format!("/api/v1/exports/costs?{query}")).await.expect(400);
            assert_eq!(refused["errors"][0]["field"], field, "{query}: {refused}");
        }
        for query in ["after=run_01jz8k0000000000000000000a.1", "after=run_01jz8k0000000000000000000a", "after=.1"] {
            let refused = admin.get(&format!("/api/v1/exports/run_events?{query}")).await.expect(400);
            assert_eq!(refused["errors"][0]["field"], "after", "{query}: {refused}");
        }
        assert_eq!(app.anon().get("/api/v1/exports/costs").await.refusal(401), "unauthenticated");
    }

    async fn the_console_hands_out_its_lists_with_their_filters(app: TestApp) {
        let home = first_home(&app).await;
        new_member(&app, &home, "alice@example.com", Role::Owner).await;
        history(&app, 3).await;
        let console = at_console(&app, "alice@example.com").await;
        let audit = "/ui/export/audit?w=default&format=jsonl&range=24h";
        assert_eq!(console.get(audit).await.status, 200);
        let (some, ..) = read(&console.get(&format!("{audit}&f.event=ledger.export_started")).await.text);
        // That of the file before; that of this one is newer than its range.
        let told: Vec<_> = some.iter().map(|line| (&line["record_type"], &line["record"]["operation"])).collect();
        assert_eq!(told, [(&json!("audit"), &json!("export.audit"))]);
        let (none, trailer, _) = read(&console.get(&format!("{audit}&f.event=nothing.happened")).await.text);
        assert_eq!((none.len(), &trailer["record"]["count"]), (0, &json!(0)));
        let events = "/ui/export/events?w=default&format=csv&from=2025-01-01T00:00:00Z&to=2025-01-03T00:00:00Z";
        let file = console.get(events).await;
        assert_eq!((file.status, file.text.lines().count()), (200, 1 + 2), "{}", file.text);
        assert!(file.header("content-disposition").starts_with("attachment; filename=\"soit-default-events-20250101T000000Z-"));
        for wrong in ["/ui/export/audit?w=default&format=jsonl&f.outcome=bogus", "/ui/export/events?w=default&format=csv&f.run=x"] {
            assert_eq!(console.get(wrong).await.status, 400, "{wrong}");
        }
        new_member(&app, &home, "bob@example.com", Role::Dev).await;
        let dev = at_console(&app, "bob@example.com").await;
        for path in [audit, events] {
            assert_eq!(dev.get(path).await.status, 403, "{path}");
        }
    }
}
