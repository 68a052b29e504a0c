use axum::http::Method;
use axum::http::header::LOCATION;
use serde_json::{Value, json};
use types::identity::Role;

use super::people::{Home, PASSWORD, at_console, first_home, new_home, new_member, post_form, signed_in};
use crate::util::test_app::{Answer, Caller, TestApp, on_both};

fn invitations(home: &Home) -> String {
    format!("/api/v1/workspaces/{}/invitations", home.scope.workspace_id)
}

/// Invites; the invitation and the token behind the `#` of its link.
async fn invite(caller: &Caller, home: &Home, email: &str, role: &str) -> (Value, String) {
    let issued = caller.post(&invitations(home), json!({ "email": email, "role": role })).await.expect(201);
    let link = issued["link"].as_str().expect("a link");
    let (page, token) = link.split_once('#').expect("a fragment");
    assert!(page.ends_with("/invite") && token.starts_with("si_") && token.len() == 52, "{link}");
    (issued["item"].clone(), token.to_owned())
}

async fn accept(caller: &Caller, token: &str) -> Answer {
    let body = json!({ "token": token, "name": "Guest", "password": PASSWORD });
    caller.post("/api/v1/invitations/accept", body).await
}

async fn owner(app: &TestApp, home: &Home) -> Caller {
    new_member(app, home, "ada@example.com", Role::Owner).await;
    signed_in(app, "ada@example.com").await
}

on_both! {
    async fn an_invitation_works_once_for_its_address(app: TestApp) {
        let home = first_home(&app).await;
        let ada = owner(&app, &home).await;
        let (item, token) = invite(&ada, &home, "Guest@example.com", "Dev").await;
        assert_eq!((item["status"].as_str(), item["role"].as_str()), (Some("pending"), Some("dev")));
        let accepted = accept(&app.anon(), &token).await.expect(200);
        assert_eq!(accepted["workspace_slug"], home.slug.as_str());
        let guest = signed_in(&app, "guest@example.com").await;
        let me = guest.get("/api/v1/me").await.expect(200);
        assert_eq!((me["role"].as_str(), &me["user"]["id"]), (Some("dev"), &accepted["user_id"]));
        assert_eq!(accept(&app.anon(), &token).await.refusal(409), "invitation_used");
        let listed = ada.get(&invitations(&home)).await;
        assert_eq!(listed.expect(200)["items"][0]["status"], "accepted");
        assert!(!listed.text.contains(&token));
    }

    async fn who_has_an_account_joins_signed_in(app: TestApp) {
        let (home, other) = (first_home(&app).await, new_home(&app, "other").await);
        let ada = owner(&app, &home).await;
        new_member(&app, &other, "bob@example.com", Role::Owner).await;
        new_member(&app, &other, "eve@example.com", Role::Owner).await;
        let (_, token) = invite(&ada, &home, "bob@example.com", "viewer").await;
        assert_eq!(accept(&app.anon(), &token).await.refusal(401), "unauthenticated");
        assert_eq!(accept(&app.anon().bearer("sk_made_up"), &token).await.refusal(401), "invalid_credentials");
        let eve = accept(&signed_in(&app, "eve@example.com").await, &token).await;
        assert_eq!(eve.refusal(404), "not_found");
        let bob = signed_in(&app, "bob@example.com").await;
        bob.post("/api/v1/invitations/accept", json!({ "token": token })).await.expect(200);
        let mine = bob.get("/api/v1/me/workspaces").await.expect(200);
        assert_eq!(mine["items"].as_array().map(Vec::len), Some(2));
    }

    async fn a_new_one_supersedes_the_old_and_one_taken_back_is_not_there(app: TestApp) {
        let home = first_home(&app).await;
        let ada = owner(&app, &home).await;
        let (_, first) = invite(&ada, &home, "guest@example.com", "viewer").await;
        let (item, second) = invite(&ada, &home, "guest@example.com", "viewer").await;
        let made_up = accept(&app.anon(), &first.replace("si_", "sa_")).await;
        let superseded = accept(&app.anon(), &first).await;
        assert_eq!((superseded.refusal(404), made_up.refusal(404)), ("not_found".to_owned(), "not_found".to_owned()));
        assert_eq!(superseded.json()["detail"], made_up.json()["detail"], "nothing tells the two apart");
        let path = format!("/api/v1/invitations/{}", item["id"].as_str().expect("an id"));
        for _ in 0..2 {
            ada.send(Method::DELETE, &path, None).await.expect(204);
        }
        assert_eq!(accept(&app.anon(), &second).await.refusal(404), "not_found");
    }

    async fn invitations_of_a_foreign_workspace_are_not_there(app: TestApp) {
        let (home, other) = (first_home(&app).await, new_home(&app, "other").await);
        let ada = owner(&app, &home).await;
        new_member(&app, &other, "bob@example.com", Role::Owner).await;
        let bob = signed_in(&app, "bob@example.com").await;
        let (item, _) = invite(&ada, &home, "guest@example.com", "viewer").await;
        let there = bob.get(&invitations(&home)).await;
        let path = format!("/api/v1/invitations/{}", item["id"].as_str().expect("an id"));
        let unknown = "/api/v1/invitations/inv_01kg1000000000000000000000";
        let (known, unknown) = (bob.send(Method::DELETE, &path, None).await, bob.send(Method::DELETE, unknown, None).await);
        assert_eq!((there.status, known.status, unknown.status), (404, 404, 404));
        assert_eq!(known.json()["detail"], unknown.json()["detail"]);
    }

    async fn an_invitation_is_accepted_without_scripts(app: TestApp) {
        let home = first_home(&app).await;
        new_member(&app, &home, "ada@example.com", Role::Owner).await;
        let ada = at_console(&app, "ada@example.com").await;
        let form = [("workspace", home.slug.as_str()), ("form[email]", "guest@example.com"), ("form[role]", "dev")];
        let invitation = post_form(&ada, "/ui/fn/create_invitation", &form).await;
        let id = invitation.expect(200)["id"].as_str().expect("an id").to_owned();
        let page = format!("/w/{}/access/invitations/{id}/reveal", home.slug);
        let before = ada.get(&page).await;
        let shown = post_form(&ada, &page, &[]).await;
        let after = post_form(&ada, &page, &[]).await;
        let (_, rest) = shown.text.split_once("/invite#").expect("the link");
        let token: String = rest.chars().take(52).collect();
        assert!(!before.text.contains(&token) && !after.text.contains(&token), "shown once, by a POST");

        let nobody = app.browser();
        assert_eq!(nobody.get("/invite").await.status, 200);
        let weak = [("token", token.as_str()), ("name", "Guest"), ("password", "password1234")];
        let refused = post_form(&nobody, "/ui/invite", &weak).await;
        assert_eq!((refused.status, refused.header(LOCATION.as_str())), (303, "/invite?error=weak_password"));
        let good = [("token", token.as_str()), ("name", "Guest"), ("password", PASSWORD)];
        let joined = post_form(&nobody, "/ui/invite", &good).await;
        assert_eq!((joined.status, joined.header(LOCATION.as_str())), (303, "/w/default"));
        let guest = at_console(&app, "guest@example.com").await;
        assert_eq!(guest.get("/w/default").await.status, 200);
        let again = post_form(&nobody, "/ui/invite", &good).await;
        assert_eq!(again.header(LOCATION.as_str()), "/invite?error=invitation_used");
    }
}

