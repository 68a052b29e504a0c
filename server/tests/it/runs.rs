//! Reading runs through their routes.

use axum::body::Body;
use axum::http::Request;
use chrono::{SecondsFormat, TimeDelta};
use futures::StreamExt;
use kernel::ledger::NewRun;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use testkit::sample::{self, Sample};
use types::identity::Role;
use types::run::RunStatus;

use crate::identity::people::{SAME_ORIGIN, at_console, first_home, new_member};
use crate::util::test_app::{Answer, Caller, TestApp, on_both};

async fn call(caller: &Caller, model: &str) -> Answer {
    let messages = json!([{ "role": "user", "content": "one two three" }]);
    caller.post("/v1/chat/completions", json!({ "model": model, "messages": messages })).await
}

async fn list(caller: &Caller, query: &str) -> Vec<String> {
    let page = caller.get(&format!("/api/v1/runs?{query}")).await.expect(200);
    let items = page["items"].as_array().expect("a list");
    items.iter().map(|run| run["id"].as_str().expect("an id").to_owned()).collect()
}

/// Runs of the past, two of them of one moment, oldest first: one each model.
async fn past_runs(app: &TestApp, models: [&str; 3]) -> Vec<NewRun> {
    let mut sample = Sample::named("past", 9);
    sample.scope = first_home(app).await.scope;
    let run = |(index, model): (usize, &str)| {
        let started_at = sample::noon() + TimeDelta::seconds(i64::from(index == 2));
        NewRun { model_ref: Some(model.to_owned()), started_at, ..sample.run() }
    };
    let runs: Vec<NewRun> = models.into_iter().enumerate().map(run).collect();
    app.app.ledger.commit(sample.opening(runs.iter().map(sample::open_run))).await.expect("a batch");
    runs
}

/// What the audit says of exports, once it says so many.
async fn exports(app: &TestApp, count: usize) -> Vec<Value> {
    loop {
        let rows = "SELECT payload FROM audit WHERE event_type = 'ledger.exported' ORDER BY seq";
        let rows = app.database.texts(rows).await;
        if rows.len() >= count {
            return rows.iter().map(|text| serde_json::from_str(text).expect("JSON")).collect();
        }
    }
}

fn sha256(text: &str) -> String {
    Sha256::digest(text).iter().map(|byte| format!("{byte:02x}")).collect()
}

