use axum::http::Method;
use axum::http::header::IF_MATCH;
use serde_json::{Value, json};
use types::id::UserId;
use types::identity::{Role, TenantRole};

use super::people::{
    Home, WORKSPACE_ID, at_console, first_home, join, new_home, new_member, new_user, place_of, post_form, signed_in,
};
use crate::util::sse::Events;
use crate::util::test_app::{Answer, Caller, TestApp, on_both};

fn members(home: &Home) -> String {
    format!("/api/v1/workspaces/{}/members", home.scope.workspace_id)
}

fn member(home: &Home, id: UserId) -> String {
    format!("{}/{id}", members(home))
}

async fn set_role(caller: &Caller, path: &str, role: &str) -> Answer {
    let seen = caller.get(path).await;
    let caller = caller.clone().header(IF_MATCH, seen.header("etag"));
    caller.send(Method::PATCH, path, Some(json!({ "role": role }))).await
}

on_both! {
    async fn members_are_added_changed_and_removed(app: TestApp) {
        let home = first_home(&app).await;
        new_member(&app, &home, "ada@example.com", Role::Owner).await;
        let ada = signed_in(&app, "ada@example.com").await;
        let newcomer = new_user(&app, "new@example.com", false).await;
        let add = json!({ "email": "New@example.com", "role": "Dev" });
        assert_eq!(ada.post(&members(&home), add.clone()).await.refusal(404), "not_found");
        join(&app, &home, newcomer, TenantRole::Member, None).await;
        let added = ada.post(&members(&home), add.clone()).await;
        let made = added.expect(201);
        assert_eq!((made["role"].as_str(), made["tenant_role"].as_str()), (Some("dev"), Some("member")));
        assert_eq!(made["user_id"], newcomer.to_string());
        assert_eq!(added.header("etag"), "\"1\"");
        assert_eq!(ada.post(&members(&home), add).await.refusal(409), "already_exists");

        let path = member(&home, newcomer);
        assert_eq!(ada.send(Method::PATCH, &path, Some(json!({ "role": "viewer" }))).await.refusal(428), "precondition_required");
        assert_eq!(set_role(&ada, &path, "VIEWER").await.expect(200)["role"], "viewer");
        let names = |page: Value| page["items"].as_array().expect("a list").iter().map(|item| item["user_id"].clone()).collect::<Vec<_>>();
        let first = ada.get(&format!("{}?limit=2", members(&home))).await.expect(200);
        let cursor = first["next_cursor"].as_str().expect("another page").to_owned();
        let rest = ada.get(&format!("{}?limit=2&cursor={cursor}", members(&home))).await.expect(200);
        assert_eq!((names(first).len(), names(rest)), (2, vec![json!(newcomer)]));

        ada.send(Method::DELETE, &path, None).await.expect(204);
        assert_eq!(ada.get(&path).await.refusal(404), "not_found");
        assert_eq!(ada.send(Method::DELETE, &path, None).await.refusal(404), "not_found");
        let back = ada.post(&members(&home), json!({ "user_id": newcomer, "role": "dev" })).await.expect(201);
        assert_eq!(back["version"], 4, "versions go on");
    }

    async fn the_last_owner_stays_and_only_an_owner_makes_one(app: TestApp) {
        let home = new_home(&app, "acme").await;
        let ada_id = new_member(&app, &home, "ada@example.com", Role::Owner).await;
        let admin_id = new_member(&app, &home, "admin2@example.com", Role::Admin).await;
        let (ada, admin) = (signed_in(&app, "ada@example.com").await, signed_in(&app, "admin2@example.com").await);
        let (of_ada, of_admin) = (member(&home, ada_id), member(&home, admin_id));
        assert_eq!(set_role(&ada, &of_ada, "admin").await.refusal(409), "last_owner");
        assert_eq!(ada.send(Method::DELETE, &of_ada, None).await.refusal(409), "last_owner");
        assert_eq!(set_role(&admin, &of_admin, "owner").await.refusal(403), "role_required");
        let refused = admin.send(Method::DELETE, &of_ada, None).await;
        assert_eq!(refused.refusal(403), "role_required");
        assert_eq!(refused.json()["permission"]["roles"], json!(["owner"]));
        set_role(&ada, &of_admin, "owner").await.expect(200);
        ada.send(Method::DELETE, &of_ada, None).await.expect(204);
        let left = ada.clone().header(WORKSPACE_ID, &home.scope.workspace_id.to_string()).get("/api/v1/runs").await;
        assert_eq!(left.refusal(404), "not_found");
        ada.get("/api/v1/me").await.expect(200);
    }

    async fn two_owners_who_demote_each_other_at_once_leave_one(app: TestApp) {
        let home = new_home(&app, "acme").await;
        let one = new_member(&app, &home, "one@example.com", Role::Owner).await;
        let other = new_member(&app, &home, "other@example.com", Role::Owner).await;
        let callers = (signed_in(&app, "one@example.com").await, signed_in(&app, "other@example.com").await);
        let (of_one, of_other) = (member(&home, one), member(&home, other));
        let (first, second) =
            tokio::join!(set_role(&callers.0, &of_other, "viewer"), set_role(&callers.1, &of_one, "viewer"));
        let mut outcomes = [first.status, second.status];
        outcomes.sort_unstable();
        assert_eq!(outcomes, [200, 403], "{} {}", first.text, second.text);
        let keeper = if first.status == 200 { &callers.0 } else { &callers.1 };
        let listed = keeper.get(&members(&home)).await.expect(200);
        let owners = listed["items"].as_array().expect("a list").iter().filter(|member| member["role"] == "owner").count();
        assert_eq!(owners, 1);
    }

    async fn a_removed_members_stream_and_next_call_end(app: TestApp) {
        let home = first_home(&app).await;
        let dev_id = new_member(&app, &home, "dev@example.com", Role::Dev).await;
        let dev = signed_in(&app, "dev@example.com").await;
        let made = dev.post("/api/v1/api-keys", json!({ "name": "k", "scopes": ["write"] })).await.expect(201);
        let key = app.anon().bearer(made["api_key"].as_str().expect("a secret"));
        let browser = at_console(&app, "dev@example.com").await;
        let mut stream = Events::open(&key, "/api/v1/stream?topics=runs", None).await;
        new_member(&app, &home, "ada@example.com", Role::Owner).await;
        let ada = signed_in(&app, "ada@example.com").await;
        ada.send(Method::DELETE, &member(&home, dev_id), None).await.expect(204);
        let closed = stream.rest().await.pop().expect("a last word");
        assert_eq!((closed.name.as_str(), &closed.data["code"]), ("closed", &json!("invalid_credentials")));
        assert_eq!(key.get("/api/v1/me").await.refusal(401), "invalid_credentials");
        assert_eq!(dev.get("/api/v1/me").await.refusal(401), "invalid_credentials");
        assert_eq!(browser.get("/w/default").await.status, 303, "signed out");
    }

    async fn a_member_removed_at_the_console_goes_once(app: TestApp) {
        let home = first_home(&app).await;
        new_member(&app, &home, "ada@example.com", Role::Owner).await;
        let ada = at_console(&app, "ada@example.com").await;
        let id = place_of(&app, &home, Some(Role::Viewer)).await.to_string();
        let workspace = ("workspace", home.slug.as_str());
        let change = [workspace, ("id", &id), ("version", "1"), ("form[role]", "dev")];
        for _ in 0..2 {
            let answer = post_form(&ada, "/ui/fn/update_member", &change).await;
            assert_eq!(answer.expect(200)["version"], 2, "the same form, sent twice");
        }
        let other = [workspace, ("id", &id), ("version", "1"), ("form[role]", "admin")];
        assert_eq!(post_form(&ada, "/ui/fn/update_member", &other).await.status, 412);
        for _ in 0..2 {
            post_form(&ada, "/ui/fn/remove_member", &[workspace, ("id", &id)]).await.expect(200);
        }
    }
}

#[tokio::test]
async fn a_role_that_is_none_is_refused_by_field() {
    let app = TestApp::sqlite().await;
    let home = first_home(&app).await;
    let admin = app.admin().await;
    for (body, field) in [
        (json!({ "email": "a@example.com", "role": "root" }), "role"),
        (json!({ "email": "a@b@example.com", "role": "dev" }), "email"),
        (json!({ "role": "dev" }), "user_id"),
        (json!({ "email": "a@example.com", "role": "dev", "tenant_role": "owner" }), "tenant_role"),
    ] {
        let answer = admin.post(&members(&home), body).await;
        assert_eq!(answer.refusal(400), "invalid");
        assert_eq!(answer.json()["errors"][0]["field"], field, "{}", answer.text);
    }
}
