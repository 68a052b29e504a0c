use axum::http::Method;
use axum::http::header::{ACCEPT, COOKIE, REFERER};
use serde_json::json;
use types::identity::Role;

use super::people::{PASSWORD, SAME_ORIGIN, at_console, first_home, new_member, post_form, set_cookie};
use crate::util::test_app::{ADMIN_EMAIL, ADMIN_PASSWORD, Answer, TestApp, on_both};

const ADMIN: [(&str, &str); 2] = [("email", ADMIN_EMAIL), ("password", ADMIN_PASSWORD)];

fn cookies(answer: &Answer) -> Vec<&str> {
    answer.headers.get_all("set-cookie").iter().filter_map(|value| value.to_str().ok()).collect()
}

on_both! {
    async fn a_browser_signs_in_and_out_without_scripts(app: TestApp) {
        let closed = app.browser().get("/w/default/runs?status=failed").await;
        assert_eq!((closed.status, closed.header("location")), (303, "/sign-in?next=%2Fw%2Fdefault%2Fruns%3Fstatus%3Dfailed"));
        assert_eq!(app.browser().get("/sign-in").await.status, 200);

        let form = [ADMIN[0], ADMIN[1], ("next", "/w/default/runs?status=failed")];
        let answer = post_form(&app.browser(), "/ui/sign-in", &form).await;
        assert_eq!((answer.status, answer.header("location")), (303, "/w/default/runs?status=failed"));
        let cookie = set_cookie(&answer, "soit_session").expect("a cookie");
        let line = cookies(&answer).into_iter().find(|line| line.starts_with("soit_session=")).expect("its line");
        for attribute in ["HttpOnly", "SameSite=Lax", "Path=/", "Max-Age=1209"] {
            assert!(line.contains(attribute), "{line}");
        }
        assert!(!line.contains("Secure"), "plain http in this test: {line}");
        assert!(cookies(&answer).iter().any(|line| line.starts_with("soit_device=") && line.contains("HttpOnly")));

        let browser = app.browser().header(COOKIE, &cookie);
        assert_eq!(browser.get("/w/default/runs").await.status, 200);
        let out = post_form(&browser, "/ui/sign-out", &[]).await;
        assert_eq!((out.status, out.header("location")), (303, "/sign-in"));
        assert!(cookies(&out).iter().any(|line| line.starts_with("soit_session=;") && line.contains("Max-Age=0")));
        assert_eq!(browser.get("/w/default/runs").await.status, 303, "the cookie is dead, not only forgotten");
    }

    async fn proof_and_a_new_password_give_the_browser_a_new_cookie(app: TestApp) {
        let home = first_home(&app).await;
        new_member(&app, &home, "ada@example.com", Role::Dev).await;
        let signed = post_form(&app.browser(), "/ui/sign-in", &[("email", "ada@example.com"), ("password", PASSWORD)]).await;
        let first = app.browser().header(COOKIE, &set_cookie(&signed, "soit_session").expect("a cookie"));
        let wrong = post_form(&first, "/ui/fn/step_up", &[("password", "wrong")]).await;
        assert_eq!(wrong.status, 401);
        assert!(set_cookie(&wrong, "soit_session").is_none());
        let proved = post_form(&first, "/ui/fn/step_up", &[("password", PASSWORD)]).await;
        assert_eq!(proved.status, 200, "{}", proved.text);
        let second = app.browser().header(COOKIE, &set_cookie(&proved, "soit_session").expect("a new cookie"));
        assert_eq!(first.get("/w/default").await.status, 303);
        assert_eq!(second.get("/w/default").await.status, 200);

        let new = "tulip anchor seventeen";
        let form = [("current_password", PASSWORD), ("new_password", new), ("repeated", new)];
        let changed = post_form(&second, "/ui/fn/change_password", &form).await;
        assert_eq!(changed.status, 200, "{}", changed.text);
        let third = app.browser().header(COOKIE, &set_cookie(&changed, "soit_session").expect("a new cookie"));
        assert_eq!(second.get("/w/default").await.status, 303);
        assert_eq!(third.get("/w/default").await.status, 200);
    }

    async fn a_session_ended_elsewhere_is_over_at_once(app: TestApp) {
        let home = first_home(&app).await;
        new_member(&app, &home, "ada@example.com", Role::Dev).await;
        let (here, there) = (at_console(&app, "ada@example.com").await, at_console(&app, "ada@example.com").await);
        assert_eq!(there.get("/w/default").await.status, 200);
        assert_eq!(post_form(&here, "/ui/fn/revoke_other_sessions", &[]).await.status, 200);
        assert_eq!(there.get("/w/default").await.status, 303);
        let scripted = post_form(&there, "/ui/fn/list_sessions", &[]).await;
        assert_eq!(scripted.status, 401);
        assert_eq!(scripted.json()["problem"]["code"], "unauthenticated");
    }
}

