//! Figures from counters: they are what the rows add up to, and each lists exactly its runs.

use chrono::TimeDelta;
use kernel::ledger::NewRun;
use kernel::port::Recount;
use serde_json::{Value, json};
use testkit::sample::{self, Sample};
use types::identity::Role;
use types::run::RunStatus;

use crate::gateway_kit::{Kit, chat};
use crate::identity::people::{at_console, first_home, new_member, post_form};
use crate::util::test_app::{Caller, TestApp, on_both};

/// Calls of several kinds: answered, failed upstream, refused, unpriced.
async fn busy(app: TestApp) -> Kit {
    let kit = Kit::closed(app).await;
    let price = json!({ "match_ref": "model:test:echo", "currency": "USD", "rates": { "input": "1", "output": "1" } });
    kit.admin.post("/api/v1/modelhub/prices", price).await.expect(201);
    for _ in 0..3 {
        kit.ask("model:test:echo", "one two three").await.expect(200);
    }
    assert_eq!(kit.ask_stream("model:test:echo", "one two three").await.status, 200);
    kit.ask("model:test:error-500", "x").await;
    for _ in 0..4 {
        kit.ask("model:nobody:nothing", "x").await.expect(404);
    }
    let other = kit.app.key(&["write"]).await;
    other.post("/v1/chat/completions", chat("model:test:slow-10", "unpriced")).await.expect(200);
    kit.quiet().await;
    kit
}

/// Somebody who only reads, at the console.
async fn viewer(app: &TestApp) -> Caller {
    new_member(app, &first_home(app).await, "ada@example.com", Role::Viewer).await;
    at_console(app, "ada@example.com").await
}

/// Every run that a figure's query lists.
async fn listed(kit: &Kit, query: &Value) -> Vec<Value> {
    let query = query.as_str().unwrap_or_else(|| panic!("no query: {query}"));
    let page = kit.admin.get(&format!("/api/v1/runs?{query}&limit=200")).await.expect(200);
    page["items"].as_array().expect("items").clone()
}

fn with_status(runs: &[Value], status: &str) -> usize {
    runs.iter().filter(|run| run["status"] == status).count()
}

fn tokens(runs: &[Value]) -> u64 {
    let of = |run: &Value| {
        let usage = run["totals"]["usage"].as_object().expect("usage").clone();
        usage.values().filter_map(Value::as_u64).sum::<u64>()
    };
    runs.iter().map(of).sum()
}

async fn check(kit: &Kit, figures: &Value, query: &Value) {
    let runs = listed(kit, query).await;
    assert_eq!(figures["runs"], runs.len(), "{query}: {figures}");
    for status in ["succeeded", "failed", "canceled"] {
        assert_eq!(figures[status], with_status(&runs, status), "{status} of {query}");
    }
    assert_eq!(figures["tokens"], tokens(&runs), "{query}");
}

