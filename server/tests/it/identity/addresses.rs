//! Addresses of the console: those of the earlier one, and the time zone an address asks for.

use axum::http::Method;
use axum::http::header::COOKIE;
use types::identity::Role;

use super::people::{PASSWORD, SAME_ORIGIN, at_console, first_home, new_member, post_form, set_cookie};
use crate::util::test_app::{Caller, TestApp};

async fn reader(app: &TestApp) -> Caller {
    let home = first_home(app).await;
    new_member(app, &home, "ada@example.com", Role::Owner).await;
    at_console(app, "ada@example.com").await
}

#[tokio::test]
async fn addresses_of_the_earlier_console_lead_to_the_same_page() {
    let app = TestApp::sqlite().await;
    let reader = reader(&app).await;
    for (old, new) in [
        ("/observe/runs?f.status=failed", "/w/default/runs?f.status=failed"),
        ("/observe/runs/run_1", "/w/default/runs/run_1"),
        ("/observe/traces", "/w/default/traces"),
        ("/govern/budgets?x=1", "/w/default/keys?tab=budgets&x=1"),
        ("/govern/api-keys", "/w/default/keys"),
        ("/govern/approvals", "/w/default/approvals"),
        ("/execute/playground?x=%2F&y", "/w/default/playground?x=%2F&y"),
        ("/build/agents?x=1", "/w/default/agents?x=1"),
        ("/build/agents/agt_1", "/w/default/agents/agt_1"),
        ("/agents?x=1", "/w/default/agents?x=1"),
        ("/workflow/wfl_1?x=1", "/w/default/workflows/wfl_1?x=1"),
    ] {
        let answer = reader.get(old).await;
        let led = (answer.status, answer.header("location"), answer.header("cache-control"));
        assert_eq!(led, (308, new, "no-store"), "{old}");
    }
    let missing = reader.get("/w/default/agents?x=1").await;
    assert_eq!(missing.status, 404, "a page of the workspace, which is not there yet");
    assert!(missing.text.contains("data-testid=\"shell\""), "{}", missing.text);
}

#[tokio::test]
async fn an_earlier_address_is_only_read_and_asks_who_is_there_first() {
    let app = TestApp::sqlite().await;
    let closed = app.browser().get("/build/agents?x=1").await;
    assert_eq!((closed.status, closed.header("location")), (303, "/sign-in?next=%2Fbuild%2Fagents%3Fx%3D1"));
    let reader = reader(&app).await.header(SAME_ORIGIN.0, SAME_ORIGIN.1);
    assert_eq!(reader.send(Method::HEAD, "/agents", None).await.status, 308);
    for method in [Method::POST, Method::PUT, Method::PATCH, Method::DELETE] {
        assert_eq!(reader.send(method.clone(), "/agents", None).await.status, 405, "{method}");
    }
}

#[tokio::test]
async fn an_address_may_ask_for_another_zone() {
    let app = TestApp::sqlite().await;
    let reader = reader(&app).await;
    let plain = reader.get("/w/default/runs").await.text;
    assert!(plain.contains("· UTC") && !plain.contains("data-testid=\"zone\""), "{plain}");
    let tokyo = reader.get("/w/default/runs?range=2026-01-28&tz=Asia/Tokyo").await.text;
    for shown in [
        "2026-01-28 00:00:00 to 2026-01-29 00:00:00 · Asia/Tokyo",
        "data-testid=\"zone\"",
        "href=\"/w/default/runs?range=2026-01-28\" rel=\"external\"",
        "href=\"/w/default/keys?tz=Asia/Tokyo\"",
        "name=\"tz\" value=\"Asia/Tokyo\"",
    ] {
        assert!(tokyo.contains(shown), "`{shown}` is missing in:\n{tokyo}");
    }
    // Where there is none of that name, the reader's own counts.
    let signed =
        post_form(&app.browser(), "/ui/sign-in", &[("email", "ada@example.com"), ("password", PASSWORD)]).await;
    let session = set_cookie(&signed, "soit_session").expect("a cookie");
    let reader = app.browser().header(COOKIE, &format!("{session}; soit_prefs=tz=Europe/Berlin"));
    let unknown = reader.get("/w/default/models?tz=Mars/Olympus").await;
    assert_eq!(unknown.status, 200);
    assert!(unknown.text.contains("a value for tz that cannot be read"), "{}", unknown.text);
    let unknown = reader.get("/w/default/runs?tz=Mars/Olympus").await.text;
    assert!(unknown.contains("· Europe/Berlin") && !unknown.contains("data-testid=\"zone\""), "{unknown}");
}

#[tokio::test]
async fn a_file_of_the_list_is_read_in_the_zone_of_its_address() {
    let app = TestApp::sqlite().await;
    let reader = reader(&app).await;
    let file = reader.get("/ui/export/runs?w=default&format=csv&range=2026-01-28&tz=Asia/Tokyo").await;
    let name = file.header("content-disposition");
    assert!(name.contains("20260127T150000Z-20260128T150000Z"), "{name}");
}