#[tokio::test]
async fn a_refusal_goes_back_to_the_form_and_names_its_code() {
    let app = TestApp::sqlite().await;
    let sign_in = |password: &'static str| {
        let browser = app.browser();
        async move {
            let form = [ADMIN[0], ("password", password), ("next", "/w/default")];
            post_form(&browser, "/ui/sign-in", &form).await
        }
    };
    for _ in 0..5 {
        let answer = sign_in("wrong").await;
        assert_eq!(
            (answer.status, answer.header("location")),
            (303, "/sign-in?error=invalid_credentials&next=%2Fw%2Fdefault")
        );
        let [cookie] = cookies(&answer)[..] else { panic!("the address alone is kept: {:?}", cookies(&answer)) };
        assert!(
            cookie.starts_with("soit_email=admin%40example.com; Path=/sign-in; ") && cookie.contains("HttpOnly"),
            "{cookie}"
        );
        let form = app.browser().header(COOKIE, cookie).get("/sign-in?error=invalid_credentials").await;
        assert!(form.text.contains("value=\"admin@example.com\""), "{}", form.text);
        let fresh = app.browser().header(COOKIE, cookie).get("/sign-in").await;
        assert!(!fresh.text.contains("value=\"admin@example.com\""), "only after a refusal");
    }
    let waits = sign_in(ADMIN_PASSWORD).await;
    assert_eq!(waits.header("location"), "/sign-in?error=login_throttled&retry_after=1&next=%2Fw%2Fdefault");
    let incomplete = post_form(&app.browser(), "/ui/sign-in", &[("email", ADMIN_EMAIL)]).await;
    assert_eq!(incomplete.header("location"), "/sign-in?error=invalid");
}

#[tokio::test]
async fn a_next_with_other_letters_is_followed() {
    let app = TestApp::sqlite().await;
    let answer = post_form(&app.browser(), "/ui/sign-in", &[ADMIN[0], ADMIN[1], ("next", "/w/é")]).await;
    assert_eq!((answer.status, answer.header("location")), (303, "/w/%C3%A9"));
}

#[tokio::test]
async fn the_runs_list_is_exported_by_those_who_may_under_a_name_that_tells_what_it_holds() {
    let app = TestApp::sqlite().await;
    let home = first_home(&app).await;
    for (email, role) in [("ada@example.com", Role::Owner), ("ben@example.com", Role::Viewer)] {
        new_member(&app, &home, email, role).await;
    }
    let path = "/ui/export/runs?w=default&format=csv&f.status=failed&range=7d";
    let file = at_console(&app, "ada@example.com").await.get(path).await;
    assert_eq!((file.status, file.text.lines().count()), (200, 1), "{}", file.text);
    let name = file.header("content-disposition");
    assert!(name.starts_with("attachment; filename=\"soit-default-runs-") && name.ends_with("Z.csv\""), "{name}");
    let viewer = at_console(&app, "ben@example.com").await;
    assert_eq!(viewer.get(path).await.refusal(403), "role_required");
    assert_eq!(viewer.get("/ui/export/runs?w=default").await.expect(400)["errors"][0]["field"], "format");
}

