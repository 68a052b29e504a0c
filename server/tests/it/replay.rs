//! Runs that come out of others, through their routes: done again, repeated from the record, gone on from, looked at.

use http::{HeaderName, Method};
use kernel::port::Recount;
use serde_json::{Value, json};
use testkit::database::TestDatabase;
use testkit::upstream::Upstream;

use crate::gateway_kit::{Kit, chat};
use crate::util::books::shared;
use crate::util::process::Soit;
use crate::util::test_app::{Answer, Caller, on_both};

fn text(value: &Value) -> String {
    value.as_str().expect("a text").to_owned()
}

fn id_of(answer: &Answer) -> String {
    answer.header("x-soit-run-id").to_owned()
}

/// Something done to a run.
async fn to(caller: &Caller, run: &str, what: &str, body: Value) -> Answer {
    caller.post(&format!("/api/v1/runs/{run}/{what}"), body).await
}

/// The run that came out of one, once it is over.
async fn made(kit: &Kit, run: &str, what: &str, body: Value) -> (Value, Value) {
    let answer = to(&kit.admin, run, what, body).await.expect(201);
    kit.quiet().await;
    (kit.run(&text(&answer["run"]["id"])).await, answer["replay"].clone())
}

async fn reexecuted(kit: &Kit, run: &str) -> (Value, Value) {
    let answer = kit.admin.send(Method::POST, &format!("/api/v1/runs/{run}/reexecute"), None).await.expect(201);
    let run = answer["run"].clone();
    assert!(run["ended_at"].is_string(), "answered once it is over: {run}");
    (run, answer["replay"].clone())
}

/// Every body `/v1` takes, with a failure, and one that is tried twice.
async fn sources(kit: &Kit) -> Vec<String> {
    let mut runs = Vec::new();
    for name in ["echo", "fail-first-1", "status-400", "garbage-1"] {
        let model = kit.model(name).await;
        runs.push(id_of(&kit.ask(&model, &format!("words for {name}")).await));
    }
    for name in ["echo-1", "fail-first-2", "cut-2", "error-after-1"] {
        let model = kit.model(name).await;
        runs.push(id_of(&kit.ask_stream(&model, &format!("streamed words for {name}")).await));
    }
    let model = kit.model("embedder").await;
    for input in [json!("one text"), json!(["a", "b"])] {
        runs.push(id_of(&kit.key.post("/v1/embeddings", json!({ "model": model, "input": input })).await));
    }
    kit.quiet().await;
    runs
}

async fn budget(kit: &Kit, amount: &str) -> Value {
    let budget = json!({ "name": "All", "scope_kind": "workspace", "period": "total", "currency": "USD", "amount": amount,
        "hard_stop": true });
    kit.admin.post("/api/v1/billing/budgets", budget).await.expect(201)
}

