//! `Idempotency-Key` through the doors: one effect and one answer, however often it is asked for.

use futures::future::join_all;
use http::HeaderName;
use kernel::ledger::{Batch, ClaimKey, Fence, NewClaim, Op};
use kernel::port::Lifecycle;
use serde_json::{Value, json};
use testkit::database::Engine;
use types::id::ProcessId;

use crate::gateway_kit::{Kit, chat, events};
use crate::identity::people::first_home;
use crate::util::test_app::{Answer, Caller, TestApp, on_both};

fn under(caller: &Caller, key: &str) -> Caller {
    caller.clone().header(HeaderName::from_static("idempotency-key"), key)
}

fn waiting(caller: &Caller, key: &str) -> Caller {
    under(caller, key).header(HeaderName::from_static("prefer"), "wait=30")
}

fn is_replayed(answer: &Answer) -> bool {
    answer.headers.get("idempotency-replayed").is_some_and(|value| value == "true")
}

fn budget(name: &str) -> Value {
    json!({ "name": name, "scope_kind": "workspace", "period": "day", "currency": "USD", "amount": "1" })
}

async fn count(admin: &Caller, list: &str) -> usize {
    admin.get(list).await.expect(200)["items"].as_array().expect("items").len()
}

async fn metric(app: &TestApp, outcome: &str) -> u64 {
    let text = app.app.encode_metrics();
    let line = format!("soit_idempotency_total{{outcome=\"{outcome}\"}} ");
    text.lines().find_map(|text| text.strip_prefix(&line)?.parse().ok()).unwrap_or_default()
}

