//! Runs that are canceled while they go on.

use std::time::Duration;

use kernel::ledger::{NewRun, NewTask, Op, TaskOp};
use serde_json::{Value, json};
use testkit::sample::{self, Sample};
use types::identity::Role;
use types::run::{Mode, RunStatus};

use crate::gateway_kit::{Kit, chat, events};
use crate::identity::people::{at_console, first_home, new_member, post_form};
use crate::util::test_app::on_both;

/// The only run that goes on, once there is one.
async fn running(kit: &Kit) -> String {
    loop {
        let page = kit.admin.get("/api/v1/runs?status=running").await.expect(200);
        if let Some(id) = page["items"][0]["id"].as_str() {
            return id.to_owned();
        }
        tokio::task::yield_now().await;
    }
}

async fn cancel(kit: &Kit, id: &str) -> Value {
    kit.key.post(&format!("/api/v1/runs/{id}/cancel"), Value::Null).await.expect(202)
}

on_both! {
    async fn a_call_that_is_canceled_ends_as_canceled_and_holds_nothing(app: TestApp) {
        let kit = Kit::new(app).await;
        let model = kit.model("stall-2").await;
        let budget = json!({ "name": "All", "scope_kind": "workspace", "period": "day", "currency": "USD", "amount": "9" });
        let budget = kit.admin.post("/api/v1/billing/budgets", budget).await.expect(201);
        for stream in [false, true] {
            let call = async {
                match stream {
                    true => kit.ask_stream(&model, "x").await,
                    false => kit.ask("model:test:slow-60000", "x").await,
                }
            };
            let ask = async {
                let id = running(&kit).await;
                // Once the provider is at it.
                if stream {
                    kit.upstream.wait_for(|calls| !calls.is_empty()).await;
                }
                let told = cancel(&kit, &id).await;
                assert!(["canceling", "canceled"].contains(&told["status"].as_str().expect("a status")), "{told}");
                id
            };
            let (answer, id) = tokio::join!(call, ask);
            let told = match stream && answer.status == 200 {
                true => serde_json::from_str(&events(&answer)[events(&answer).len() - 2]).expect("JSON"),
                false => answer.json(),
            };
            assert_eq!(told["error"]["code"], "run_canceled", "{answer:?}");
            kit.quiet().await;
            let run = kit.run(&id).await;
            assert_eq!((&run["status"], &run["error"]["code"]), (&json!("canceled"), &json!("run_canceled")));
            let again = kit.admin.post(&format!("/api/v1/runs/{id}/cancel"), Value::Null).await;
            assert_eq!(again.refusal(409), "invalid_transition");
            let names = kit.of_run(&id, "events").await;
            assert!(names.iter().any(|event| event["type"] == "run.canceling"), "{names:?}");
        }
        assert_eq!(kit.upstream.open(), 0, "the provider's connection is closed");
        let id = budget["id"].as_str().expect("an id");
        let status = kit.admin.get(&format!("/api/v1/billing/budgets/{id}/status")).await.expect(200);
        assert_eq!(status["held"], "0");
    }

    async fn a_run_that_waits_ends_at_once_with_what_is_open_in_it(app: TestApp) {
        let admin = app.admin().await;
        let mut sample = Sample::named("waiting", 9);
        sample.scope = first_home(&app).await.scope;
        for status in [RunStatus::Queued, RunStatus::WaitingInput, RunStatus::WaitingApproval, RunStatus::Paused] {
            let first = if status == RunStatus::Queued { status } else { RunStatus::Running };
            let run = NewRun { mode: Mode::Agent, status: first, ..sample.run() };
            let delay = Duration::from_secs(3_600);
            let task = NewTask { run_id: Some(run.id), delay, ..sample.task() };
            let mut ops = vec![sample::open_run(&run), sample::open_step(&sample.step(run.id))];
            ops.push(Op::Task(TaskOp::Open(task.clone().into())));
            if status != first {
                ops.push(sample::move_run(run.id, status));
            }
            app.app.ledger.commit(sample.opening(ops)).await.expect("a batch");

            let path = format!("/api/v1/runs/{}", run.id);
            let told = admin.post(&format!("{path}/cancel"), Value::Null).await.expect(202);
            assert_eq!((&told["status"], &told["error"]["code"]), (&json!("canceled"), &json!("run_canceled")), "{status}");
            let steps = admin.get(&format!("{path}/steps")).await.expect(200);
            assert_eq!(steps["items"][0]["status"], "canceled", "{status}: {steps}");
            let task = admin.get(&format!("/api/v1/tasks/{}", task.id)).await.expect(200);
            assert_eq!(task["status"], "canceled", "{status}: {task}");
            let events = admin.get(&format!("{path}/events")).await.expect(200);
            let last = events["items"].as_array().and_then(|events| events.last()).expect("an event");
            assert_eq!((&last["type"], &last["payload"]["status"]), (&json!("run.finished"), &json!("canceled")));
            let again = admin.post(&format!("{path}/cancel"), Value::Null).await;
            assert_eq!(again.refusal(409), "invalid_transition");
        }
        let audit = app.database.texts("SELECT event_type FROM audit WHERE event_type = 'run.canceled'").await;
        assert_eq!(audit.len(), 4);
        let told = app.database.texts("SELECT event_type FROM events WHERE event_type = 'run.finished'").await;
        assert_eq!(told.len(), 4, "whoever follows runs hears of it");
    }

    async fn who_only_reads_cancels_nothing_and_a_call_cannot_be_paused(app: TestApp) {
        let kit = Kit::closed(app).await;
        let reader = kit.app.key(&["read"]).await;
        let ask = async {
            let id = running(&kit).await;
            let refused = reader.post(&format!("/api/v1/runs/{id}/cancel"), Value::Null).await;
            assert_eq!(refused.refusal(403), "scope_required");
            for verb in ["pause", "resume"] {
                let refused = kit.admin.post(&format!("/api/v1/runs/{id}/{verb}"), Value::Null).await;
                assert_eq!(refused.refusal(409), "not_supported");
            }
            cancel(&kit, &id).await;
        };
        let body = chat("model:test:slow-60000", "x");
        let (answer, ()) = tokio::join!(kit.key.post("/v1/chat/completions", body), ask);
        assert_eq!(answer.json()["error"]["code"], "run_canceled");
    }

    async fn runs_that_match_are_canceled_together_and_others_go_on(app: TestApp) {
        let kit = Kit::closed(app).await;
        let call = |team: &str| {
            let key = kit.key.clone().header(http::HeaderName::from_static("x-soit-labels"), &format!("team={team}"));
            async move { key.post("/v1/chat/completions", chat("model:test:slow-60000", "x")).await }
        };
        let calls = async { tokio::join!(call("search"), call("search"), call("billing")) };
        let ask = async {
            while kit.admin.get("/api/v1/runs?status=running").await.expect(200)["items"].as_array().map_or(0, Vec::len) < 3 {
                tokio::task::yield_now().await;
            }
            let told = kit.key.post("/api/v1/runs/cancel?label.team=search", Value::Null).await.expect(202);
            assert_eq!(told, json!({ "canceling": 2, "over": 0, "refused": 0 }));
            let left = kit.admin.get("/api/v1/runs?status=running").await.expect(200);
            assert_eq!(left["items"].as_array().map_or(0, Vec::len), 1, "{left}");
            let id = left["items"][0]["id"].as_str().expect("an id").to_owned();
            assert_eq!(left["items"][0]["labels"]["team"], "billing");
            // What is over is not asked; a state that no open run has leaves nothing to ask.
            let told = kit.key.post("/api/v1/runs/cancel?status=canceled&status=succeeded", Value::Null).await.expect(202);
            assert_eq!(told, json!({ "canceling": 0, "over": 0, "refused": 0 }));
            let told = kit.key.post(&format!("/api/v1/runs/cancel?id={id}"), Value::Null).await.expect(202);
            assert_eq!(told["canceling"], 1);
        };
        let (answers, ()) = tokio::join!(calls, ask);
        for answer in [answers.0, answers.1, answers.2] {
            assert_eq!(answer.json()["error"]["code"], "run_canceled", "{answer:?}");
        }
    }

    async fn canceling_runs_names_which_and_takes_a_right(app: TestApp) {
        let kit = Kit::closed(app).await;
        let refused = kit.key.post("/api/v1/runs/cancel", Value::Null).await;
        assert_eq!(refused.refusal(400), "invalid");
        assert_eq!(refused.json()["errors"][0]["field"], "id");
        let refused = kit.key.post("/api/v1/runs/cancel?state=running", Value::Null).await;
        assert_eq!(refused.json()["errors"][0]["field"], "state");
        let reader = kit.app.key(&["read"]).await;
        let refused = reader.post("/api/v1/runs/cancel?status=running", Value::Null).await;
        assert_eq!(refused.refusal(403), "scope_required");
        let listed = kit.admin.get("/api/v1/runs?id=run_01j00000000000000000000000").await.expect(200);
        assert_eq!(listed["items"], json!([]));
    }

    async fn a_selection_that_cannot_be_read_ends_and_exports_nothing(app: TestApp) {
        let kit = Kit::closed(app).await;
        let home = first_home(&kit.app).await;
        new_member(&kit.app, &home, "ada@example.com", Role::Owner).await;
        let console = at_console(&kit.app, "ada@example.com").await;
        let ask = async {
            let id = running(&kit).await;
            let many = vec![id.as_str(); 101].join(",");
            for wrong in ["page", "none", &many] {
                let runs = format!("range=7d&f.id={wrong}");
                let form = [("workspace", "default"), ("runs", runs.as_str()), ("list", "")];
                let refused = post_form(&console, "/ui/fn/cancel_runs", &form).await;
                assert_eq!(refused.status, 400, "{wrong}: {}", refused.text);
                let file = console.get(&format!("/ui/export/runs?w=default&format=csv&{runs}")).await;
                assert_eq!(file.status, 400, "{wrong}: {}", file.text);
            }
            let goes_on = kit.admin.get(&format!("/api/v1/runs/{id}")).await.expect(200);
            assert_eq!(goes_on["status"], "running");
            cancel(&kit, &id).await;
        };
        let (answer, ()) = tokio::join!(kit.ask("model:test:slow-60000", "x"), ask);
        assert_eq!(answer.json()["error"]["code"], "run_canceled");
    }
}