on_both! {
    async fn a_run_repeated_from_its_record_is_identical_and_reaches_nobody(app: TestApp) {
        let kit = Kit::new(app).await;
        for source in sources(&kit).await {
            let before = kit.run(&source).await;
            let (steps_before, calls) = (kit.of_run(&source, "steps").await, kit.upstream.calls().len());
            let (run, replay) = reexecuted(&kit, &source).await;
            assert_eq!((&replay["kind"], &replay["outcome"]), (&json!("reexecute"), &json!("identical")), "{replay}");
            assert_eq!((kit.upstream.calls().len(), &replay["divergence"]), (calls, &Value::Null));
            let id = text(&run["id"]);
            assert!(kit.of_run(&id, "costs").await.is_empty(), "nothing is charged");
            assert_eq!(run["totals"]["cost"], json!([]));
            for (name, value) in [
                ("source", json!("rehearsal")), ("sandbox", json!(true)), ("source_run_id", json!(source)),
                ("status", before["status"].clone()), ("error", before["error"].clone()),
            ] {
                if name != "error" {
                    assert_eq!(run[name], value, "{name} of {run}");
                } else {
                    assert_eq!(run["error"]["code"], before["error"]["code"]);
                }
            }
            assert_eq!(run["output"]["preview"], before["output"]["preview"]);
            assert_eq!(run["flags"].as_array().map(|flags| flags.contains(&json!("identical"))), Some(true));
            let steps = kit.of_run(&id, "steps").await;
            assert_eq!(steps.len(), steps_before.len());
            for (step, of) in steps.iter().zip(&steps_before) {
                assert_eq!((&step["metrics"]["replay_of"], &step["outbound_at"]), (&of["id"], &Value::Null));
                assert_eq!((&step["request_digest"], &step["status"]), (&of["request_digest"], &of["status"]));
            }
        }
    }

    async fn what_a_repetition_does_otherwise_is_told_at_the_first_step(app: TestApp) {
        let kit = Kit::new(app).await;
        budget(&kit, "100").await;
        let model = kit.model("echo").await;
        // Without a cap of the caller's own the budget has the provider told one.
        let mut body = chat(&model, "say this");
        body.as_object_mut().expect("an object").remove("max_tokens");
        let source = id_of(&kit.key.post("/v1/chat/completions", body).await);
        kit.quiet().await;
        let (_, replay) = reexecuted(&kit, &source).await;
        assert_eq!(replay["outcome"], "identical", "whoever asks, it is decided as it was: {replay}");

        kit.set_model(&model, json!({ "max_output_tokens": 50 })).await;
        let calls = kit.upstream.calls().len();
        let (run, replay) = reexecuted(&kit, &source).await;
        assert_eq!(replay["outcome"], "diverged", "{replay}");
        let divergence = &replay["divergence"];
        assert_eq!((&divergence["seq"], &divergence["expected"]["max_tokens"]), (&json!(1), &json!(4096)));
        assert_eq!(divergence["actual"]["max_tokens"], 50);
        assert_ne!(divergence["expected"]["request_digest"], divergence["actual"]["request_digest"]);
        assert!(divergence["expected"].get("messages").is_none(), "what is the same is not told: {divergence}");
        assert_eq!((&run["status"], &run["error"]["code"]), (&json!("failed"), &json!("replay_diverged")));
        assert_eq!(kit.upstream.calls().len(), calls);
        assert!(kit.of_run(&text(&run["id"]), "costs").await.is_empty());

        kit.set_model(&model, json!({ "enabled": false })).await;
        let (run, replay) = reexecuted(&kit, &source).await;
        assert_eq!(replay["divergence"]["actual"], json!({ "code": "model_disabled" }), "{replay}");
        assert_eq!((&replay["outcome"], &run["error"]["code"]), (&json!("diverged"), &json!("model_disabled")));
    }

    async fn a_fork_takes_earlier_steps_from_the_record_and_pays_for_later_ones_alone(app: TestApp) {
        let kit = Kit::new(app).await;
        let (flaky, other) = (kit.model("fail-first-1").await, kit.model("echo").await);
        let source = id_of(&kit.ask(&flaky, "one two three").await);
        kit.quiet().await;
        let before = kit.of_run(&source, "steps").await;
        assert_eq!(before.len(), 2);
        let calls = kit.upstream.calls().len();
        let (run, replay) = made(&kit, &source, "fork", json!({ "from_seq": 2, "model_ref": other })).await;
        assert_eq!((&replay["kind"], &replay["from_seq"]), (&json!("fork"), &json!(2)));
        assert_eq!((&replay["tools"], &replay["overrides"]), (&json!("simulated"), &json!(["model_ref"])));
        assert_eq!((&run["status"], &run["source"], &run["sandbox"]), (&json!("succeeded"), &json!("rehearsal"), &json!(true)));
        assert_eq!((&run["source_run_id"], &run["model_ref"]), (&json!(source), &json!(other)));
        let id = text(&run["id"]);
        let steps = kit.of_run(&id, "steps").await;
        assert_eq!(steps.len(), 2);
        assert_eq!((&steps[0]["metrics"]["replay_of"], &steps[0]["status"]), (&before[0]["id"], &json!("failed")));
        assert_eq!((&steps[0]["outbound_at"], &steps[0]["request_digest"]), (&Value::Null, &before[0]["request_digest"]));
        assert_eq!((&steps[1]["metrics"]["target_ref"], &steps[1]["metrics"]["replay_of"]), (&json!(other), &Value::Null));
        let costs = kit.of_run(&id, "costs").await;
        assert_eq!(costs.len(), 1, "{costs:?}");
        assert_eq!((&costs[0]["step_id"], kit.upstream.calls().len()), (&steps[1]["id"], calls + 1));
        // What came out of it is repeated from where it went on.
        let (_, replay) = reexecuted(&kit, &id).await;
        assert_eq!(replay["outcome"], "identical", "{replay}");
        // And stands beside its source.
        let compared = kit.admin.get(&format!("/api/v1/runs/compare?a={source}&b={id}")).await.expect(200);
        assert_eq!(compared["b"]["id"], json!(id));
        assert_eq!(kit.admin.get(&format!("/api/v1/runs/{id}/evidence")).await.status, 200);
        let chain = kit.admin.get("/api/v1/audit/chain/verify").await.expect(200);
        assert_eq!(chain["valid"], true, "{chain}");
    }

    async fn a_fork_asks_with_the_prompt_the_parameters_and_the_input_it_is_given(app: TestApp) {
        let kit = Kit::new(app).await;
        let model = kit.model("echo").await;
        let messages = json!([{ "role": "system", "content": "be brief" }, { "role": "user", "content": "first words" }]);
        let body = json!({ "model": model, "max_tokens": 50, "temperature": 1, "messages": messages });
        let source = id_of(&kit.key.post("/v1/chat/completions", body).await);
        kit.quiet().await;
        let fork = json!({ "from_seq": 1, "tools": "recorded", "system_prompt": "be long", "input": "other words",
            "params": { "temperature": null, "max_tokens": 7 } });
        let (run, replay) = made(&kit, &source, "fork", fork).await;
        let sent = kit.upstream.calls().last().expect("a call").body.clone();
        assert_eq!(sent["messages"], json!([
            { "role": "system", "content": "be long" }, { "role": "user", "content": "other words" },
        ]));
        assert_eq!((&sent["max_tokens"], sent.get("temperature")), (&json!(7), None));
        assert_eq!(replay["overrides"], json!(["system_prompt", "input", "params.max_tokens", "params.temperature"]));
        assert_eq!((&replay["tools"], &run["output"]["preview"]), (&json!("recorded"), &json!("other words")));
        // Of what is content, events and the audit say only that it was given.
        let events = kit.admin.get(&format!("/api/v1/runs/{}/events", text(&run["id"]))).await;
        assert!(!events.text.contains("other words") && !events.text.contains("be long"), "{}", events.text);
        let audit = kit.app.database.texts("SELECT payload FROM audit WHERE event_type = 'run.forked'").await;
        assert!(audit.len() == 1 && audit[0].contains("system_prompt") && !audit[0].contains("be long"), "{audit:?}");
    }

    async fn a_run_done_again_is_live_and_charged_for_every_body(app: TestApp) {
        let kit = Kit::new(app).await;
        for source in sources(&kit).await {
            let (before, calls) = (kit.run(&source).await, kit.upstream.calls());
            let (run, replay) = made(&kit, &source, "rerun", json!({})).await;
            assert_eq!((&replay["kind"], &replay["source_run_id"]), (&json!("rerun"), &json!(source)));
            assert_eq!((&run["sandbox"], &run["attempt_no"]), (&json!(false), &json!(2)));
            assert_eq!((&run["source_run_id"], &run["entry"]), (&json!(source), &json!("api")));
            assert_eq!(run["api_key_id"], Value::Null, "in the name of who asks");
            let sent = kit.upstream.calls();
            assert!(sent.len() > calls.len(), "it is live");
            let last = &sent.last().expect("a call").body;
            assert!(calls.iter().any(|call| call.body == *last), "as it was: {last}");
            if before["status"] == "succeeded" {
                assert_eq!((&run["status"], &run["output"]), (&json!("succeeded"), &before["output"]), "{run}");
                assert_eq!(kit.of_run(&text(&run["id"]), "costs").await.len(), 1);
            }
        }
        let model = kit.model("echo-0").await;
        let source = id_of(&kit.ask(&model, "as it was").await);
        kit.quiet().await;
        let (run, replay) = made(&kit, &source, "rerun", json!({ "version": "same", "input": "otherwise" })).await;
        assert_eq!((&run["output"]["preview"], &replay["overrides"]), (&json!("otherwise"), &json!(["input"])));
    }

    async fn replays_stand_outside_the_figures_and_inside_the_budgets(app: TestApp) {
        let kit = Kit::new(app).await;
        let model = kit.model("echo").await;
        let source = id_of(&kit.ask(&model, "a few words").await);
        kit.quiet().await;
        let figures = async || {
            let daily = kit.admin.get("/api/v1/usage/daily").await.expect(200);
            (daily["items"].clone(), kit.admin.get("/api/v1/observe/dashboard").await.expect(200)["now"].clone())
        };
        let (before, listed) = (figures().await, kit.runs().await.len());
        let (forked, _) = made(&kit, &source, "fork", json!({ "from_seq": 1 })).await;
        reexecuted(&kit, &source).await;
        assert_eq!((figures().await, kit.runs().await.len()), (before, listed));
        let counters = &kit.app.app.counters;
        assert_eq!(counters.recount(Recount::Look).await.expect("a recount"), []);
        let path = format!("/api/v1/runs?source_run_id={source}&sandbox=true&sandbox=false");
        let out = kit.admin.get(&path).await.expect(200);
        assert_eq!(out["items"].as_array().map(Vec::len), Some(2));
        assert!(forked["totals"]["cost"][0]["amount"].is_string());

        let budget = budget(&kit, "0.000001").await;
        for what in ["rerun", "fork"] {
            let body = if what == "fork" { json!({ "from_seq": 1 }) } else { json!({}) };
            let refused = to(&kit.admin, &source, what, body).await;
            let problem = refused.expect(402);
            assert_eq!((&problem["code"], &problem["budget"]["id"]), (&json!("budget_exhausted"), &budget["id"]));
            let run = kit.run(&text(&problem["run_id"])).await;
            assert_eq!((&run["source_run_id"], &run["sandbox"]), (&json!(source), &json!(what == "fork")));
        }
        let (_, replay) = reexecuted(&kit, &source).await;
        assert_eq!(replay["outcome"], "identical", "what costs nothing needs no budget");
    }

    async fn what_cannot_be_replayed_says_why(app: TestApp) {
        let kit = Kit::new(app).await;
        let model = kit.model("echo").await;
        let source = id_of(&kit.ask(&model, "a few words").await);
        let unkept = kit.key.clone().header(HeaderName::from_static("x-soit-capture"), "metadata_only");
        let unkept = id_of(&unkept.post("/v1/chat/completions", chat(&model, "unkept")).await);
        let refused = id_of(&kit.ask("model:up:unknown", "x").await);
        kit.quiet().await;
        let unknown = "run_01jz8k0000000000000000000a";
        let fork = json!({ "from_seq": 1 });
        for (run, status, code) in
            [(unknown, 404, "not_found"), (unkept.as_str(), 409, "content_not_kept"), (refused.as_str(), 409, "content_not_kept")]
        {
            assert_eq!(to(&kit.admin, run, "rerun", json!({})).await.refusal(status), code);
            assert_eq!(to(&kit.admin, run, "fork", fork.clone()).await.refusal(status), code);
            let path = format!("/api/v1/runs/{run}/reexecute");
            assert_eq!(kit.admin.send(Method::POST, &path, None).await.refusal(status), code);
        }
        for (what, body, status, field) in [
            ("fork", json!({ "from_seq": 0 }), 400, "from_seq"),
            ("fork", json!({ "from_seq": 2 }), 400, "from_seq"),
            ("fork", json!({ "from_seq": -1 }), 400, "from_seq"),
            ("fork", json!({}), 400, "from_seq"),
            ("fork", json!({ "from_seq": 1, "heat": 1 }), 400, "heat"),
            ("fork", json!({ "from_seq": 1, "tools": "magic" }), 400, "tools"),
            ("fork", json!({ "from_seq": 1, "params": { "heat": 1 } }), 400, "params.heat"),
            ("fork", json!({ "from_seq": 1, "params": { "temperature": 9 } }), 400, "temperature"),
            ("fork", json!({ "from_seq": 1, "input": 5 }), 400, "input"),
            ("fork", json!({ "from_seq": 1, "model_ref": "model:up:nothing" }), 404, "model"),
            ("rerun", json!({ "version": "published" }), 409, "version"),
            ("rerun", json!({ "version": "newest" }), 400, "version"),
            ("rerun", json!({ "from_seq": 1 }), 400, "from_seq"),
        ] {
            let answer = to(&kit.admin, &source, what, body.clone()).await;
            let problem = answer.expect(status);
            let named = problem["errors"].as_array().into_iter().flatten().any(|error| error["field"] == field);
            assert!(named || text(&problem["detail"]).contains(field), "{body}: {problem}");
        }
        let published = to(&kit.admin, &source, "rerun", json!({ "version": "published" })).await;
        assert_eq!(published.refusal(409), "not_supported");
    }

    async fn a_run_that_goes_on_is_not_replayed(app: TestApp) {
        let kit = Kit::new(app).await;
        let model = kit.model("pace-20000").await;
        let mut body = chat(&model, "slowly");
        body["stream"] = json!(true);
        let call = kit.key.clone();
        tokio::join!(
            async { drop(call.open("/v1/chat/completions", body).await) },
            async {
                kit.upstream.wait_for(|calls| !calls.is_empty()).await;
                let runs = kit.admin.get("/api/v1/runs?status=running").await.expect(200);
                let run = text(&runs["items"][0]["id"]);
                assert_eq!(to(&kit.admin, &run, "rerun", json!({})).await.refusal(409), "run_not_final");
                assert_eq!(to(&kit.admin, &run, "fork", json!({ "from_seq": 1 })).await.refusal(409), "run_not_final");
                let inspected = kit.admin.get(&format!("/api/v1/observe/runs/{run}/replay")).await.expect(200);
                let last = inspected["items"].as_array().expect("moments").last().expect("one").clone();
                assert_eq!((&last["state"]["status"], last["state"]["open_steps"].as_array().map(Vec::len)), (&json!("running"), Some(1)));
                kit.admin.send(Method::POST, &format!("/api/v1/runs/{run}/cancel"), None).await.expect(202);
            }
        );
        kit.quiet().await;
    }

    async fn a_replay_under_a_key_is_made_once(app: TestApp) {
        let kit = Kit::new(app).await;
        let model = kit.model("echo").await;
        let source = id_of(&kit.ask(&model, "a few words").await);
        kit.quiet().await;
        for (what, body) in [("rerun", json!({})), ("fork", json!({ "from_seq": 1 }))] {
            let admin = kit.admin.clone().header(HeaderName::from_static("idempotency-key"), what);
            let first = to(&admin, &source, what, body.clone()).await.expect(201);
            kit.quiet().await;
            let calls = kit.upstream.calls().len();
            let again = to(&admin, &source, what, body).await;
            assert_eq!((again.header("idempotency-replayed"), again.expect(201)), ("true", first));
            assert_eq!(kit.upstream.calls().len(), calls);
        }
    }

    async fn the_timeline_says_how_a_run_stood_after_each_event_page_by_page(app: TestApp) {
        let kit = Kit::new(app).await;
        let model = kit.model("fail-first-1").await;
        let source = id_of(&kit.ask(&model, "one two three").await);
        kit.quiet().await;
        let calls = kit.upstream.calls().len();
        let path = format!("/api/v1/observe/runs/{source}/replay");
        let whole = kit.admin.get(&path).await.expect(200);
        let moments = whole["items"].as_array().expect("moments").clone();
        let told: Vec<(&str, usize)> = moments
            .iter()
            .map(|moment| (moment["event"]["type"].as_str().expect("a type"), moment["state"]["open_steps"].as_array().expect("steps").len()))
            .collect();
        let expected = [
            ("run.started", 0), ("step.opened", 1), ("step.closed", 0), ("step.opened", 1), ("step.closed", 0), ("run.finished", 0),
        ];
        assert_eq!((told, &whole["next_after"], &whole["replay"]), (expected.to_vec(), &Value::Null, &Value::Null));
        let run = kit.run(&source).await;
        let last = &moments[5]["state"];
        assert_eq!((&last["status"], &last["cost"]), (&json!("succeeded"), &run["totals"]["cost"]));
        assert_eq!((&last["usage"], &last["steps"]), (&run["totals"]["usage"], &json!(2)));
        let (mut paged, mut after) = (Vec::new(), json!(0));
        while !after.is_null() {
            let page = kit.admin.get(&format!("{path}?after={after}&limit=2")).await.expect(200);
            paged.extend(page["items"].as_array().expect("moments").clone());
            after = page["next_after"].clone();
        }
        assert_eq!((paged, kit.upstream.calls().len()), (moments, calls));
        for query in ["limit=0", "limit=1001", "after=-1", "offset=1"] {
            assert_eq!(kit.admin.get(&format!("{path}?{query}")).await.refusal(400), "invalid", "{query}");
        }
        let unknown = "/api/v1/observe/runs/run_01jz8k0000000000000000000a/replay";
        assert_eq!(kit.admin.get(unknown).await.refusal(404), "not_found");
    }
}