on_both! {
    async fn a_process_that_was_replaced_says_so_and_claims_no_key(app: TestApp) {
        let admin = app.admin().await;
        let (path, list) = ("/api/v1/billing/budgets", "/api/v1/billing/budgets");
        let fence = app.app.life.fence().expect("a fence");
        app.app.life.lose_fence();
        let refused = under(&admin, "f-1").post(path, budget("One")).await;
        assert_eq!((refused.refusal(503).as_str(), refused.header("retry-after")), ("fenced", "1"));
        app.app.life.take_fence(fence);
        assert!(!is_replayed(&under(&admin, "f-1").post(path, budget("One")).await));
        assert_eq!(count(&admin, list).await, 1);
    }

    async fn the_same_post_twice_makes_one_thing_and_answers_the_same(app: TestApp) {
        let admin = app.admin().await;
        let (path, list) = ("/api/v1/billing/budgets", "/api/v1/billing/budgets");
        let first = under(&admin, "b-1").post(path, budget("One")).await;
        let made = first.expect(201);
        let again = under(&admin, "b-1").post(path, budget("One")).await;
        assert_eq!((again.expect(201), is_replayed(&first), is_replayed(&again)), (made, false, true));
        for kept in ["content-type", "etag"] {
            assert_eq!(again.headers.get(kept), first.headers.get(kept), "{kept}");
        }
        // Written otherwise it is the same wish.
        let mut turned = serde_json::Map::new();
        turned.extend(budget("One").as_object().expect("an object").clone().into_iter().rev());
        assert!(is_replayed(&under(&admin, "b-1").post(path, Value::Object(turned)).await));
        assert_eq!(count(&admin, list).await, 1);
        // Another wish, or the same at another path, is not answered from there.
        assert_eq!(under(&admin, "b-1").post(path, budget("Two")).await.refusal(409), "idempotency_conflict");
        let elsewhere = under(&admin, "b-1").post("/api/v1/api-keys", json!({ "name": "k" })).await;
        assert_eq!(elsewhere.refusal(409), "idempotency_conflict");
        assert!(!is_replayed(&under(&admin, "b-2").post(path, budget("Two")).await));
        assert_eq!(count(&admin, list).await, 2);
        assert_eq!(
            (metric(&app, "done").await, metric(&app, "replayed").await, metric(&app, "conflict").await),
            (2, 2, 2)
        );
    }

    async fn many_at_once_make_one_thing(app: TestApp) {
        let admin = app.admin().await;
        let path = "/api/v1/billing/budgets";
        let callers: Vec<Caller> = (0..12).map(|_| waiting(&admin, "many")).collect();
        let answers = join_all(callers.iter().map(|caller| caller.post(path, budget("One")))).await;
        let made: Vec<Value> = answers.iter().map(|answer| answer.expect(201)).collect();
        assert!(made.iter().all(|one| one["id"] == made[0]["id"]), "{made:?}");
        assert_eq!(answers.iter().filter(|answer| !is_replayed(answer)).count(), 1);
        assert_eq!(count(&admin, path).await, 1);
    }

    async fn a_created_secret_is_answered_again_and_lies_nowhere(app: TestApp) {
        let admin = app.admin().await;
        let wish = json!({ "name": "Robot", "scopes": ["read"] });
        let made = under(&admin, "a-secret-key-of-mine").post("/api/v1/api-keys", wish.clone()).await.expect(201);
        let again = under(&admin, "a-secret-key-of-mine").post("/api/v1/api-keys", wish).await;
        assert_eq!((again.expect(201), is_replayed(&again)), (made.clone(), true));
        let secret = made["api_key"].as_str().expect("a secret");
        app.anon().bearer(secret).get("/api/v1/runs").await.expect(200);
        let hex = match app.database.engine() {
            Engine::Sqlite => "lower(hex(body))",
            Engine::Postgres => "encode(body, 'hex')",
        };
        let sql = format!("SELECT key || coalesce(outcome, '') || {hex} FROM idempotency_keys");
        let rows = app.database.texts(&sql).await;
        assert!(rows.len() == 1 && rows[0].len() > 400, "an answer is kept: {rows:?}");
        for hidden in [secret, "a-secret-key-of-mine", "Robot"] {
            let as_hex: String = hidden.bytes().map(|byte| format!("{byte:02x}")).collect();
            assert!(!rows[0].contains(hidden) && !rows[0].contains(&as_hex), "{hidden} lies in the database");
        }
    }

    async fn a_refusal_frees_its_key(app: TestApp) {
        let admin = app.admin().await;
        let path = "/api/v1/billing/budgets";
        let wrong = under(&admin, "b").post(path, json!({ "name": "" })).await;
        assert_eq!((wrong.status, is_replayed(&wrong)), (400, false));
        assert_eq!(under(&admin, "b").post(path, json!({ "name": "" })).await.status, 400, "it is judged anew");
        // Taken for that other request all the same.
        assert_eq!(under(&admin, "b").post(path, budget("One")).await.refusal(409), "idempotency_conflict");
        assert_eq!(metric(&app, "released").await, 2);
        // Whoever may not, may once they are allowed.
        let reader = app.key(&["read"]).await;
        assert_eq!(under(&reader, "r").post(path, budget("One")).await.refusal(403), "scope_required");
        assert_eq!(count(&admin, path).await, 0);
    }

    async fn two_keys_of_one_person_share_nothing(app: TestApp) {
        let kit = Kit::closed(app).await;
        let other = kit.app.key(&["write"]).await;
        let first = under(&kit.key, "same").post("/v1/chat/completions", chat("model:test:echo", "x")).await;
        let second = under(&other, "same").post("/v1/chat/completions", chat("model:test:echo", "x")).await;
        first.expect(200);
        second.expect(200);
        assert!(!is_replayed(&first) && !is_replayed(&second));
        assert_ne!(first.header("x-soit-run-id"), second.header("x-soit-run-id"));
    }

    async fn a_call_under_a_key_reaches_its_provider_once(app: TestApp) {
        let kit = Kit::new(app).await;
        let model = kit.model("echo").await;
        for stream in [false, true] {
            let marker = format!("marker-{stream}");
            let mut body = chat(&model, &marker);
            body["stream"] = stream.into();
            let caller = under(&kit.key, &marker);
            let first = caller.post("/v1/chat/completions", body.clone()).await;
            let again = caller.post("/v1/chat/completions", body.clone()).await;
            assert_eq!((first.status, again.status), (200, 200), "{first:?} {again:?}");
            assert_eq!((&again.text, is_replayed(&again)), (&first.text, true));
            for header in ["x-soit-run-id", "x-soit-model-ref", "x-soit-attempts"] {
                assert_eq!(again.header(header), first.header(header));
            }
            assert_eq!(events(&again).len(), events(&first).len());
            assert_eq!(kit.upstream.received(&marker), 1);
            let run = kit.run_of(&again).await;
            assert_eq!(kit.of_run(run["id"].as_str().expect("an id"), "costs").await.len(), 1);
            body["max_tokens"] = 3.into();
            assert_eq!(caller.post("/v1/chat/completions", body).await.json()["error"]["code"], "idempotency_conflict");
        }
    }

    async fn what_was_refused_for_its_budget_is_answered_once_there_is_one(app: TestApp) {
        let kit = Kit::closed(app).await;
        let price = json!({ "match_ref": "model:test:*", "currency": "USD", "rates": { "input": "1", "output": "2" } });
        kit.admin.post("/api/v1/modelhub/prices", price).await.expect(201);
        let mut tight = budget("Tight");
        tight["amount"] = json!("0.000001");
        tight["hard_stop"] = json!(true);
        let made = kit.admin.post("/api/v1/billing/budgets", tight).await;
        let id = made.expect(201)["id"].as_str().expect("an id").to_owned();
        let caller = under(&kit.key, "again");
        let refused = caller.post("/v1/chat/completions", chat("model:test:echo", "x")).await;
        assert_eq!(refused.status, 402);
        let admin = kit.admin.clone().header(http::header::IF_MATCH, made.header("etag"));
        let path = format!("/api/v1/billing/budgets/{id}");
        admin.send(http::Method::PATCH, &path, Some(json!({ "amount": "5" }))).await.expect(200);
        let done = caller.post("/v1/chat/completions", chat("model:test:echo", "x")).await;
        done.expect(200);
        let run = kit.run_of(&done).await;
        assert_eq!((&run["source_run_id"], &run["attempt_no"]), (&json!(refused.header("x-soit-run-id")), &json!(2)));
        assert!(is_replayed(&caller.post("/v1/chat/completions", chat("model:test:echo", "x")).await));
    }

    async fn a_key_of_a_dead_process_is_let_go(app: TestApp) {
        let kit = Kit::closed(app).await;
        let me = kit.admin.get("/api/v1/me").await.expect(200);
        let scope = first_home(&kit.app).await.scope;
        let user = me["user"]["id"].as_str().expect("an id");
        let dead = Fence { process_id: ProcessId::from_uuid(kit.app.app.ids.uuid()), epoch: 1 };
        let wish = budget("One");
        let body = wish.to_string();
        let asked = kernel::repeat::Asked {
            method: "POST",
            route: "/api/v1/billing/budgets",
            path: "/api/v1/billing/budgets",
            query: "",
            headers: &[],
            body: body.as_bytes(),
        };
        let claim = NewClaim {
            key: ClaimKey::new(scope, user, "left"),
            fingerprint: asked.fingerprint(),
            holder: kit.app.app.ids.uuid(),
            run_id: None,
            owner: dead,
            at: kit.app.app.clock.now(),
            is_resent: false,
        };
        let batch = Batch::opening(scope, kernel::ledger::Durability::Process);
        kit.app.app.ledger.commit(batch.with([Op::KeyClaim(claim.into())])).await.expect("a claim");
        let caller = under(&kit.admin, "left");
        let refused = caller.post("/api/v1/billing/budgets", wish.clone()).await;
        assert_eq!((refused.refusal(409).as_str(), refused.header("retry-after")), ("idempotency_in_flight", "1"));
        assert_eq!(kit.app.app.reaper.pass().await.expect("a pass").keys, 1);
        let done = caller.post("/api/v1/billing/budgets", wish).await;
        done.expect(201);
        assert!(!is_replayed(&done));
    }

    async fn what_asks_for_no_credential_claims_nothing(app: TestApp) {
        let login = json!({ "email": "admin@example.com", "password": "changeme123" });
        for _ in 0..2 {
            let answer = under(&app.anon(), "login").post("/api/v1/login", login.clone()).await;
            answer.expect(200);
            assert!(!is_replayed(&answer));
        }
    }

    async fn a_post_without_a_key_costs_no_statement_more(app: TestApp) {
        let admin = app.admin().await;
        let path = "/api/v1/billing/budgets";
        admin.post(path, budget("Warm")).await.expect(201);
        // What loops read meanwhile is in some of the tries, never in all.
        let mut least = [u64::MAX; 2];
        for number in 0..6 {
            for (keyed, least) in least.iter_mut().enumerate() {
                let caller = if keyed == 1 { under(&admin, &format!("key-{number}")) } else { admin.clone() };
                let before = app.app.store.figures().statements;
                caller.post(path, budget(&format!("B {number} {keyed}"))).await.expect(201);
                *least = app.app.store.figures().statements.saturating_sub(before).min(*least);
            }
        }
        let [plain, keyed] = least;
        assert!(plain < keyed && keyed <= plain + 8, "{plain} without, {keyed} with a key");
    }
}
