//! Events through their consumers: one that fails, what is given up, and what becomes of it.

use std::time::Duration;

use kernel::outbox::{LIVE, SUBSCRIPTIONS};
use serde_json::{Value, json};
use server::worker::{BEGIN, deliver_due};

use crate::identity::people::{Home, first_home};
use crate::util::letters::{BROKEN, Broken, dead_letter, emit};
use crate::util::test_app::{Caller, TestApp, on_both};

/// Tries before a delivery is given up.
const TRIES: usize = 20;

/// A try of what is due for the broken consumer; whatever is to be tried later is due then.
async fn tried(app: &TestApp, broken: &Broken) -> u32 {
    let tried = deliver_due(&app.app, broken, app.app.fence, BEGIN).await.expect("an answer");
    let rush = "UPDATE deliveries SET due_at = created_at WHERE consumer = 'broken' AND status = 'pending' \
                RETURNING consumer";
    app.database.texts(rush).await;
    tried
}

/// Where a consumer stands, once it has nothing to do but for what it cannot take.
async fn lag(admin: &Caller, consumer: &str) -> Value {
    let lags = admin.get("/api/v1/observe/outbox").await.expect(200);
    let lags = lags["items"].as_array().expect("a list");
    lags.iter().find(|lag| lag["consumer"] == consumer).expect("the consumer").clone()
}

async fn letters(admin: &Caller) -> Vec<Value> {
    let page = admin.get("/api/v1/observe/dead-letters?consumer=broken").await.expect(200);
    page["items"].as_array().expect("a list").clone()
}

/// Three events about one thing, of which the first two were given up by the broken consumer.
async fn given_up(app: &TestApp, home: &Home, broken: &Broken) {
    emit(app, home, &[LIVE, BROKEN], 3).await;
    for _ in 0..2 * TRIES {
        assert_eq!(tried(app, broken).await, 1, "later ones wait");
    }
}