/// The process dies while a fork waits for its provider: nothing of it is left open, and the worst case is booked.
async fn a_kill_leaves_no_fork_open(settings: &[(&str, &str)]) {
    let mut soit = Soit::new(settings);
    soit.start().await;
    let (upstream, admin) = (Upstream::start().await.expect("an upstream"), soit.admin().await);
    admin.allow_egress("127.0.0.1", upstream.address().port()).await;
    let account = json!({ "name": "Up", "slug": "up", "kind": "openai_compatible",
        "base_url": upstream.base_url(), "credential": "a-credential" });
    let account = admin.post("/api/v1/modelhub/providers", account).await;
    let models = format!("/api/v1/modelhub/providers/{}/models", text(&account["id"]));
    let pricing = json!({ "currency": "USD", "rates": { "input": "1", "output": "2" } });
    for name in ["echo", "hang"] {
        admin.post(&models, json!({ "model_id": name, "capabilities": ["chat"], "pricing": pricing })).await;
    }
    let answer = admin.request(Method::POST, "/v1/chat/completions", Some(chat("model:up:echo", "words")));
    let answer = answer.send().await.expect("an answer");
    let source = answer.headers()["x-soit-run-id"].to_str().expect("an id").to_owned();
    answer.text().await.expect("a body");
    let fork = json!({ "from_seq": 1, "model_ref": "model:up:hang" });
    let made = admin.post(&format!("/api/v1/runs/{source}/fork"), fork).await;
    let id = text(&made["run"]["id"]);
    upstream.wait_for(|calls| calls.iter().any(|call| call.model == "hang")).await;
    soit.kill().await;
    soit.start().await;
    let admin = soit.admin().await;
    let mut run = Value::Null;
    for _ in 0..600 {
        run = admin.get(&format!("/api/v1/runs/{id}")).await;
        if run["ended_at"].is_string() {
            break;
        }
        tokio::time::sleep(std::time::Duration::from_millis(100)).await;
    }
    assert_eq!((&run["status"], &run["error"]["code"]), (&json!("failed"), &json!("process_lost")), "{run}");
    assert_eq!((&run["sandbox"], &run["source_run_id"]), (&json!(true), &json!(source)));
    let costs = admin.get(&format!("/api/v1/runs/{id}/costs")).await;
    assert_eq!((&costs["items"][0]["usage_basis"], costs["items"].as_array().map(Vec::len)), (&json!("hold"), Some(1)));
    let steps = admin.get(&format!("/api/v1/runs/{id}/steps")).await;
    assert_eq!(steps["items"][0]["status"], "failed");
    soit.kill().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_kill_during_a_fork_leaves_nothing_open_on_sqlite() {
    a_kill_leaves_no_fork_open(&[]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_kill_during_a_fork_leaves_nothing_open_on_postgres() {
    let database = TestDatabase::postgres().await;
    a_kill_leaves_no_fork_open(&shared(database.url())).await;
}