on_both! {
    async fn every_figure_of_a_window_lists_exactly_its_runs(app: TestApp) {
        let kit = busy(app).await;
        for group_by in ["mode", "source", "entry"] {
            let path = format!("/api/v1/runs/summary/window?bucket=minute&group_by={group_by}&compare=previous");
            let from = (kit.app.app.clock.now() - TimeDelta::hours(2)).format("%Y-%m-%dT%H:%M:%SZ");
            let summary = kit.admin.get(&format!("{path}&from={from}")).await.expect(200);
            check(&kit, &summary["total"], &summary["runs"]).await;
            assert_eq!((&summary["approx"], &summary["previous"]["runs"]), (&json!(true), &json!(0)));
            let total = &summary["total"];
            assert_eq!((&total["runs"], &total["succeeded"], &total["refused"]), (&json!(7), &json!(5), &json!(1)), "{total}");
            assert_eq!((&total["unpriced"], &total["success_rate"]), (&json!(1), &json!(71.42)), "{total}");
            assert!(total["p95_ms"].as_u64().is_some_and(|time| time > 0), "{total}");
            let groups = summary["groups"].as_array().expect("groups");
            assert!(!groups.is_empty());
            for group in groups {
                check(&kit, &group["figures"], &group["runs"]).await;
            }
            let buckets = summary["buckets"].as_array().expect("buckets");
            assert!((120..=122).contains(&buckets.len()), "without gaps: {}", buckets.len());
            for bucket in buckets.iter().filter(|bucket| bucket["figures"]["runs"] != 0) {
                check(&kit, &bucket["figures"], &bucket["runs"]).await;
            }
        }
    }

    async fn every_figure_of_a_day_lists_exactly_its_runs(app: TestApp) {
        let kit = busy(app).await;
        for group_by in ["entry", "api_key", "caller", "provider", "model"] {
            let usage = kit.admin.get(&format!("/api/v1/usage/daily?group_by={group_by}")).await.expect(200);
            let items = usage["items"].as_array().expect("items");
            let sum = |name: &str| items.iter().filter_map(|item| item[name].as_u64()).sum::<u64>();
            assert_eq!((sum("refused"), sum("unpriced")), (4, 1), "{usage}");
            let mut seen = 0;
            for item in items {
                let runs = listed(&kit, &item["runs"]).await;
                let attempts: u64 = runs.iter().filter_map(|run| run["totals"]["model_calls"].as_u64()).sum();
                assert_eq!(item["calls"], attempts, "{group_by}: {item}");
                assert_eq!(item["tokens"], tokens(&runs), "{group_by}: {item}");
                let refusals: u64 = runs.iter().filter_map(|run| run["refusals"].as_u64()).sum();
                assert_eq!(item["refused"], refusals, "{group_by}: {item}");
                seen += runs.len();
            }
            assert_eq!(seen, kit.runs().await.len(), "{group_by}: every run is in one group");
        }
        let plain = kit.admin.get("/api/v1/usage/daily").await.expect(200);
        let runs = kit.runs().await;
        let spent: Vec<&Value> = runs.iter().flat_map(|run| run["totals"]["cost"].as_array().expect("sums")).collect();
        let nanos = |money: &Value| money["amount"].as_str().and_then(|text| text.parse::<types::money::Amount>().ok()).expect("an amount").nanos();
        let booked: i64 = plain["items"].as_array().expect("items").iter().flat_map(|item| item["cost"].as_array().expect("sums")).map(nanos).sum();
        assert_eq!(booked, spent.into_iter().map(nanos).sum::<i64>());

        let metrics = kit.admin.get("/api/v1/runs/steps/metrics").await.expect(200);
        let attempts: u64 = runs.iter().filter_map(|run| run["totals"]["model_calls"].as_u64()).sum();
        assert_eq!((&metrics["items"][0]["operation"], &metrics["items"][0]["calls"]), (&json!("chat"), &json!(attempts)));
        let dashboard = kit.admin.get("/api/v1/observe/dashboard").await.expect(200);
        check(&kit, &dashboard["now"], &dashboard["runs"]).await;
        assert_eq!(dashboard["failure_rate"], 28.57);
    }

    async fn what_no_figure_answers_names_its_field(app: TestApp) {
        let admin = app.admin().await;
        for (path, field) in [
            ("/runs/summary/window?bucket=week", "bucket"),
            ("/runs/summary/window?group_by=model", "group_by"),
            ("/runs/summary/window?compare=next", "compare"),
            ("/runs/summary/window?from=yesterday", "from"),
            ("/runs/summary/window?from=2026-01-02T00:00:00Z&to=2026-01-01T00:00:00Z", "to"),
            ("/runs/summary/window?bucket=day&from=2020-01-01T00:00:00Z&to=2026-01-01T00:00:00Z", "from"),
            ("/runs/summary/window?bucket=minute&from=2020-01-01T00:00:00Z&to=2020-01-01T01:00:00Z", "bucket"),
            ("/runs/summary/window?bucket=hour&from=2020-01-01T00:00:00Z&to=2020-01-02T00:00:00Z", "bucket"),
            ("/runs/summary/window?buckets=day", "buckets"),
            ("/usage/daily?group_by=tool_ref", "group_by"),
            ("/usage/daily?from=2026-02-30", "from"),
            ("/usage/daily?from=2026-02-02&to=2026-02-02", "to"),
            ("/usage/daily?from=2020-02-02&to=2026-02-02", "from"),
            ("/runs/steps/metrics?from=2026-02-02&to=2026-02-01", "to"),
        ] {
            let problem = admin.get(&format!("/api/v1{path}")).await.expect(400);
            assert_eq!(problem["errors"][0]["field"], field, "{path}: {problem}");
        }
    }

    async fn a_counter_that_was_tampered_with_is_told_and_mended(app: TestApp) {
        let kit = busy(app).await;
        let budget = json!({ "name": "All", "scope_kind": "workspace", "period": "month", "currency": "USD", "amount": "5", "hard_stop": true });
        kit.admin.post("/api/v1/billing/budgets", budget).await.expect(201);
        kit.ask("model:test:echo", "budgeted").await.expect(200);
        kit.quiet().await;
        let counters = &kit.app.app.counters;
        let look = async || counters.recount(Recount::Look).await.expect("a recount");
        assert_eq!(look().await, [], "nothing differs after calls, refusals and failures");
        let before = kit.admin.get("/api/v1/usage/daily?group_by=model").await.expect(200);
        for (sql, tables) in [
            ("UPDATE usage_daily SET calls = calls + 5 WHERE operation = 'chat'", vec!["usage_daily"]),
            ("UPDATE run_counts SET n = n - 1 WHERE measure = 'runs'", vec!["run_counts"]),
            ("UPDATE counters SET value = value + 9 WHERE key LIKE 'budget:%'", vec!["counters"]),
            ("UPDATE counters SET held = held + 3 WHERE key LIKE 'spend:%'", vec!["counters"]),
            ("DELETE FROM run_counts", vec!["run_counts"]),
            ("DELETE FROM usage_daily", vec!["usage_daily"]),
        ] {
            kit.app.database.texts(sql).await;
            let mut told: Vec<&str> = look().await.into_iter().map(|difference| difference.table).collect();
            told.dedup();
            assert_eq!(told, tables, "{sql}");
            assert!(!counters.recount(Recount::Fix).await.expect("mended").is_empty());
            assert_eq!(look().await, [], "{sql}");
        }
        assert_eq!(kit.admin.get("/api/v1/usage/daily?group_by=model").await.expect(200), before);
    }

    async fn runs_from_before_the_counters_are_counted_once(app: TestApp) {
        let kit = busy(app).await;
        let counters = &kit.app.app.counters;
        for sql in ["DELETE FROM usage_daily", "DELETE FROM run_counts", "DELETE FROM sequences WHERE key LIKE 'counters:%'"] {
            kit.app.database.texts(sql).await;
        }
        assert!(!counters.is_filled().await.expect("a read"));
        // Two processes that start at once.
        let both = tokio::join!(counters.recount(Recount::Fill), counters.recount(Recount::Fill));
        assert!(both.0.is_ok() && both.1.is_ok(), "{both:?}");
        assert!(counters.is_filled().await.expect("a read"));
        assert_eq!(counters.recount(Recount::Look).await.expect("a recount"), []);
    }

    async fn the_home_page_tells_what_was_counted_and_reads_no_runs(app: TestApp) {
        let kit = busy(app).await;
        let reader = viewer(&kit.app).await;
        let range = [("workspace", "default"), ("range[Last]", "24h")];
        let told = post_form(&reader, "/ui/fn/find_overview", &range).await.expect(200);
        let now = &told["now"];
        let dashboard = kit.admin.get("/api/v1/observe/dashboard").await.expect(200);
        for figure in ["runs", "active", "failed", "refused", "cost", "estimated", "unpriced", "p50_ms", "p95_ms"] {
            assert_eq!(now[figure], dashboard["now"][figure], "{figure}");
        }
        assert_eq!((&now["runs"], &now["failed"], &now["refused"]), (&json!(7), &json!(2), &json!(1)), "{now}");
        assert_eq!((&told["active"], &told["previous"]["runs"]), (&json!(0), &json!(0)));
        let bars = told["buckets"].as_array().expect("bars");
        let sum = |name: &str| bars.iter().filter_map(|bar| bar[name].as_u64()).sum::<u64>();
        assert_eq!([sum("succeeded"), sum("failed"), sum("refused"), sum("active")], [5, 1, 1, 0]);
        kit.app.database.texts("DELETE FROM run_counts").await;
        let told = post_form(&reader, "/ui/fn/find_overview", &range).await.expect(200);
        assert_eq!(told["now"]["runs"], 0, "the runs are still there, and are not read");
    }

    async fn an_old_window_of_the_home_page_is_whole_days_whether_or_not_they_were_joined(app: TestApp) {
        let reader = viewer(&app).await;
        let mut sample = Sample::named("past", 9);
        sample.scope = first_home(&app).await.scope;
        let now = app.app.clock.now();
        // At noon: a second before and after are of the same day.
        let started_at = (now - TimeDelta::days(200)).date_naive().and_hms_opt(12, 0, 0).expect("a time").and_utc();
        let run = NewRun { started_at, ..sample.run() };
        let ops = [sample::open_run(&run), sample::move_run(run.id, RunStatus::Canceled)];
        app.app.ledger.commit(sample.opening(ops)).await.expect("a batch");
        let at = |seconds| (started_at + TimeDelta::seconds(seconds)).format("%Y-%m-%dT%H:%M:%SZ").to_string();
        let (from, to) = (at(-1), at(1));
        let range = [("workspace", "default"), ("range[Between][from]", &*from), ("range[Between][to]", &*to)];
        let mut answers = Vec::new();
        for _ in 0..2 {
            let told = post_form(&reader, "/ui/fn/find_overview", &range).await.expect(200);
            assert_eq!(told["now"]["runs"], 1, "{told}");
            assert!(told["from"].as_str().is_some_and(|from| from.contains("T00:00:00")), "{told}");
            assert_eq!(told["buckets"].as_array().map(Vec::len), Some(1), "{told}");
            answers.push(told);
            app.app.counters.roll_up(now - TimeDelta::days(7), now - TimeDelta::days(90)).await.expect("joined");
        }
        assert_eq!(answers[0], answers[1]);
    }

    async fn an_answer_that_is_given_again_is_counted_and_is_no_call(app: TestApp) {
        let kit = Kit::closed(app).await;
        let keyed = kit.key.clone().header(http::HeaderName::from_static("idempotency-key"), "again");
        let labelled = keyed.header(http::HeaderName::from_static("x-soit-labels"), "team=search");
        for _ in 0..3 {
            let answer = labelled.post("/v1/chat/completions", chat("model:test:echo", "hi")).await;
            assert_eq!(answer.status, 200, "{}", answer.text);
        }
        kit.quiet().await;
        let path = "/api/v1/usage/daily?group_by=model";
        // Counted off the request path.
        let counted = tokio::time::timeout(std::time::Duration::from_secs(20), async {
            loop {
                let told = kit.admin.get(path).await.expect(200);
                if told["items"][0]["replayed"] == 2 {
                    break told;
                }
                tokio::task::yield_now().await;
            }
        });
        let told = counted.await.expect("both repeats are counted");
        let [item] = told["items"].as_array().expect("items").as_slice() else { panic!("{told}") };
        assert_eq!((&item["calls"], &item["cache_hits"], &item["key"]), (&json!(1), &json!(0), &json!("model:test:echo")));
        let counters = &kit.app.app.counters;
        assert_eq!(counters.recount(Recount::Look).await.expect("a recount"), [], "no row tells of them, and none has to");
        counters.recount(Recount::Fix).await.expect("nothing to mend");
        assert_eq!(kit.admin.get(path).await.expect(200), told);
    }

    async fn old_minutes_are_refused_and_old_days_are_told(app: TestApp) {
        let admin = app.admin().await;
        let home = first_home(&app).await;
        let mut sample = Sample::named("past", 9);
        sample.scope = home.scope;
        let now = app.app.clock.now();
        let started_at = now - TimeDelta::days(200);
        let run = NewRun { started_at, ..sample.run() };
        let ops = [sample::open_run(&run), sample::move_run(run.id, RunStatus::Canceled)];
        app.app.ledger.commit(sample.opening(ops)).await.expect("a batch");
        app.app.counters.roll_up(now - TimeDelta::days(7), now - TimeDelta::days(90)).await.expect("joined");
        let day = started_at.format("%Y-%m-%d");
        let path = format!("/api/v1/runs/summary/window?from={day}T00:00:00Z&to={day}T23:00:00Z");
        assert_eq!(admin.get(&path).await.expect(400)["errors"][0]["field"], "bucket");
        let told = admin.get(&format!("{path}&bucket=day")).await.expect(200);
        assert_eq!((&told["total"]["runs"], &told["total"]["canceled"]), (&json!(1), &json!(1)), "{told}");
        assert_eq!(app.app.counters.recount(Recount::Look).await.expect("a recount"), []);
    }
}