#[tokio::test]
async fn one_changes_ones_name() {
    let app = TestApp::sqlite().await;
    let home = first_home(&app).await;
    new_member(&app, &home, "ada@example.com", Role::Viewer).await;
    let api = super::people::signed_in(&app, "ada@example.com").await;
    let patch = |body| api.send(Method::PATCH, "/api/v1/me", Some(body));
    assert_eq!(patch(json!({ "name": "Ada King" })).await.expect(200)["user"]["name"], "Ada King");
    assert_eq!(api.get("/api/v1/me").await.expect(200)["user"]["name"], "Ada King");
    for (wrong, field) in [(json!({ "name": " " }), "name"), (json!({ "email": "x@example.com" }), "email")] {
        let refused = patch(wrong).await;
        assert_eq!(refused.status, 400);
        assert!(refused.text.contains(field), "{}", refused.text);
    }
}

#[tokio::test]
async fn a_foreign_next_leads_home() {
    let app = TestApp::sqlite().await;
    for next in ["//evil.test", "https://evil.test", "/\\evil.test"] {
        let answer = post_form(&app.browser(), "/ui/sign-in", &[ADMIN[0], ADMIN[1], ("next", next)]).await;
        assert_eq!((answer.status, answer.header("location")), (303, "/"), "{next}");
    }
}

#[tokio::test]
async fn a_cookie_from_before_is_never_adopted() {
    let app = TestApp::sqlite().await;
    let planted = "soit_session=AAAAAAAAAAAAAAAAAAAAAA";
    let victim = app.browser().header(COOKIE, planted);
    let answer = post_form(&victim, "/ui/sign-in", &ADMIN).await;
    assert_ne!(set_cookie(&answer, "soit_session").expect("a cookie"), planted);
    assert_eq!(victim.get("/w/default").await.status, 303);
}

#[tokio::test]
async fn signing_in_again_ends_the_session_before() {
    let app = TestApp::sqlite().await;
    let answer = post_form(&app.browser(), "/ui/sign-in", &ADMIN).await;
    let first = app.browser().header(COOKIE, &set_cookie(&answer, "soit_session").expect("a cookie"));
    let answer = post_form(&first, "/ui/sign-in", &ADMIN).await;
    assert!(set_cookie(&answer, "soit_session").is_some());
    assert_eq!(first.get("/w/default").await.status, 303);
}

#[tokio::test]
async fn the_console_and_the_api_do_not_share_credentials() {
    let app = TestApp::sqlite().await;
    let answer = post_form(&app.browser(), "/ui/sign-in", &ADMIN).await;
    let cookie = set_cookie(&answer, "soit_session").expect("a cookie");
    for caller in [app.anon(), app.browser()] {
        let refused = caller.header(COOKIE, &cookie).get("/api/v1/me").await;
        assert_eq!(refused.refusal(401), "unauthenticated");
    }
    let login = json!({ "email": ADMIN_EMAIL, "password": ADMIN_PASSWORD });
    let session = app.anon().post("/api/v1/login", login).await.expect(200);
    let with_bearer = app.browser().bearer(session["access_token"].as_str().expect("a token"));
    assert_eq!(with_bearer.get("/w/default").await.status, 303);
    assert_eq!(post_form(&with_bearer, "/ui/fn/list_sessions", &[]).await.status, 401);
}

#[tokio::test]
async fn a_form_of_somebody_signed_out_goes_on_after_signing_in() {
    let app = TestApp::sqlite().await;
    let page =
        app.browser().header(ACCEPT, "text/html").header(REFERER, "http://localhost:5000/w/default/keys?tab=keys");
    let answer = post_form(&page, "/ui/fn/revoke_other_sessions", &[]).await;
    assert_eq!((answer.status, answer.header("location")), (303, "/sign-in?next=%2Fw%2Fdefault%2Fkeys%3Ftab%3Dkeys"));
}

#[tokio::test]
async fn behind_tls_the_cookie_is_kept_to_its_host() {
    let app = TestApp::with_settings(&[("PUBLIC_URL", "https://soit.example.com")]).await;
    let answer = post_form(&app.browser(), "/ui/sign-in", &ADMIN).await;
    let line = cookies(&answer).into_iter().find(|line| line.starts_with("__Host-soit_session=")).expect("its line");
    assert!(line.contains("Secure") && line.contains("Path=/") && !line.contains("Domain"), "{line}");
    let cookie = set_cookie(&answer, "__Host-soit_session").expect("a cookie");
    let out = post_form(&app.browser().header(COOKIE, &cookie), "/ui/sign-out", &[]).await;
    assert!(cookies(&out).iter().any(|line| line.starts_with("__Host-soit_session=;") && line.contains("Secure")));
}

