//! The second factor at the doors: setting it up, signing in with it, and workspaces that ask for it.

use axum::http::Method;
use axum::http::header::{ACCEPT, COOKIE, IF_MATCH};
use chrono::{DateTime, TimeDelta, Utc};
use serde_json::{Value, json};
use testkit::totp;
use types::identity::Role;

use super::people::{
    Home, PASSWORD, WORKSPACE_ID, at_console, first_home, new_home, new_member, post_form, set_cookie, signed_in,
};
use crate::util::test_app::{Answer, Caller, TestApp, on_both};

const ADA: &str = "ada@example.com";
const PAGE: &str = "/second-factor";

/// Somebody's authenticator app, which was confirmed by its present code: from now on it shows the next one.
struct App {
    secret: String,
    codes: Vec<String>,
}

impl App {
    /// Sets it up for whoever asks.
    async fn of(app: &TestApp, caller: &Caller) -> Self {
        let setup = caller.send(Method::POST, "/api/v1/me/mfa/setup", None).await.expect(200);
        let secret = text(&setup["secret"]);
        let code = totp::code(&secret, app.app.clock.now());
        let confirmed = caller.post("/api/v1/me/mfa/confirm", json!({ "code": code })).await.expect(200);
        let codes = confirmed["recovery_codes"].as_array().expect("codes").iter().map(text).collect();
        Self { secret, codes }
    }

    /// The code after the one it was confirmed by: within the step that may be early.
    fn next(&self, app: &TestApp) -> String {
        totp::code(&self.secret, app.app.clock.now() + TimeDelta::seconds(30))
    }
}

/// What stands inside the element of a page that has this mark.
fn inside(page: &Answer, mark: &str) -> String {
    let (_, rest) = page.text.split_once(&format!("data-testid=\"{mark}\"")).expect("the element");
    let (_, rest) = rest.split_once('>').expect("its inside");
    rest.split("</").next().unwrap_or_default().replace("<!>", "").trim().to_owned()
}

fn text(value: &Value) -> String {
    value.as_str().expect("a text").to_owned()
}

/// An owner with a second factor, with the session that set it up.
async fn ada(app: &TestApp, home: &Home) -> (Caller, App) {
    new_member(app, home, ADA, Role::Owner).await;
    let caller = signed_in(app, ADA).await;
    let factor = App::of(app, &caller).await;
    (caller, factor)
}

/// The first step of a sign-in: what the second takes.
async fn asked(app: &TestApp) -> String {
    let first = app.anon().post("/api/v1/login", json!({ "email": ADA, "password": PASSWORD })).await.expect(200);
    assert_eq!(first["mfa_required"], true, "{first}");
    text(&first["mfa_token"])
}

async fn answer(app: &TestApp, token: &str, code: &str) -> Answer {
    app.anon().post("/api/v1/login/mfa", json!({ "mfa_token": token, "code": code })).await
}

/// Makes a workspace ask for a second factor from a time on, or nobody.
async fn ask_from(caller: &Caller, home: &Home, from: Value) -> Answer {
    let path = format!("/api/v1/workspaces/{}", home.scope.workspace_id);
    let etag = caller.get(&path).await.header("etag").to_owned();
    let change = json!({ "require_mfa_from": from });
    caller.clone().header(IF_MATCH, &etag).send(Method::PATCH, &path, Some(change)).await
}

fn moment(at: DateTime<Utc>) -> Value {
    json!(at.to_rfc3339())
}

