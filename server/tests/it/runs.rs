//! Reading runs through their routes.

use serde_json::{Value, json};

use crate::util::test_app::{Answer, Caller, on_both};

async fn call(caller: &Caller, model: &str) -> Answer {
    let messages = json!([{ "role": "user", "content": "one two three" }]);
    caller.post("/v1/chat/completions", json!({ "model": model, "messages": messages })).await
}

async fn list(caller: &Caller, query: &str) -> Vec<String> {
    let page = caller.get(&format!("/api/v1/runs?{query}")).await.expect(200);
    let items = page["items"].as_array().expect("a list");
    items.iter().map(|run| run["id"].as_str().expect("an id").to_owned()).collect()
}

on_both! {
    async fn an_export_holds_every_run_that_matches_and_no_formula(app: TestApp) {
        let (admin, key) = (app.admin().await, app.key(&["write"]).await);
        for model in ["model:test:echo", "=1+1", "model:test:error-500"] {
            call(&key, model).await;
        }
        let (count, all) = (list(&admin, "limit=200").await.len(), "/api/v1/exports/runs");
        let csv = admin.get(&format!("{all}?format=csv")).await;
        assert_eq!((csv.status, csv.header("content-type")), (200, "text/csv; charset=utf-8"));
        assert_eq!(csv.header("content-disposition"), "attachment; filename=\"soit-runs.csv\"");
        let rows: Vec<&str> = csv.text.split_terminator("\r\n").collect();
        assert!(rows[0].starts_with("\u{feff}id,status,mode,"), "{}", rows[0]);
        assert_eq!(rows.len(), count + 1);
        assert!(csv.text.contains(",'=1+1,") && !csv.text.contains(",=1+1"), "{}", csv.text);
        let jsonl = admin.get(&format!("{all}?status=failed")).await;
        let runs: Vec<Value> = jsonl.text.lines().map(|line| serde_json::from_str(line).expect("a run")).collect();
        assert!(!runs.is_empty() && runs.iter().all(|run| run["status"] == "failed"), "{}", jsonl.text);
        for (query, field) in [("format=xlsx", "format"), ("limit=5", "limit"), ("statuss=failed", "statuss")] {
            let refused = admin.get(&format!("{all}?{query}")).await.expect(400);
            assert_eq!(refused["errors"][0]["field"], field);
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

        let page = admin.get("/api/v1/runs?limit=2").await.expect(200);
        let cursor = page["next_cursor"].as_str().expect("more");
        for query in [format!("limit=2&status=failed&cursor={cursor}"), format!("cursor={cursor}x"), "cursor=nonsense".to_owned()] {
            assert_eq!(admin.get(&format!("/api/v1/runs?{query}")).await.refusal(400), "invalid_cursor", "{query}");
        }
    }

    async fn wrong_questions_are_refused_by_name(app: TestApp) {
        let admin = app.admin().await;
        for (query, field) in [
            ("limit=0", "limit"),
            ("limit=201", "limit"),
            ("sort=cost", "sort"),
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
