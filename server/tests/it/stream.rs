//! Live streams through their routes, for clients with a bearer and for the console.

use axum::body::Body;
use axum::http::header::{CONTENT_TYPE, COOKIE, SET_COOKIE};
use axum::http::{HeaderName, Method, Request};
use serde_json::json;

use crate::util::sse::{Event, Events};
use crate::util::test_app::{ADMIN_EMAIL, ADMIN_PASSWORD, Answer, Caller, TestApp, on_both};

async fn call(caller: &Caller, model: &str) -> Answer {
    let messages = json!([{ "role": "user", "content": "one two three" }]);
    caller.post("/v1/chat/completions", json!({ "model": model, "messages": messages })).await
}

/// Offsets of stored events, names of others.
fn shapes(events: &[Event]) -> Vec<String> {
    let shape = |event: &Event| if event.name.is_empty() { event.id.clone() } else { event.name.clone() };
    events.iter().map(shape).collect()
}

/// A browser that signed in.
async fn signed_in(app: &TestApp) -> Caller {
    let form = format!("email={}&password={ADMIN_PASSWORD}", ADMIN_EMAIL.replace('@', "%40"));
    let request = Request::builder()
        .method(Method::POST)
        .uri("/ui/sign-in")
        .header(CONTENT_TYPE, "application/x-www-form-urlencoded")
        .header("sec-fetch-site", "same-origin")
        .body(Body::from(form))
        .expect("a request");
    let answer = app.browser().send_raw(request).await;
    let cookies = answer.headers.get_all(SET_COOKIE).iter().filter_map(|value| value.to_str().ok()?.split(';').next());
    let cookies = cookies.collect::<Vec<_>>().join("; ");
    app.browser().header(COOKIE, &cookies)
}

on_both! {
    async fn a_finished_run_is_told_whole_and_resumed_anywhere(app: TestApp) {
        let key = app.key(&["write"]).await;
        let run = call(&key, "model:test:echo").await;
        let path = format!("/api/v1/runs/{}/stream", run.header("x-soit-run-id"));
        let all = Events::open(&key, &path, None).await.rest().await;
        let stored = all.len() - 1;
        assert_eq!(all.last().expect("an end").name, "end");
        assert_eq!(shapes(&all[..stored]), (1..=stored).map(|offset| offset.to_string()).collect::<Vec<_>>());
        assert_eq!(all[0].data["type"], "run.started");

        let rest = Events::open(&key, &path, Some("2")).await.rest().await;
        assert_eq!(rest, all[2..]);
        let rest = Events::open(&key, &format!("{path}?after=1"), Some("3/17")).await.rest().await;
        assert_eq!(rest, all[3..]);

        let last = HeaderName::from_static("last-event-id");
        for (id, status, code) in [("abc", 400, "last_event_id_invalid"), ("99", 409, "offset_ahead")] {
            assert_eq!(key.clone().header(last.clone(), id).get(&path).await.refusal(status), code);
        }
        assert_eq!(app.anon().get(&path).await.refusal(401), "unauthenticated");
    }

    async fn a_run_is_told_while_it_happens(app: TestApp) {
        let (key, reader) = (app.key(&["write"]).await, app.key(&["read"]).await);
        let mut hints = Events::open(&reader, "/api/v1/stream?topics=runs", None).await;
        #[expect(clippy::disallowed_methods, reason = "the call ends before the test")]
        let running = tokio::spawn(async move { call(&key, "model:test:slow-800").await.status });
        let hint = hints.next().await.expect("a hint");
        assert_eq!((hint.name.as_str(), hint.data["topic"].as_str()), ("hint", Some("runs")));
        let path = format!("/api/v1/runs/{}/stream", hint.data["id"].as_str().expect("a run"));
        let mut events = Events::open(&reader, &path, None).await;
        let first = events.next().await.expect("the start");
        assert_eq!(first.data["type"], "run.started");
        let rest = shapes(&events.rest().await);
        assert_eq!(rest.last().map(String::as_str), Some("end"));
        let expected: Vec<String> = (2..rest.len() + 1).map(|offset| offset.to_string()).collect();
        assert_eq!(rest[..rest.len() - 1], expected);
        assert_eq!(running.await.expect("a call"), 200);
    }

    async fn budgets_that_moved_are_hinted_at(app: TestApp) {
        let (admin, key) = (app.admin().await, app.key(&["write"]).await);
        let budget = json!({ "name": "All", "scope_kind": "workspace", "period": "day", "currency": "USD", "amount": "1" });
        let budget = admin.post("/api/v1/billing/budgets", budget).await.expect(201);
        let mut hints = Events::open(&admin, "/api/v1/stream?topics=budgets", None).await;
        call(&key, "model:test:echo").await.expect(200);
        let hint = hints.next().await.expect("a hint");
        assert_eq!((&hint.data["topic"], &hint.data["id"]), (&json!("budgets"), &budget["id"]));
        let again = Events::open(&admin, "/api/v1/stream", Some("1")).await.next().await.expect("an event");
        assert_eq!(again.name, "resync");
        assert_eq!(admin.get("/api/v1/stream?topics=weather").await.refusal(400), "invalid");
    }

    async fn a_revoked_reader_is_shown_out(app: TestApp) {
        let (admin, key) = (app.admin().await, app.key(&["write"]).await);
        let made = admin.post("/api/v1/api-keys", json!({ "name": "reader", "scopes": ["read"] })).await.expect(201);
        let reader = app.anon().bearer(made["api_key"].as_str().expect("a key"));
        let mut hints = Events::open(&reader, "/api/v1/stream", None).await;
        call(&key, "model:test:echo").await.expect(200);
        assert_eq!(hints.next().await.expect("a hint").name, "hint");
        let revoke = format!("/api/v1/api-keys/{}/revoke", made["item"]["id"].as_str().expect("an id"));
        admin.post(&revoke, json!({})).await.expect(200);
        let closed = hints.rest().await.pop().expect("a last word");
        assert_eq!((closed.name.as_str(), &closed.data["code"]), ("closed", &json!("invalid_credentials")));
    }

    async fn the_console_reads_the_same_under_its_cookie(app: TestApp) {
        let (browser, key) = (signed_in(&app).await, app.key(&["write"]).await);
        let mut hints = Events::open(&browser, "/ui/events?w=default", None).await;
        let run = call(&key, "model:test:echo").await;
        let id = run.header("x-soit-run-id");
        let hint = hints.next().await.expect("a hint");
        assert_eq!((&hint.data["topic"], &hint.data["id"]), (&json!("runs"), &json!(id)));
        let events = Events::open(&browser, &format!("/ui/runs/{id}/stream?w=default"), None).await.rest().await;
        assert_eq!(events.last().expect("an end").name, "end");

        assert_eq!(browser.get("/ui/events?w=elsewhere").await.refusal(404), "not_found");
        assert_eq!(app.browser().get("/ui/events?w=default").await.refusal(401), "unauthenticated");
        // A bearer is no credential here.
        let bearer = app.browser().bearer("sk_something");
        assert_eq!(bearer.get("/ui/events?w=default").await.refusal(401), "unauthenticated");
    }
}