on_both! {
    async fn a_sign_in_asks_for_a_code_and_its_token_opens_nothing_else(app: TestApp) {
        let home = first_home(&app).await;
        new_member(&app, &home, ADA, Role::Owner).await;
        let caller = signed_in(&app, ADA).await;
        let before = caller.get("/api/v1/me/mfa").await.expect(200);
        assert_eq!((&before["enabled"], &before["session"]), (&json!(false), &json!("none")));
        let setup = caller.send(Method::POST, "/api/v1/me/mfa/setup", None).await;
        let (secret, uri) = (text(&setup.expect(200)["secret"]), text(&setup.json()["otpauth_uri"]));
        assert_eq!(secret.len(), 32, "160 bits in base32");
        assert!(uri.starts_with("otpauth://totp/soit:") && uri.contains("issuer=soit") && uri.contains(&secret), "{uri}");
        assert!(text(&setup.json()["qr_svg"]).contains("<svg"));
        let wrong = caller.post("/api/v1/me/mfa/confirm", json!({ "code": "000000" })).await;
        assert_eq!(wrong.refusal(401), "invalid_code");
        let factor = App::of(&app, &caller).await;

        let asked = app.anon().post("/api/v1/login", json!({ "email": ADA, "password": PASSWORD })).await.expect(200);
        let mut fields: Vec<&str> = asked.as_object().expect("an object").keys().map(String::as_str).collect();
        fields.sort_unstable();
        assert_eq!(fields, ["expires_in", "methods", "mfa_required", "mfa_token"]);
        assert_eq!((&asked["methods"], &asked["expires_in"]), (&json!(["totp", "recovery_code"]), &json!(300)));
        let token = text(&asked["mfa_token"]);
        for path in ["/api/v1/me", "/api/v1/runs", "/api/v1/me/mfa", "/v1/models"] {
            assert_eq!(app.anon().bearer(&token).get(path).await.status, 401, "{path}");
        }
        let refreshed = app.anon().post("/api/v1/refresh", json!({ "refresh_token": token })).await;
        assert_eq!(refreshed.refusal(401), "invalid_credentials");

        let logged_in = answer(&app, &token, &factor.next(&app)).await.expect(200);
        let session = app.anon().bearer(&text(&logged_in["access_token"]));
        let me = session.get("/api/v1/me").await.expect(200);
        assert_eq!((&me["user"], &me["second_factor"]), (&logged_in["user"], &json!(true)));
        assert_eq!(session.get("/api/v1/me/mfa").await.expect(200)["session"], "totp");
        let listed = session.get("/api/v1/me/sessions").await.expect(200);
        let levels: Vec<&str> = listed["items"].as_array().expect("a list").iter().filter_map(|each| each["mfa"].as_str()).collect();
        assert!(levels.contains(&"totp"), "{listed}");
        let refresh = json!({ "refresh_token": logged_in["refresh_token"] });
        let refreshed = app.anon().post("/api/v1/refresh", refresh).await.expect(200);
        let refreshed = app.anon().bearer(&text(&refreshed["access_token"]));
        assert_eq!(refreshed.get("/api/v1/me/mfa").await.expect(200)["session"], "totp");
    }

    async fn a_code_and_a_question_are_used_once(app: TestApp) {
        let home = first_home(&app).await;
        let (caller, factor) = ada(&app, &home).await;
        let (first, second) = (asked(&app).await, asked(&app).await);
        let code = factor.next(&app);
        answer(&app, &first, &code).await.expect(200);
        assert_eq!(answer(&app, &first, &factor.codes[0]).await.refusal(401), "challenge_expired");
        assert_eq!(answer(&app, &second, &code).await.refusal(401), "invalid_code");
        assert_eq!(caller.post("/api/v1/me/step-up", json!({ "code": code })).await.refusal(401), "invalid_code");
        answer(&app, &second, &factor.codes[0]).await.expect(200);
        let third = asked(&app).await;
        assert_eq!(answer(&app, &third, &factor.codes[0]).await.refusal(401), "invalid_code");
        assert_eq!(caller.get("/api/v1/me/mfa").await.expect(200)["recovery_codes_left"], 9);

        let renewed = caller.send(Method::POST, "/api/v1/me/mfa/recovery-codes", None).await.expect(200);
        assert_eq!(answer(&app, &third, &factor.codes[1]).await.refusal(401), "invalid_code");
        answer(&app, &third, &text(&renewed["recovery_codes"][0])).await.expect(200);
        let made_up = answer(&app, &format!("sm_{}", "0".repeat(49)), &factor.codes[2]).await;
        assert_eq!(made_up.refusal(401), "challenge_expired");
    }

    async fn guessing_codes_is_ended_and_then_waits(app: TestApp) {
        let home = first_home(&app).await;
        let (_, factor) = ada(&app, &home).await;
        for _ in 0..2 {
            let token = asked(&app).await;
            for _ in 0..5 {
                assert_eq!(answer(&app, &token, "000000").await.refusal(401), "invalid_code");
            }
            let ended = answer(&app, &token, &factor.codes[0]).await;
            assert!(["challenge_expired", "login_throttled"].contains(&text(&ended.json()["code"]).as_str()));
        }
        let refused = answer(&app, &asked(&app).await, &factor.codes[0]).await;
        assert_eq!(refused.refusal(429), "login_throttled");
        let wait: u64 = refused.header("retry-after").parse().expect("seconds");
        assert!((1..=900).contains(&wait), "{wait}");
    }

    async fn many_who_use_one_code_at_once_open_one_session(app: TestApp) {
        let home = first_home(&app).await;
        let (_, factor) = ada(&app, &home).await;
        let mut tokens = Vec::new();
        for _ in 0..6 {
            tokens.push(asked(&app).await);
        }
        let code = factor.next(&app);
        let answers = futures::future::join_all(tokens.iter().map(|token| answer(&app, token, &code))).await;
        let statuses: Vec<u16> = answers.iter().map(|answer| answer.status).collect();
        assert_eq!(statuses.iter().filter(|status| **status == 200).count(), 1, "{statuses:?}");
        assert!(statuses.iter().all(|status| [200, 401].contains(status)), "{statuses:?}");
    }

    async fn a_workspace_lets_in_only_who_has_one(app: TestApp) {
        let home = first_home(&app).await;
        let (caller, factor) = ada(&app, &home).await;
        new_member(&app, &home, "ben@example.com", Role::Admin).await;
        let ben = signed_in(&app, "ben@example.com").await;
        let ben_console = at_console(&app, "ben@example.com").await;
        let key = async |caller: &Caller| {
            let made = caller.post("/api/v1/api-keys", json!({ "name": "k", "scopes": ["write"] })).await.expect(201);
            app.anon().bearer(&text(&made["api_key"]))
        };
        let (ben_key, ada_key) = (key(&ben).await, key(&caller).await);
        let now = app.app.clock.now();
        let refused = ask_from(&ben, &home, moment(now)).await;
        assert_eq!(refused.refusal(400), "invalid");
        assert_eq!(refused.json()["errors"][0]["field"], "require_mfa_from");
        ask_from(&caller, &home, moment(now + TimeDelta::days(1))).await.expect(200);
        ben.get("/api/v1/runs").await.expect(200);
        let set = ask_from(&caller, &home, moment(now)).await.expect(200);
        assert!(set["require_mfa_from"].is_string(), "{set}");

        for path in ["/api/v1/runs", "/api/v1/api-keys", "/v1/models"] {
            let refused = [ben.get(path).await, ben_key.get(path).await];
            assert!(refused.iter().all(|answer| answer.status == 403 && answer.text.contains("mfa_required")), "{path}");
            assert_eq!([caller.get(path).await.status, ada_key.get(path).await.status], [200, 200], "{path}");
        }
        let chat = json!({ "model": "model:test:echo", "messages": [{ "role": "user", "content": "hi" }] });
        assert_eq!(ben_key.post("/v1/chat/completions", chat).await.expect(403)["error"]["code"], "mfa_required");
        ben.get("/api/v1/me").await.expect(200);
        ben.get("/api/v1/me/sessions").await.expect(200);

        // At the console the way leads on.
        let closed = ben_console.get("/w/default/runs").await;
        assert_eq!(closed.status, 403);
        assert!(closed.text.contains("/second-factor?next=/w/default/runs"), "{}", closed.text);
        let root = at_console(&app, "ben@example.com").await.header(ACCEPT, "text/html").get("/").await;
        assert_eq!((root.status, root.header("location")), (302, "/w/default"), "no dead end");

        App::of(&app, &ben).await;
        ben.get("/api/v1/runs").await.expect(200);
        ben_key.get("/api/v1/runs").await.expect(200);
        assert_eq!(ben_console.get("/w/default/runs").await.status, 403, "a session from before has not proved it");

        let disabled = caller.send(Method::POST, "/api/v1/me/mfa/disable", None).await;
        assert_eq!(disabled.refusal(409), "mfa_enforced");
        ask_from(&caller, &home, Value::Null).await.expect(200);
        caller.send(Method::POST, "/api/v1/me/mfa/disable", None).await.expect(204);
        let login = app.anon().post("/api/v1/login", json!({ "email": ADA, "password": PASSWORD })).await.expect(200);
        assert!(login["access_token"].is_string(), "the password alone will do again");
        assert_eq!(caller.post("/api/v1/me/step-up", json!({ "code": factor.codes[0] })).await.refusal(400), "invalid");
    }

    async fn another_workspace_asks_for_itself_alone(app: TestApp) {
        let (home, other) = (first_home(&app).await, new_home(&app, "other").await);
        let (caller, _) = ada(&app, &home).await;
        let ben = new_member(&app, &home, "ben@example.com", Role::Dev).await;
        super::people::join(&app, &other, ben, types::identity::TenantRole::Owner, Some(Role::Owner)).await;
        ask_from(&caller, &home, moment(app.app.clock.now())).await.expect(200);
        let ben = signed_in(&app, "ben@example.com").await;
        let at = async |home: &Home| {
            let named = ben.clone().header(WORKSPACE_ID, &home.scope.workspace_id.to_string());
            named.get("/api/v1/runs").await
        };
        assert_eq!(at(&home).await.refusal(403), "mfa_required");
        at(&other).await.expect(200);
        let foreign = ask_from(&ben, &other, moment(app.app.clock.now())).await;
        assert_eq!(foreign.refusal(400), "invalid", "who sets it has one");
        let outside = caller.header(WORKSPACE_ID, &other.scope.workspace_id.to_string());
        assert_eq!(outside.get("/api/v1/runs").await.refusal(404), "not_found", "a second factor opens no other door");
    }

    async fn the_console_signs_in_in_two_steps_without_scripts(app: TestApp) {
        let home = first_home(&app).await;
        let (_, factor) = ada(&app, &home).await;
        let form = [("email", ADA), ("password", PASSWORD), ("next", "/w/default/runs?status=failed")];
        let first = post_form(&app.browser(), "/ui/sign-in", &form).await;
        let location = first.header("location").to_owned();
        assert_eq!((first.status, location.as_str()), (303, "/mfa?next=%2Fw%2Fdefault%2Fruns%3Fstatus%3Dfailed"));
        assert!(set_cookie(&first, "soit_session").is_none() && set_cookie(&first, "soit_device").is_none());
        let line = |answer: &Answer| {
            let lines = answer.headers.get_all("set-cookie").iter().filter_map(|value| value.to_str().ok());
            lines.filter(|line| line.starts_with("soit_mfa=")).map(str::to_owned).next().expect("the cookie's line")
        };
        for attribute in ["HttpOnly", "SameSite=Lax", "Path=/ui/mfa", "Max-Age=300"] {
            assert!(line(&first).contains(attribute), "{}", line(&first));
        }
        let cookie = set_cookie(&first, "soit_mfa").expect("the question");
        let page = app.browser().get(&location).await;
        assert!(page.status == 200 && page.text.contains("action=\"/ui/mfa\"") && page.text.contains("name=\"code\""));
        assert!(page.text.contains("value=\"/w/default/runs?status=failed\"") && !page.text.contains(&cookie[9..]));

        let browser = app.browser().header(COOKIE, &cookie);
        assert_eq!(browser.get("/w/default").await.status, 303, "the question is no session");
        let send = async |code: &str, next: &str| post_form(&browser, "/ui/mfa", &[("code", code), ("next", next)]).await;
        let wrong = send("000000", "/w/default/runs").await;
        assert_eq!((wrong.status, wrong.header("location")), (303, "/mfa?error=invalid_code&next=%2Fw%2Fdefault%2Fruns"));
        assert!(app.browser().get(wrong.header("location")).await.text.contains("data-code=\"invalid_code\""));
        let done = send(&factor.next(&app), "/w/default/runs").await;
        assert_eq!((done.status, done.header("location")), (303, "/w/default/runs"));
        assert!(line(&done).contains("soit_mfa=;") && line(&done).contains("Max-Age=0"));
        assert!(set_cookie(&done, "soit_device").is_some());
        let inside = app.browser().header(COOKIE, &set_cookie(&done, "soit_session").expect("a session"));
        assert_eq!(inside.get("/w/default").await.status, 200);

        let again = send(&factor.codes[0], "/w/default/runs").await;
        assert_eq!(again.header("location"), "/sign-in?error=challenge_expired&next=%2Fw%2Fdefault%2Fruns");
        for next in ["//evil.test", "https://evil.test", "/\\evil.test"] {
            let first = post_form(&app.browser(), "/ui/sign-in", &[("email", ADA), ("password", PASSWORD), ("next", next)]).await;
            assert_eq!(first.header("location"), "/mfa", "{next}");
            let refused = send("000000", next).await;
            assert!(!refused.header("location").contains("evil"), "{}", refused.header("location"));
        }
        let none = post_form(&app.browser(), "/ui/mfa", &[("code", "123456")]).await;
        assert_eq!(none.header("location"), "/sign-in?error=challenge_expired");
        let incomplete = post_form(&browser, "/ui/mfa", &[]).await;
        assert_eq!(incomplete.header("location"), "/mfa?error=invalid");
    }

    async fn it_is_set_up_and_managed_at_the_console_without_scripts(app: TestApp) {
        let home = first_home(&app).await;
        new_member(&app, &home, ADA, Role::Owner).await;
        let first = at_console(&app, ADA).await.header(ACCEPT, "text/html");
        assert!(first.get("/w/default/settings/profile").await.text.contains("/second-factor?next=/w/default/settings/profile"));
        assert!(first.get(PAGE).await.text.contains("data-state=\"off\""));
        let shown = post_form(&first, PAGE, &[("do", "set_up")]).await;
        assert_eq!(shown.status, 200, "{}", shown.text);
        assert!(shown.text.contains("src=\"data:image/svg+xml;base64,"), "{}", shown.text);
        let secret = inside(&shown, "secret");
        let later = first.get(PAGE).await;
        assert!(!later.text.contains(&secret) && later.text.contains("value=\"confirm\""), "shown once: {}", later.text);

        let wrong = post_form(&first, PAGE, &[("do", "confirm"), ("code", "000000")]).await;
        assert!(wrong.status == 401 && wrong.text.contains("data-code=\"invalid_code\""), "{}", wrong.text);
        let code = totp::code(&secret, app.app.clock.now());
        let confirmed = post_form(&first, PAGE, &[("do", "confirm"), ("code", &code)]).await;
        assert_eq!(confirmed.status, 200, "{}", confirmed.text);
        let codes = inside(&confirmed, "codes");
        let codes: Vec<&str> = codes.lines().map(str::trim).collect();
        assert!(codes.len() == 10 && codes.iter().all(|code| code.len() == 19), "{codes:?}");
        assert!(confirmed.text.contains("download=\"soit-recovery-codes.txt\""));
        let second = set_cookie(&confirmed, "soit_session").expect("a new cookie");
        let second = app.browser().header(COOKIE, &second).header(ACCEPT, "text/html");
        assert_eq!(first.get(PAGE).await.status, 303, "the old one is over");
        let page = second.get(PAGE).await;
        assert!(page.text.contains("data-state=\"on\"") && !codes.iter().any(|code| page.text.contains(code)));
        assert!(second.get("/w/default/settings/sessions").await.text.contains("Second factor"));

        let proven = post_form(&second, PAGE, &[("do", "prove"), ("code", codes[0])]).await;
        assert_eq!(proven.status, 200, "{}", proven.text);
        let third = set_cookie(&proven, "soit_session").expect("a new cookie");
        let third = app.browser().header(COOKIE, &third).header(ACCEPT, "text/html");
        let renewed = post_form(&third, PAGE, &[("do", "renew")]).await;
        assert!(renewed.status == 200 && renewed.text.contains("data-testid=\"codes\"") && !renewed.text.contains(codes[1]));
        let disabled = post_form(&third, PAGE, &[("do", "disable")]).await;
        assert!(disabled.status == 200 && disabled.text.contains("data-state=\"off\""), "{}", disabled.text);
        let unknown = post_form(&third, PAGE, &[("do", "nonsense")]).await;
        assert!(unknown.status == 200 && unknown.text.contains("data-state=\"off\""));
    }
}