on_both! {
    async fn an_export_is_in_order_tells_when_it_is_whole_and_is_on_the_record(app: TestApp) {
        let admin = app.admin().await;
        let runs = past_runs(&app, ["model:test:echo", "=1+1", "model:test:late"]).await;
        let all = "/api/v1/exports/runs";
        let file = admin.get(all).await;
        assert_eq!((file.status, file.header("x-soit-ledger-schema")), (200, "2.0"));
        let (body, last) = file.text.trim_end().rsplit_once('\n').expect("lines");
        let records: Vec<Value> = body.lines().map(|line| serde_json::from_str(line).expect("a record")).collect();
        assert!(records.iter().all(|line| line["schema_version"] == "2.0" && line["record_type"] == "run"), "{body}");
        let ids: Vec<_> = records.iter().map(|line| line["record"]["id"].clone()).collect();
        assert_eq!(ids, runs.iter().map(|run| json!(run.id)).collect::<Vec<_>>(), "oldest first");
        let trailer: Value = serde_json::from_str(last).expect("a trailer");
        let mut receipt = json!({ "count": 3, "sha256": sha256(&format!("{body}\n")) });
        // Runs that go on are no entries yet.
        receipt["first_chain_seq"] = Value::Null;
        receipt["last_chain_seq"] = Value::Null;
        assert_eq!((&trailer["record_type"], &trailer["record"]), (&json!("trailer"), &receipt));

        let csv = admin.get(&format!("{all}?format=csv&since=2026-01-15T12:00:00.000001Z&until=2026-01-15T12:00:01Z")).await;
        assert_eq!((csv.status, csv.header("content-type")), (200, "text/csv; charset=utf-8"));
        assert_eq!(csv.header("content-disposition"), "attachment; filename=\"soit-runs.csv\"");
        let rows: Vec<&str> = csv.text.split_terminator("\r\n").collect();
        assert!(rows[0].starts_with("\u{feff}id,status,mode,") && rows.len() == 3, "{rows:?}");
        assert!(csv.text.contains(",'=1+1,") && !csv.text.contains(",=1+1"), "{}", csv.text);

        let audited = exports(&app, 2).await;
        for (audit, count, text) in [(&audited[0], 3, format!("{body}\n")), (&audited[1], 2, csv.text)] {
            assert_eq!((&audit["count"], &audit["complete"]), (&json!(count), &json!(true)));
            assert_eq!(audit["sha256"], sha256(&text));
        }

        let mut sample = Sample::named("ended", 10);
        sample.scope = first_home(&app).await.scope;
        for run in &runs[1..] {
            let ended = sample.closing([sample::move_run(run.id, RunStatus::Canceled), sample.audit().into()]);
            app.app.ledger.commit(ended).await.expect("a batch");
        }
        let seqs = "SELECT CAST(seq AS TEXT) FROM chain_entries WHERE kind = 'run' ORDER BY seq";
        let seqs: Vec<u64> = app.database.texts(seqs).await.iter().map(|seq| seq.parse().expect("a number")).collect();
        let [first, last] = seqs.as_slice() else { panic!("two runs ended: {seqs:?}") };
        let file = admin.get(all).await;
        let trailer: Value = serde_json::from_str(file.text.lines().last().expect("a line")).expect("a trailer");
        let covered = (&trailer["record"]["first_chain_seq"], &trailer["record"]["last_chain_seq"]);
        assert_eq!(covered, (&json!(first), &json!(last)), "{trailer}");
        assert_eq!(exports(&app, 3).await[2]["last_chain_seq"], json!(last));
    }

    async fn an_export_goes_on_behind_the_last_run_one_has(app: TestApp) {
        let admin = app.admin().await;
        let runs = past_runs(&app, ["model:test:a", "model:test:b", "model:test:c"]).await;
        for (index, run) in runs.iter().enumerate() {
            let rest = admin.get(&format!("/api/v1/exports/runs?format=csv&after={}", run.id)).await;
            assert_eq!((rest.status, rest.text.lines().count()), (200, 3 - index), "{}", rest.text);
        }
        let request = Request::get("/api/v1/exports/runs").body(Body::empty()).expect("a request");
        let mut body = admin.respond(request).await.into_body().into_data_stream();
        let mut cut = String::new();
        while cut.is_empty() {
            let bytes = body.next().await.expect("a line").expect("a line");
            cut.push_str(std::str::from_utf8(&bytes).expect("UTF-8"));
        }
        drop(body);
        let audited = exports(&app, 4).await;
        let expected = json!({ "count": 1, "complete": false, "sha256": sha256(&cut) });
        for name in ["count", "complete", "sha256"] {
            assert_eq!(audited[3][name], expected[name], "{name}");
        }
        let started = "SELECT payload FROM audit WHERE event_type = 'ledger.export_started'";
        assert_eq!(app.database.texts(started).await.len(), 4);
    }

    async fn an_export_holds_what_is_settled_and_matches(app: TestApp) {
        let admin = app.admin().await;
        past_runs(&app, ["model:test:a", "model:test:b", "model:test:b"]).await;
        call(&app.key(&["write"]).await, "model:test:echo").await.expect(200);
        let lines = async |query: &str| admin.get(&format!("/api/v1/exports/runs?{query}")).await.text.lines().count();
        assert_eq!(lines("format=csv").await, 1 + 3, "without the run of this moment");
        assert_eq!(lines("format=csv&model_ref=model:test:b").await, 1 + 2);
        assert_eq!(lines("format=csv&status=failed").await, 1);
        let now = app.app.clock.now().to_rfc3339_opts(SecondsFormat::Secs, true);
        for (query, field) in [
            ("format=xlsx", "format"),
            ("limit=5", "limit"),
            ("sort=-started_at", "sort"),
            ("started_from=2026-01-01T00:00:00Z", "started_from"),
            ("statuss=failed", "statuss"),
            ("since=yesterday", "since"),
            (&format!("until={now}"), "until"),
            ("since=2026-01-02T00:00:00Z&until=2026-01-01T00:00:00Z", "until"),
            ("after=run_01jz8k0000000000000000000a", "after"),
            ("q=ab", "q"),
        ] {
            let refused = admin.get(&format!("/api/v1/exports/runs?{query}")).await.expect(400);
            assert_eq!(refused["errors"][0]["field"], field, "{refused}");
        }
    }

    async fn a_call_is_a_run_with_a_step_a_cost_and_events(app: TestApp) {
        let (admin, key) = (app.admin().await, app.key(&["write"]).await);
        let price = json!({ "match_ref": "model:test:*", "currency": "USD", "rates": { "input": "1", "output": "1" } });
        admin.post("/api/v1/modelhub/prices", price).await.expect(201);
        let answer = call(&key, "model:test:echo").await;
        answer.expect(200);
        let path = format!("/api/v1/runs/{}", answer.header("x-soit-run-id"));

        let run = admin.get(&path).await.expect(200);
        assert_eq!((&run["mode"], &run["entry"], &run["status"]), (&json!("gateway"), &json!("openai"), &json!("succeeded")));
        assert_eq!(run["model_ref"], "model:test:echo");
        let steps = admin.get(&format!("{path}/steps")).await.expect(200);
        let [step] = steps["items"].as_array().expect("a list").as_slice() else { panic!("one step: {steps}") };
        assert_eq!((&step["type"], &step["seq"]), (&json!("model_call"), &json!(1)));
        assert!(step["outbound_at"].as_str() < step["ended_at"].as_str());
        let costs = admin.get(&format!("{path}/costs")).await.expect(200);
        let [cost] = costs["items"].as_array().expect("a list").as_slice() else { panic!("one cost: {costs}") };
        assert_eq!(run["totals"]["cost"], json!([{ "currency": "USD", "amount": cost["amount"] }]));
        assert_eq!(run["totals"]["usage"], cost["usage"]);

        let events = admin.get(&format!("{path}/events")).await.expect(200);
        let events = events["items"].as_array().expect("a list");
        let offsets: Vec<u64> = events.iter().map(|event| event["offset"].as_u64().expect("a number")).collect();
        assert_eq!(offsets, (1..=events.len() as u64).collect::<Vec<_>>());
        assert_eq!((&events[0]["type"], &events.last().expect("some")["type"]), (&json!("run.started"), &json!("run.finished")));
        let later = admin.get(&format!("{path}/events?after=1&limit=1")).await.expect(200);
        assert_eq!(later["items"], json!([events[1]]));
    }

    async fn a_filter_takes_a_hundred_values_and_names_itself_beyond(app: TestApp) {
        let admin = app.admin().await;
        let words = |name: &str, value: &str, count: usize| vec![format!("{name}={value}"); count].join("&");
        let labels = |count: usize| (0..count).map(|key| format!("label.k{key}=v")).collect::<Vec<_>>().join("&");
        let most = format!("{}&{}&{}", words("status", "failed", 100), words("provider", "p", 100), labels(100));
        for path in ["/api/v1/runs?with_total=true", "/api/v1/exports/runs?format=csv"] {
            assert_eq!(admin.get(&format!("{path}&{most}")).await.status, 200, "{path}");
            let values = [("status", words("status", "failed", 101)), ("provider", words("provider", "p", 2_000)), ("label", labels(2_000))];
            for (name, query) in values {
                let answer = admin.get(&format!("{path}&{query}")).await;
                assert_eq!(answer.refusal(400), "invalid", "{path} {name}");
                assert!(answer.text.contains(&format!("\"field\":\"{name}\"")), "{name}: {}", answer.text);
            }
        }
        let home = first_home(&app).await;
        new_member(&app, &home, "alice@example.com", Role::Owner).await;
        let console = at_console(&app, "alice@example.com").await.header(SAME_ORIGIN.0, SAME_ORIGIN.1);
        let labels: serde_json::Map<_, _> = (0..2_000).map(|key| (format!("k{key}"), json!(["v"]))).collect();
        let query = json!({ "filter": { "label": labels }, "sort": "started_at", "descending": true, "limit": 50, "cursor": null });
        let asked = json!({ "workspace": home.slug, "range": { "Last": "24h" }, "query": query });
        let answer = console.post("/ui/fn/list_runs", asked).await.expect(400);
        assert_eq!(answer["problem"]["errors"][0]["field"], "label", "{answer}");
    }

    async fn pages_follow_each_other_and_belong_to_their_filters(app: TestApp) {
        let (admin, key) = (app.admin().await, app.key(&["write"]).await);
        let mut made = Vec::new();
        for model in ["model:test:echo", "model:test:error-400", "model:test:echo", "model:test:echo", "model:test:error-400"] {
            made.push(call(&key, model).await.header("x-soit-run-id").to_owned());
        }
        made.reverse();
        assert_eq!(list(&admin, "").await, made);

        let (mut seen, mut cursor) = (Vec::new(), String::new());
        loop {
            let page = admin.get(&format!("/api/v1/runs?limit=2{cursor}")).await.expect(200);
            seen.extend(page["items"].as_array().expect("a list").iter().map(|run| run["id"].as_str().expect("an id").to_owned()));
            match page["next_cursor"].as_str() {
                Some(next) => cursor = format!("&cursor={next}"),
                None => break,
            }
        }
        assert_eq!(seen, made);

        let failed = list(&admin, "status=failed&status=canceled").await;
        assert_eq!(failed, [made[0].as_str(), &made[3]]);
        assert_eq!(list(&admin, "model_ref=model:test:echo&status=failed").await, Vec::<String>::new());
        let oldest: Vec<String> = made.iter().rev().cloned().collect();
        assert_eq!(list(&admin, "sort=started_at").await, oldest);
        let counted = admin.get("/api/v1/runs?with_total=true&status=succeeded&limit=1").await.expect(200);
        assert_eq!((&counted["total"], &counted["total_is_lower_bound"]), (&json!(3), &json!(false)));
        assert_eq!(list(&admin, "q=ERROR-400").await.len(), 2);
        assert_eq!(list(&admin, "provider=test&sandbox=false").await.len(), list(&admin, "").await.len());
        assert_eq!(list(&admin, "label.team=nobody").await, Vec::<String>::new());

        let page = admin.get("/api/v1/runs?limit=2").await.expect(200);
        let cursor = page["next_cursor"].as_str().expect("more");
        for query in [format!("limit=2&status=failed&cursor={cursor}"), format!("cursor={cursor}x"), "cursor=nonsense".to_owned()] {
            assert_eq!(admin.get(&format!("/api/v1/runs?{query}")).await.refusal(400), "invalid_cursor", "{query}");
        }
    }

    async fn a_filter_leaves_out_what_a_leading_mark_names(app: TestApp) {
        let (admin, key) = (app.admin().await, app.key(&["write"]).await);
        past_runs(&app, ["model:test:a", "model:test:b", "model:other:b"]).await;
        let mut made = Vec::new();
        for model in ["model:test:echo", "model:test:error-400", "model:none:none"] {
            made.push(call(&key, model).await.header("x-soit-run-id").to_owned());
        }
        let [well, refused, unknown] = made.as_slice() else { panic!("three runs: {made:?}") };
        let recent = "started_from=2026-02-01T00:00:00Z";
        for (query, expected) in [
            ("status=!failed", &[well][..]),
            ("status=!succeeded&model_ref=!model:none:none", &[refused]),
            ("error_code=!model_not_found", &[refused, well]),
            ("provider=!none", &[refused, well]),
            ("provider=!none&provider=!test", &[]),
            ("model_ref=model:test:echo&model_ref=model:none:none&model_ref=!model:test:echo", &[unknown]),
            ("entry=!openai", &[]),
        ] {
            assert_eq!(list(&admin, &format!("{recent}&{query}")).await.iter().collect::<Vec<_>>(), expected, "{query}");
        }
        let export = admin.get("/api/v1/exports/runs?format=csv&status=!failed&model_ref=!model:test:b").await;
        assert_eq!((export.status, export.text.lines().count()), (200, 1 + 2), "{}", export.text);
        let most = vec!["status=!failed"; 101].join("&");
        for query in ["status=!done", "status=!", "api_key_id=!usr_1", &most] {
            assert_eq!(admin.get(&format!("/api/v1/runs?{query}")).await.refusal(400), "invalid", "{query}");
        }
    }

    async fn the_console_counts_what_each_choice_would_show(app: TestApp) {
        let key = app.key(&["write"]).await;
        for model in ["model:test:echo", "model:test:echo", "model:test:error-400"] {
            call(&key, model).await;
        }
        let home = first_home(&app).await;
        new_member(&app, &home, "alice@example.com", Role::Owner).await;
        let console = at_console(&app, "alice@example.com").await.header(SAME_ORIGIN.0, SAME_ORIGIN.1);
        let filter = json!({ "status": ["!failed"] });
        let query = json!({ "filter": filter, "sort": "started_at", "descending": true, "limit": 50, "cursor": null });
        let asked = json!({ "workspace": home.slug, "range": { "Last": "24h" }, "query": query });
        let list = console.post("/ui/fn/list_runs", asked).await.expect(200);
        assert_eq!(list["total"], json!({ "count": 2, "is_lower_bound": false }));
        let facets = &list["choices"]["facets"];
        assert_eq!(facets["status"], json!({ "succeeded": 2, "failed": 1 }), "its own filter narrows no choice");
        assert_eq!(facets["model_ref"], json!({ "model:test:echo": 2 }));
        assert_eq!(facets["entry"], json!({ "openai": 2 }));
    }

    async fn wrong_questions_are_refused_by_name(app: TestApp) {
        let admin = app.admin().await;
        for (query, field) in [
            ("limit=0", "limit"),
            ("limit=201", "limit"),
            ("sort=price", "sort"),
            ("sort=-cost", "currency"),
            ("min_cost=1", "currency"),
            ("max_cost=1", "currency"),
            ("currency=USD", "currency"),
            ("sort=cost&currency=XTS", "currency"),
            ("min_cost=2&max_cost=1&currency=USD", "max_cost"),
            ("label.Team=a", "label.Team"),
            ("label.=a", "label."),
            ("has=citation", "has"),
            ("feedback=good", "feedback"),
            ("q=ab", "q"),
            ("thread_id=thr_1", "thread_id"),
            ("status=done", "status"),
            ("started_from=2026-01-02T00:00:00Z&started_to=2026-01-01T00:00:00Z", "started_to"),
        ] {
            let refused = admin.get(&format!("/api/v1/runs?{query}")).await;
            assert_eq!((refused.refusal(400).as_str(), refused.json()["errors"][0]["field"].as_str()), ("invalid", Some(field)));
        }
        for path in ["run_01jz8k0000000000000000000a", "nonsense"] {
            for part in ["", "/steps", "/costs", "/events", "/stream"] {
                let refused = admin.get(&format!("/api/v1/runs/{path}{part}")).await;
                assert_eq!(refused.refusal(404), "not_found");
            }
        }
        assert_eq!(app.anon().get("/api/v1/runs").await.refusal(401), "unauthenticated");
    }

    async fn refusals_are_runs_too(app: TestApp) {
        let key = app.key(&["write"]).await;
        let refused = call(&key, "model:none:none").await;
        refused.expect(404);
        let path = format!("/api/v1/runs/{}", refused.header("x-soit-run-id"));
        let run = key.get(&path).await.expect(200);
        assert_eq!((&run["status"], &run["error"]["code"]), (&json!("failed"), &json!("model_not_found")));
        assert_eq!(key.get(&format!("{path}/steps")).await.expect(200)["items"], Value::Array(Vec::new()));
    }
}