on_both! {
    async fn a_consumer_that_fails_delays_no_other_and_gets_everything_in_order_once_mended(app: TestApp) {
        let (home, admin, broken) = (first_home(&app).await, app.admin().await, Broken::default());
        given_up(&app, &home, &broken).await;
        let arrives = async {
            loop {
                let live = lag(&admin, LIVE).await;
                if !live["p95_ms"].is_null() && (&live["pending"], &live["leased"]) == (&json!(0), &json!(0)) {
                    return live;
                }
                tokio::task::yield_now().await;
            }
        };
        let live = tokio::time::timeout(Duration::from_secs(10), arrives).await.expect("the others are told");
        assert_eq!(live["dead"], 0);
        let behind = lag(&admin, BROKEN).await;
        assert_eq!((&behind["pending"], &behind["dead"]), (&json!(1), &json!(2)));

        let dead = letters(&admin).await;
        let told: Vec<_> = dead.iter().map(|letter| (&letter["subject_seq"], &letter["attempts"])).collect();
        assert_eq!(told, [(&json!(2), &json!(TRIES)), (&json!(1), &json!(TRIES))]);
        assert!(dead[0]["error"].as_str().is_some_and(|error| error.contains("no answer")), "{}", dead[0]);

        broken.mend();
        let filter = json!({ "filter": { "kind": "outbox", "consumer": BROKEN, "type": "run.finished" } });
        let redriven = admin.post("/api/v1/observe/dead-letters/redrive", filter).await.expect(200);
        let redriven = redriven["items"].as_array().expect("a list").clone();
        assert_eq!(redriven.len(), 2);
        assert!(redriven.iter().all(|item| item["outcome"] == "redriven"), "{redriven:?}");
        assert!(letters(&admin).await.is_empty());
        for _ in 0..3 {
            assert_eq!(tried(&app, &broken).await, 1);
        }
        let taken = broken.taken.lock().await;
        let order: Vec<_> = taken.iter().map(|delivery| (delivery.subject_seq, delivery.attempt)).collect();
        assert_eq!(order, [(1, 1), (2, 1), (3, 1)]);
        let audit = admin.get("/api/v1/audit?event_type=dead_letter.redriven").await.expect(200);
        let mut audited: Vec<&Value> =
            audit["items"].as_array().expect("a list").iter().map(|entry| &entry["resource"]["id"]).collect();
        let mut expected: Vec<&Value> = dead.iter().map(|letter| &letter["id"]).collect();
        audited.sort_by_key(|id| id.to_string());
        expected.sort_by_key(|id| id.to_string());
        assert_eq!(audited, expected);
    }

    async fn what_cannot_be_begun_early_in_a_claim_is_left_to_the_next_one(app: TestApp) {
        let (home, broken) = (first_home(&app).await, Broken::default());
        broken.mend();
        for _ in 0..20 {
            emit(&app, &home, &[BROKEN], 1).await;
        }
        let late = deliver_due(&app.app, &broken, app.app.fence, Duration::ZERO).await.expect("an answer");
        assert_eq!((late, broken.taken.lock().await.len()), (20, 0), "claimed, and none begun");
        assert_eq!(tried(&app, &broken).await, 0, "the claim holds until it runs out");
        let run_out = "UPDATE deliveries SET due_at = created_at WHERE consumer = 'broken' RETURNING consumer";
        assert_eq!(app.database.texts(run_out).await.len(), 20);
        assert_eq!(tried(&app, &broken).await, 20);
        let taken = broken.taken.lock().await;
        assert!(taken.iter().all(|delivery| delivery.attempt == 2), "each once, at the second claim: {taken:?}");
        assert_eq!(taken.len(), 20);
    }

    async fn a_letter_that_is_discarded_is_gone_and_the_audit_says_why(app: TestApp) {
        let (home, admin) = (first_home(&app).await, app.admin().await);
        let id = dead_letter(&app, &home).await;
        let path = format!("/api/v1/observe/dead-letters/outbox/{id}");
        assert_eq!(admin.post(&format!("{path}/discard"), json!({ "reason": "" })).await.refusal(400), "invalid");
        admin.post(&format!("{path}/discard"), json!({ "reason": "sent by hand" })).await.expect(204);
        assert!(letters(&admin).await.is_empty());
        let again = admin.post(&format!("{path}/discard"), json!({ "reason": "sent by hand" })).await;
        assert_eq!(again.refusal(409), "invalid_transition");
        let redriven = admin.post(&format!("{path}/redrive"), json!({})).await.expect(200);
        assert_eq!(redriven["outcome"], "not_dead");
        let task = admin.post("/api/v1/observe/dead-letters/ingest/tsk_1/redrive", json!({})).await.expect(200);
        assert_eq!(task["outcome"], "unsupported");
        for wrong in ["outbox/nonsense", "nonsense/tsk_1", "task/tsk_1"] {
            let path = format!("/api/v1/observe/dead-letters/{wrong}/redrive");
            assert_eq!(admin.post(&path, json!({})).await.refusal(404), "not_found", "{wrong}");
        }
        let audit = admin.get(&format!("/api/v1/audit?resource_id={id}")).await.expect(200);
        let [entry] = audit["items"].as_array().expect("a list").as_slice() else { panic!("one row: {audit}") };
        assert_eq!((&entry["event_type"], &entry["payload"]["reason"]), (&json!("dead_letter.discarded"), &json!("sent by hand")));
        let whole = admin.get(&format!("/api/v1/audit/{}", entry["seq"])).await.expect(200);
        assert_eq!(&whole, entry);
    }

    async fn a_call_is_found_in_events_and_audit_by_its_run(app: TestApp) {
        let admin = app.admin().await;
        let key = app.key(&["write"]).await;
        let chat = json!({ "model": "model:test:echo", "messages": [{ "role": "user", "content": "hi" }] });
        let called = key.post("/v1/chat/completions", chat).await;
        called.expect(200);
        let run = called.header("x-soit-run-id").to_owned();
        let events = admin.get(&format!("/api/v1/events?run_id={run}&event_type=run.finished")).await.expect(200);
        assert_eq!(events["items"].as_array().map(Vec::len), Some(1), "{events}");
        assert_eq!((&events["items"][0]["subject"], &events["items"][0]["subject_seq"]), (&json!(run), &json!(1)));
        let audit = admin.get(&format!("/api/v1/runs/{run}/audit")).await.expect(200);
        assert_eq!(audit["items"], json!([]));
        for (query, field) in [
            ("events?since=yesterday", "since"),
            ("events?limit=0", "limit"),
            ("events?actor_id=x", "actor_id"),
            ("audit?outcome=maybe", "outcome"),
            ("audit?since=2026-01-02T00:00:00Z&until=2026-01-01T00:00:00Z", "until"),
            ("observe/dead-letters?limit=201", "limit"),
            ("observe/dead-letters?kind=letter", "kind"),
        ] {
            let refused = admin.get(&format!("/api/v1/{query}")).await.expect(400);
            assert_eq!(refused["errors"][0]["field"], field, "{query}: {refused}");
        }
        for path in ["events?cursor=x", "audit?cursor=x", "observe/dead-letters?cursor=x"] {
            assert_eq!(admin.get(&format!("/api/v1/{path}")).await.refusal(400), "invalid_cursor", "{path}");
        }
    }
}

#[tokio::test]
async fn every_subscribed_consumer_is_told() {
    let app = TestApp::sqlite().await;
    let mut told: Vec<&str> = app.app.consumers.iter().map(|consumer| consumer.name()).collect();
    let mut subscribed: Vec<&str> = SUBSCRIPTIONS.iter().map(|subscription| subscription.consumer).collect();
    told.sort_unstable();
    subscribed.sort_unstable();
    assert_eq!(told, subscribed);
}