#[tokio::test]
async fn wrong_fields_of_the_second_factor_are_named() {
    let app = TestApp::sqlite().await;
    let admin = app.admin().await;
    for (path, body, field) in [
        ("/api/v1/login/mfa", json!({ "mfa_token": "sm_x" }), "code"),
        ("/api/v1/login/mfa", json!({ "mfa_token": "sm_x", "code": 123456 }), "code"),
        ("/api/v1/login/mfa", json!({ "mfa_token": "sm_x", "code": "1", "remember": true }), "remember"),
        ("/api/v1/me/mfa/confirm", json!({}), "code"),
        ("/api/v1/me/step-up", json!({}), "password"),
        ("/api/v1/me/step-up", json!({ "password": "x", "code": "1" }), "code"),
        ("/api/v1/me/step-up", json!({ "code": "123456" }), "code"),
    ] {
        let refused = admin.post(path, body.clone()).await;
        assert_eq!(refused.refusal(400), "invalid", "{path} {body}");
        assert_eq!(refused.json()["errors"][0]["field"], field, "{path} {body}");
    }
    let nothing = admin.post("/api/v1/me/mfa/confirm", json!({ "code": "123456" })).await;
    assert_eq!(nothing.refusal(409), "invalid_transition");
    let nothing = admin.send(Method::POST, "/api/v1/me/mfa/recovery-codes", None).await;
    assert_eq!(nothing.refusal(409), "invalid_transition");
    admin.send(Method::POST, "/api/v1/me/mfa/disable", None).await.expect(204);
    let home = first_home(&app).await;
    let soon = ask_from(&admin, &home, json!("soon")).await;
    assert_eq!(soon.refusal(400), "invalid");
    assert_eq!(soon.json()["errors"][0]["field"], "require_mfa_from");
}