#[tokio::test]
async fn preferences_are_kept_in_a_cookie_without_power() {
    let app = TestApp::sqlite().await;
    let browser = app.browser().header(COOKIE, "soit_prefs=density=compact&theme=light");
    let form = [("theme", "dark"), ("lang", "<script>"), ("next", "/w/default/settings/appearance")];
    let answer = post_form(&browser, "/ui/prefs", &form).await;
    assert_eq!((answer.status, answer.header("location")), (303, "/w/default/settings/appearance"));
    let line = answer.header("set-cookie");
    assert!(line.starts_with("soit_prefs=theme=dark&density=compact;"), "{line}");
    assert!(!line.contains("HttpOnly"));
}

#[tokio::test]
async fn pages_carry_their_own_policy() {
    let app = TestApp::sqlite().await;
    let (one, two) = (app.browser().get("/sign-in").await, app.browser().get("/sign-in").await);
    let policy = one.header("content-security-policy");
    let nonce = policy.split("'nonce-").nth(1).and_then(|rest| rest.split('\'').next()).expect("a nonce");
    let expected = format!(
        "default-src 'none'; script-src 'self' 'nonce-{nonce}' 'wasm-unsafe-eval'; style-src 'self' 'nonce-{nonce}'; \
         style-src-attr 'unsafe-inline'; img-src 'self' data: blob:; font-src 'self'; connect-src 'self'; \
         form-action 'self'; base-uri 'none'; frame-ancestors 'none'; object-src 'none'"
    );
    assert_eq!(policy, expected);
    for (name, value) in [
        ("x-content-type-options", "nosniff"),
        ("referrer-policy", "same-origin"),
        ("cross-origin-opener-policy", "same-origin"),
        ("cross-origin-resource-policy", "same-origin"),
        ("permissions-policy", "camera=(), microphone=(), geolocation=()"),
        ("strict-transport-security", ""),
    ] {
        assert_eq!(one.header(name), value, "{name}");
    }
    assert_ne!(policy, two.header("content-security-policy"), "a nonce is used once");
    assert_eq!(one.header("cache-control"), "no-store");
    let nowhere = app.browser().get("/no-such-page").await;
    assert_eq!(nowhere.status, 404);
}

#[tokio::test]
async fn a_form_that_is_too_large_or_unreadable_is_told_so_in_plain_words() {
    let app = TestApp::sqlite().await;
    let home = first_home(&app).await;
    new_member(&app, &home, "ada@example.com", Role::Owner).await;
    let page = at_console(&app, "ada@example.com").await;
    let large = "x".repeat(70 * 1024);
    let refused = post_form(&page, "/ui/fn/update_me", &[("form[name]", &large)]).await;
    let problem = &refused.json()["problem"];
    let detail = "the form is larger than 64 KiB, shorten what is typed into it";
    assert_eq!((refused.status, &problem["code"], &problem["detail"]), (413, &json!("too_large"), &json!(detail)));
    let refused = post_form(&page, "/ui/prefs", &[("next", &large)]).await.expect(413);
    assert!(refused["detail"].as_str().is_some_and(|detail| detail.contains("64 KiB")), "{refused}");
    let back = post_form(&app.browser(), "/ui/sign-in", &[("email", &large), ("password", "x")]).await;
    assert_eq!((back.status, back.header("location")), (303, "/sign-in?error=too_large"));
    let unread = post_form(&page, "/ui/fn/set_model_enabled", &[("workspace", "default")]).await;
    let problem = &unread.json()["problem"];
    let detail = "the form cannot be read, load the page anew and send it again";
    assert_eq!((unread.status, &problem["code"], &problem["detail"]), (400, &json!("invalid"), &json!(detail)));
    let unread = page.header(SAME_ORIGIN.0, SAME_ORIGIN.1).post("/ui/fn/list_runs", json!({ "query": 5 })).await;
    let problem = &unread.json()["problem"];
    assert_eq!((unread.status, &problem["code"], &problem["detail"]), (400, &json!("invalid"), &json!(detail)));
}
