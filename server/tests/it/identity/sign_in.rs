use axum::http::Method;
use serde_json::json;
use types::identity::Role;

use super::people::{PASSWORD, first_home, new_member, signed_in};
use crate::util::test_app::{ADMIN_EMAIL, ADMIN_PASSWORD, TestApp, on_both};

on_both! {
    async fn the_first_account_signs_in_with_what_soit_came_with(app: TestApp) {
        let login = json!({ "email": ADMIN_EMAIL.to_uppercase(), "password": ADMIN_PASSWORD });
        let session = app.anon().post("/api/v1/login", login).await.expect(200);
        let mut fields: Vec<&str> = session.as_object().expect("an object").keys().map(String::as_str).collect();
        fields.sort_unstable();
        let expected =
            ["access_token", "expires_in", "refresh_token", "token_type", "user", "workspace_id", "workspaces"];
        assert_eq!(fields, expected);
        assert_eq!((session["token_type"].as_str(), session["expires_in"].as_u64()), (Some("Bearer"), Some(900)));
        assert_eq!(session["user"]["default_password"], true);
        assert_eq!(session["workspaces"][0]["role"], "owner");

        let me = app.anon().bearer(session["access_token"].as_str().expect("a token")).get("/api/v1/me").await.expect(200);
        assert_eq!(me["user"], session["user"]);
        assert_eq!((me["role"].as_str(), me["scope"].as_str()), (Some("owner"), Some("admin")));
        assert_eq!(me["workspace_id"], session["workspace_id"]);
    }

    async fn a_session_is_refreshed_and_ended(app: TestApp) {
        let login = json!({ "email": ADMIN_EMAIL, "password": ADMIN_PASSWORD });
        let first = app.anon().post("/api/v1/login", login).await.expect(200);
        let refresh = json!({ "refresh_token": first["refresh_token"] });
        let second = app.anon().post("/api/v1/refresh", refresh.clone()).await.expect(200);
        assert_eq!(app.anon().post("/api/v1/refresh", refresh).await.refusal(409), "refresh_conflict");
        let old = app.anon().bearer(first["access_token"].as_str().expect("a token"));
        assert_eq!(old.get("/api/v1/me").await.refusal(401), "invalid_credentials");

        let caller = app.anon().bearer(second["access_token"].as_str().expect("a token"));
        let listed = caller.get("/api/v1/me/sessions").await.expect(200);
        let sessions = listed["items"].as_array().expect("a list");
        assert_eq!(sessions.iter().filter(|session| session["current"] == true).count(), 1);
        caller.send(Method::POST, "/api/v1/logout", None).await.expect(204);
        assert_eq!(caller.get("/api/v1/me").await.refusal(401), "invalid_credentials");
        let refresh = json!({ "refresh_token": second["refresh_token"] });
        assert_eq!(app.anon().post("/api/v1/refresh", refresh).await.refusal(401), "invalid_credentials");
    }

    async fn a_new_password_ends_the_other_sessions(app: TestApp) {
        let home = first_home(&app).await;
        new_member(&app, &home, "ada@example.com", Role::Dev).await;
        let (here, elsewhere) = (signed_in(&app, "ada@example.com").await, signed_in(&app, "ada@example.com").await);
        let change = |current: &str, new: &str| json!({ "current_password": current, "new_password": new });
        let wrong = here.post("/api/v1/me/password", change("wrong", "tulip anchor seventeen")).await;
        assert_eq!(wrong.refusal(401), "invalid_credentials");
        let weak = here.post("/api/v1/me/password", change(PASSWORD, "password1234")).await;
        assert_eq!(weak.refusal(400), "weak_password");
        assert_eq!(weak.json()["errors"][0]["field"], "new_password");
        here.post("/api/v1/me/password", change(PASSWORD, "tulip anchor seventeen")).await.expect(204);
        here.get("/api/v1/me").await.expect(200);
        assert_eq!(elsewhere.get("/api/v1/me").await.refusal(401), "invalid_credentials");
    }

    async fn too_many_failures_make_an_account_wait(app: TestApp) {
        let login = |password: &str| json!({ "email": ADMIN_EMAIL, "password": password });
        for _ in 0..5 {
            assert_eq!(app.anon().post("/api/v1/login", login("wrong")).await.refusal(401), "invalid_credentials");
        }
        let sixth = app.anon().post("/api/v1/login", login(ADMIN_PASSWORD)).await;
        assert_eq!(sixth.refusal(429), "login_throttled");
        assert_eq!(sixth.header("retry-after"), "1");
        let unknown = json!({ "email": "nobody@example.com", "password": "wrong" });
        assert_eq!(app.anon().post("/api/v1/login", unknown).await.refusal(401), "invalid_credentials");
    }
}

#[tokio::test]
async fn wrong_fields_are_named() {
    let app = TestApp::sqlite().await;
    for (body, field) in [
        (json!({ "email": "a@b@c", "password": "x" }), "email"),
        (json!({ "email": ADMIN_EMAIL, "password": "x".repeat(129) }), "password"),
        (json!({ "email": ADMIN_EMAIL }), "password"),
        (json!({ "email": ADMIN_EMAIL, "password": "x", "otp": "1" }), "otp"),
    ] {
        let answer = app.anon().post("/api/v1/login", body).await;
        assert_eq!(answer.refusal(400), "invalid");
        assert_eq!(answer.json()["errors"][0]["field"], field);
    }
}

#[tokio::test]
async fn credentials_are_read_from_two_headers_and_nowhere_else() {
    let app = TestApp::sqlite().await;
    let login = json!({ "email": ADMIN_EMAIL, "password": ADMIN_PASSWORD });
    let session = app.anon().post("/api/v1/login", login).await.expect(200);
    let (token, refresh) =
        (session["access_token"].as_str().expect("a"), session["refresh_token"].as_str().expect("r"));
    let api_key = http::HeaderName::from_static("x-api-key");
    app.anon().header(api_key.clone(), token).get("/api/v1/me").await.expect(200);
    app.anon().bearer(token).header(api_key.clone(), token).get("/api/v1/me").await.expect(200);
    let both = app.anon().bearer(token).header(api_key, refresh).get("/api/v1/me").await;
    assert_eq!(both.refusal(400), "credentials_ambiguous");
    let none = app.anon().get(&format!("/api/v1/me?access_token={token}")).await;
    assert_eq!(none.refusal(401), "unauthenticated");
    assert_eq!(none.header("www-authenticate"), "Bearer realm=\"soit\"");
    assert_eq!(app.anon().bearer(refresh).get("/api/v1/me").await.refusal(401), "invalid_credentials");
    let mut flipped = token.to_owned();
    flipped.replace_range(10..11, if &flipped[10..11] == "A" { "B" } else { "A" });
    assert_eq!(app.anon().bearer(&flipped).get("/api/v1/me").await.refusal(401), "invalid_credentials");
}

#[tokio::test]
async fn what_is_offered_is_told_to_anybody() {
    let app = TestApp::sqlite().await;
    let offered = app.anon().get("/api/v1/auth/capabilities").await.expect(200);
    let expected = json!({
        "registration": false, "password_reset": false, "email_verification": false, "password_login": true, "sso": [],
    });
    assert_eq!(offered, expected);
}