#[tokio::test]
async fn a_key_cannot_touch_a_second_factor() {
    let app = TestApp::sqlite().await;
    let key = app.key(&["admin"]).await;
    for (method, path) in [
        (Method::GET, "/api/v1/me/mfa"),
        (Method::POST, "/api/v1/me/mfa/setup"),
        (Method::POST, "/api/v1/me/mfa/recovery-codes"),
        (Method::POST, "/api/v1/me/mfa/disable"),
    ] {
        assert_eq!(key.send(method, path, None).await.refusal(403), "scope_required", "{path}");
    }
}

#[tokio::test]
async fn a_form_of_a_workspace_keeps_what_it_does_not_have() {
    let app = TestApp::sqlite().await;
    let home = first_home(&app).await;
    let (caller, factor) = ada(&app, &home).await;
    ask_from(&caller, &home, json!("2099-01-01T00:00:00Z")).await.expect(200);
    let form = [("email", ADA), ("password", PASSWORD)];
    let first = post_form(&app.browser(), "/ui/sign-in", &form).await;
    let browser = app.browser().header(COOKIE, &set_cookie(&first, "soit_mfa").expect("the question"));
    let done = post_form(&browser, "/ui/mfa", &[("code", &factor.next(&app))]).await;
    let console = app.browser().header(COOKIE, &set_cookie(&done, "soit_session").expect("a session"));
    let page = console.get("/w/default/settings/workspace").await;
    assert!(page.text.contains("value=\"2099-01-01\""), "{}", page.text);
    let path = format!("/api/v1/workspaces/{}", home.scope.workspace_id);
    let save = async |more: &[(&str, &str)]| {
        let version = caller.get(&path).await.expect(200)["version"].to_string();
        let form = [
            ("workspace", "default"),
            ("version", &version),
            ("form[name]", "Default"),
            ("form[unpriced_call_policy]", "allow"),
            ("form[content_capture]", "full"),
        ];
        let saved = post_form(&console, "/ui/fn/update_workspace", &[&form, more].concat()).await;
        assert_eq!(saved.status, 200, "{}", saved.text);
        caller.get(&path).await.expect(200)["require_mfa_from"].clone()
    };
    assert_eq!(save(&[]).await, "2099-01-01T00:00:00Z", "a page of an older build has no such field");
    assert_eq!(save(&[("form[require_mfa_from]", "2098-05-01")]).await, "2098-05-01T00:00:00Z");
    assert_eq!(save(&[("form[require_mfa_from]", "")]).await, Value::Null);
}
