//! How many statements the pages of the console send to the store.
//!
//! Counted is every statement of a page load but those of the frame around it: who is signed in, and the number of
//! running calls in the rail. A page of the settings that shows nothing from the store says what these are.

use chrono::TimeDelta;
use kernel::context::Scope;
use kernel::ledger::NewRun;
use serde_json::json;
use testkit::sample::{self, Sample};
use types::identity::Role;
use types::run::RunStatus;

use crate::gateway_kit::chat;
use crate::identity::people::{at_console, first_home, new_member};
use crate::util::test_app::{Caller, TestApp, on_both};

/// How often each page is loaded: the loops of the process send statements, too, though not into every load.
const LOADS: usize = 5;
/// A page that is its frame alone.
const FRAME: &str = "/w/default/settings/appearance";

/// A run that has ended at noon of a day of the past, and one a second later.
async fn past_runs(app: &TestApp, scope: Scope) {
    let mut sample = Sample::named("past", 9);
    sample.scope = scope;
    for second in 0..2 {
        let run = NewRun { started_at: sample::noon() + TimeDelta::seconds(second), ..sample.run() };
        let ops = [sample::open_run(&run), sample::move_run(run.id, RunStatus::Canceled)];
        app.app.ledger.commit(sample.opening(ops)).await.expect("a batch");
    }
}

/// Statements of one load of a page, with those of its frame.
async fn statements(app: &TestApp, reader: &Caller, path: &str) -> u64 {
    let mut fewest = u64::MAX;
    for _ in 0..LOADS {
        let before = app.app.store.figures().statements;
        let page = reader.get(path).await;
        let sent = app.app.store.figures().statements - before;
        assert_eq!(page.status, 200, "{path}: {}", page.text);
        fewest = fewest.min(sent);
    }
    fewest
}

on_both! {
    async fn a_page_sends_no_more_statements_than_it_has_questions(app: TestApp) {
        let home = first_home(&app).await;
        new_member(&app, &home, "ada@example.com", Role::Owner).await;
        let price = json!({ "match_ref": "model:test:*", "currency": "USD", "rates": { "input": "1", "output": "1" } });
        app.admin().await.post("/api/v1/modelhub/prices", price).await.expect(201);
        // Of two keys: what a page asks for does not grow with what it shows.
        for _ in 0..2 {
            let key = app.key(&["write"]).await;
            for model in ["model:test:echo", "model:test:error-500"] {
                key.post("/v1/chat/completions", chat(model, "hi")).await;
            }
        }
        // And of a service principal, which has a name and an owner.
        let admin = app.admin().await;
        let robot = admin.post("/api/v1/service-principals", json!({ "name": "Robot", "role": "dev" })).await.expect(201);
        let issue = json!({ "name": "robot", "scopes": ["write"], "principal_id": robot["id"] });
        let issued = admin.post("/api/v1/api-keys", issue).await.expect(201);
        let robot = app.anon().bearer(issued["api_key"].as_str().expect("a secret"));
        let run = robot.post("/v1/chat/completions", chat("model:test:echo", "hi")).await.header("x-soit-run-id").to_owned();
        past_runs(&app, home.scope).await;
        let reader = at_console(&app, "ada@example.com").await;
        // What is said of runs, what came out of them, and views of their lists are no more statements.
        while app.app.gateway.calls_in_flight() > 0 {
            tokio::task::yield_now().await;
        }
        let made = admin.post(&format!("/api/v1/runs/{run}/reexecute"), json!({})).await.expect(201);
        let repeated = made["run"]["id"].as_str().expect("an id").to_owned();
        for id in [&run, &repeated] {
            admin.post(&format!("/api/v1/runs/{id}/feedback"), json!({ "rating": "up" })).await.expect(201);
        }
        let view = json!({ "page": "runs", "name": "Failed", "query": "f.status=failed", "shared": true, "default": false });
        admin.post("/api/v1/me/views", view).await.expect(201);
        let frame = statements(&app, &reader, FRAME).await;
        assert!(frame <= 1, "the frame sends {frame}");
        for (path, most) in [
            // The window before has runs, too, and is asked as much.
            ("/w/default?from=2026-01-15T12:00:01Z&to=2026-01-15T12:00:02Z".to_owned(), 12),
            ("/w/default/runs".to_owned(), 4),
            // Those of the list, and one for its saved views.
            ("/w/default/events".to_owned(), 2),
            // Deliveries and tasks.
            ("/w/default/events?tab=dead".to_owned(), 2),
            ("/w/default/tasks".to_owned(), 1),
            ("/w/default/events?tab=consumers".to_owned(), 4),
            ("/w/default/audit".to_owned(), 5),
            ("/w/default/audit/1".to_owned(), 2),
            ("/w/default/runs?f.status=failed&sort=duration_ms".to_owned(), 5),
            // The run with what came out of it, steps, costs, names, what is said of it; and how it came out of another.
            (format!("/w/default/runs/{run}"), 6),
            (format!("/w/default/runs/{repeated}"), 6),
            // And the events, read as the REST door reads them.
            (format!("/w/default/runs/{repeated}?view=inspect"), 9),
            (format!("/w/default/runs/compare?a={run}&b={run}"), 6),
            ("/w/default/access".to_owned(), 1),
            ("/w/default/access?tab=invitations".to_owned(), 3),
            // Principals, their keys, and members twice: of the owners, and to choose from.
            ("/w/default/access/principals".to_owned(), 4),
            // Groups, who is in them, and members twice.
            ("/w/default/access/groups".to_owned(), 4),
            ("/w/default/access/grants".to_owned(), 1),
            // The workspace, its times, the tenant's bounds, reports, holds.
            ("/w/default/settings/retention".to_owned(), 5),
            // The tenant, and all of it at one moment: with the frame of the transaction.
            ("/t/default/workspaces".to_owned(), 7),
            ("/t/default/members".to_owned(), 7),
            ("/t/default/ceilings".to_owned(), 3),
            ("/t/default/usage".to_owned(), 8),
        ] {
            let own = statements(&app, &reader, &path).await - frame;
            assert!(own <= most, "{path} sends {own}, at most {most} are allowed");
        }
    }
}