#[tokio::test]
async fn an_invitation_is_good_for_as_long_as_it_is_set() {
    let app = TestApp::with_settings(&[("INVITATION_EXPIRE_DAYS", "3")]).await;
    let home = first_home(&app).await;
    let (item, _) = invite(&app.admin().await, &home, "guest@example.com", "viewer").await;
    let time =
        |name: &str| item[name].as_str().expect("a time").parse::<chrono::DateTime<chrono::Utc>>().expect("a time");
    assert_eq!(time("expires_at") - time("created_at"), chrono::TimeDelta::days(3));
}

#[tokio::test]
async fn what_is_wrong_with_an_invitation_is_named() {
    let app = TestApp::sqlite().await;
    let home = first_home(&app).await;
    let admin = app.admin().await;
    let (_, token) = invite(&admin, &home, "guest@example.com", "viewer").await;
    for (body, code, field) in [
        (json!({ "token": token }), "invalid", "name"),
        (json!({ "token": token, "name": "G" }), "invalid", "password"),
        (json!({ "token": token, "name": "G", "password": "x".repeat(129) }), "weak_password", "password"),
        (json!({ "token": token, "name": "G", "email": "else@example.com" }), "invalid", "email"),
    ] {
        let answer = app.anon().post("/api/v1/invitations/accept", body).await;
        assert_eq!(answer.refusal(400), code, "{}", answer.text);
        assert_eq!(answer.json()["errors"][0]["field"], field);
    }
    for (body, field) in [
        (json!({ "email": "nobody", "role": "viewer" }), "email"),
        (json!({ "email": "a@example.com", "role": "root" }), "role"),
    ] {
        let answer = admin.post(&invitations(&home), body).await;
        assert_eq!((answer.refusal(400).as_str(), &answer.json()["errors"][0]["field"]), ("invalid", &json!(field)));
    }
    let member = admin.post(&invitations(&home), json!({ "email": "admin@example.com", "role": "viewer" })).await;
    assert_eq!(member.refusal(409), "already_exists");
}
