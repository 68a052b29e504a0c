//! Saved views of lists, through the API.

use axum::http::header::IF_MATCH;
use axum::http::{HeaderName, Method};
use kernel::record::{Row, WorkspaceMember};
use serde_json::{Value, json};
use types::identity::Role;

use super::people::{WORKSPACE_ID, first_home, new_home, new_member, new_workspace, put, signed_in};
use crate::util::test_app::{Answer, Caller, TestApp, on_both};

const VIEWS: &str = "/api/v1/me/views";

fn failed(name: &str) -> Value {
    json!({ "page": "runs", "name": name, "query": "f.status=failed" })
}

fn with(mut body: Value, members: Value) -> Value {
    let members = members.as_object().expect("members").clone();
    body.as_object_mut().expect("an object").extend(members);
    body
}

fn path(view: &Value) -> String {
    format!("{VIEWS}/{}", view["id"].as_str().expect("an id"))
}

async fn patch(caller: &Caller, view: &Value, etag: &str, body: Value) -> Answer {
    caller.clone().header(IF_MATCH, etag).send(Method::PATCH, &path(view), Some(body)).await
}

async fn names(caller: &Caller, query: &str) -> Vec<String> {
    let list = caller.get(&format!("{VIEWS}{query}")).await.expect(200);
    let items = list["items"].as_array().expect("a list").iter();
    items.map(|view| view["name"].as_str().expect("a name").to_owned()).collect()
}

on_both! {
    async fn a_view_is_saved_changed_and_deleted(app: TestApp) {
        let home = first_home(&app).await;
        new_member(&app, &home, "dev@example.com", Role::Dev).await;
        let dev = signed_in(&app, "dev@example.com").await;
        let made = dev.post(VIEWS, with(failed(" Failed "), json!({ "default": true }))).await;
        let view = made.expect(201);
        assert_eq!(made.header("etag"), "\"1\"");
        let me = dev.get("/api/v1/me").await.expect(200);
        assert_eq!((&view["owner_id"], &view["owner"]), (&me["user"]["id"], &json!("Somebody")));
        let told = (&view["name"], &view["query"], &view["shared"], &view["default"]);
        assert_eq!(told, (&json!("Failed"), &json!("f.status=failed"), &json!(false), &json!(true)));
        assert_eq!(dev.get(&path(&view)).await.expect(200), view);

        let rename = json!({ "name": "Broken" });
        assert_eq!(dev.send(Method::PATCH, &path(&view), Some(rename.clone())).await.refusal(428), "precondition_required");
        let changed = patch(&dev, &view, "\"1\"", rename).await;
        let (now, etag) = (changed.expect(200), changed.header("etag").to_owned());
        assert_eq!((now["name"].as_str(), now["default"].as_bool(), etag.as_str()), (Some("Broken"), Some(true), "\"2\""));
        let stale = patch(&dev, &view, "\"1\"", json!({ "query": "" })).await;
        assert_eq!(stale.refusal(412), "precondition_failed");
        assert_eq!(stale.json()["revision"], "2");

        let second = dev.post(VIEWS, with(failed("Slow"), json!({ "default": true, "query": "sort=duration_ms" }))).await;
        let second = second.expect(201);
        assert_eq!(dev.get(&path(&view)).await.expect(200)["default"], false, "a list opens with one");
        let chosen = dev.send(Method::PATCH, &path(&view), Some(json!({ "default": true }))).await.expect(200);
        assert_eq!((&chosen["default"], &chosen["version"]), (&json!(true), &json!(2)));
        assert_eq!(dev.get(&path(&second)).await.expect(200)["default"], false);

        dev.send(Method::DELETE, &path(&view), None).await.expect(204);
        assert_eq!(dev.get(&path(&view)).await.refusal(404), "not_found");
        assert_eq!(dev.send(Method::DELETE, &path(&view), None).await.refusal(404), "not_found");
        dev.post(VIEWS, failed("broken")).await.expect(201);
        assert_eq!(names(&dev, "?page=runs").await, ["broken", "Slow"]);
    }

    async fn views_come_by_name_and_in_pages(app: TestApp) {
        let home = first_home(&app).await;
        new_member(&app, &home, "dev@example.com", Role::Dev).await;
        let dev = signed_in(&app, "dev@example.com").await;
        for name in ["b", "失败", "A", "c"] {
            dev.post(VIEWS, failed(name)).await.expect(201);
        }
        dev.post(VIEWS, with(failed("a"), json!({ "page": "audit" }))).await.expect(201);
        assert_eq!(names(&dev, "?page=runs").await, ["A", "b", "c", "失败"]);
        assert_eq!(names(&dev, "?page=events").await, [""; 0]);
        assert_eq!(names(&dev, "").await.len(), 5);
        let (mut seen, mut cursor) = (Vec::new(), String::new());
        for _ in 0..4 {
            let list = dev.get(&format!("{VIEWS}?page=runs&limit=1{cursor}")).await.expect(200);
            seen.push(list["items"][0]["name"].clone());
            cursor = list["next_cursor"].as_str().map_or_else(String::new, |next| format!("&cursor={next}"));
        }
        assert_eq!((seen, cursor.as_str()), (vec![json!("A"), json!("b"), json!("c"), json!("失败")], ""));
        assert_eq!(dev.get(&format!("{VIEWS}?cursor=viw_1.zz")).await.refusal(400), "invalid_cursor");
        for (query, field) in [("?page=keys", "page"), ("?limit=0", "limit"), ("?owner=me", "owner")] {
            let refused = dev.get(&format!("{VIEWS}{query}")).await;
            assert_eq!(refused.refusal(400), "invalid");
            assert_eq!(refused.json()["errors"][0]["field"], field, "{}", refused.text);
        }
    }

    async fn a_shared_view_is_everybodys_to_read_and_to_choose(app: TestApp) {
        let home = first_home(&app).await;
        for (email, role) in [("dev@example.com", Role::Dev), ("viewer@example.com", Role::Viewer), ("ada@example.com", Role::Owner)] {
            new_member(&app, &home, email, role).await;
        }
        let (dev, viewer) = (signed_in(&app, "dev@example.com").await, signed_in(&app, "viewer@example.com").await);
        let owner = signed_in(&app, "ada@example.com").await;
        let private = dev.post(VIEWS, failed("Mine")).await.expect(201);
        let shared = dev.post(VIEWS, with(failed("Ours"), json!({ "shared": true }))).await.expect(201);
        for other in [&viewer, &owner] {
            assert_eq!(names(other, "").await, ["Ours"]);
            let unknown = format!("{VIEWS}/{}", private["id"].as_str().expect("an id").replace("viw_0", "viw_1"));
            let without_id = |answer: Answer| with(answer.expect(404), json!({ "instance": null, "trace_id": null, "request_id": null }));
            assert_eq!(without_id(other.get(&path(&private)).await), without_id(other.get(&unknown).await));
            assert_eq!(other.send(Method::DELETE, &path(&private), None).await.refusal(404), "not_found");
            let refused = patch(other, &shared, "\"1\"", json!({ "name": "Theirs" })).await;
            assert_eq!(refused.refusal(403), "role_required");
            let chosen = other.send(Method::PATCH, &path(&shared), Some(json!({ "default": true }))).await.expect(200);
            assert_eq!(chosen["default"], true);
        }
        assert_eq!(dev.get(&path(&shared)).await.expect(200)["default"], false, "others chose for themselves");

        let refused = viewer.post(VIEWS, with(failed("No"), json!({ "shared": true }))).await;
        assert_eq!(refused.refusal(403), "role_required");
        assert_eq!(refused.json()["permission"]["action"], "view.share");
        viewer.post(VIEWS, failed("Ours")).await.expect(201);
        assert_eq!(viewer.send(Method::DELETE, &path(&shared), None).await.refusal(403), "role_required");
        patch(&dev, &shared, "\"1\"", json!({ "shared": false })).await.expect(200);
        assert_eq!(names(&owner, "").await, [""; 0]);
        patch(&dev, &shared, "\"2\"", json!({ "shared": true })).await.expect(200);
        owner.send(Method::DELETE, &path(&shared), None).await.expect(204);
        assert_eq!(names(&dev, "").await, ["Mine"]);
        let audit = owner.get("/api/v1/audit?resource_type=view").await.expect(200);
        assert_eq!(audit["items"][0]["event_type"], "view.deleted");
        assert_eq!(audit["items"][0]["payload"]["before"]["name"], "Ours");
        assert!(audit.to_string().contains(private["id"].as_str().expect("an id")), "that one was saved is told");
        assert!(!audit.to_string().contains("Mine"), "and no more: {audit}");
    }

    async fn of_changes_at_once_none_is_lost(app: TestApp) {
        let home = first_home(&app).await;
        new_member(&app, &home, "dev@example.com", Role::Dev).await;
        let dev = signed_in(&app, "dev@example.com").await;
        let view = dev.post(VIEWS, failed("a")).await.expect(201);
        let (one, other) = tokio::join!(
            patch(&dev, &view, "\"1\"", json!({ "name": "b" })),
            patch(&dev, &view, "\"1\"", json!({ "query": "q=x" }))
        );
        let mut outcomes = [one.status, other.status];
        outcomes.sort_unstable();
        assert_eq!(outcomes, [200, 412], "{} {}", one.text, other.text);
        assert_eq!(dev.get(&path(&view)).await.expect(200)["version"], 2);
        let (one, other) = tokio::join!(dev.post(VIEWS, failed("Twin")), dev.post(VIEWS, failed("twin")));
        let mut outcomes = [one.status, other.status];
        outcomes.sort_unstable();
        assert_eq!(outcomes, [201, 409], "{} {}", one.text, other.text);
        let second = if one.status == 201 { one.json() } else { other.json() };
        let choose = |view: &Value| {
            let (dev, path) = (dev.clone(), path(view));
            async move { dev.send(Method::PATCH, &path, Some(json!({ "default": true }))).await.status }
        };
        assert_eq!(tokio::join!(choose(&view), choose(&second)), (200, 200));
        let list = dev.get(VIEWS).await.expect(200);
        let chosen = list["items"].as_array().expect("a list").iter().filter(|view| view["default"] == true).count();
        assert_eq!(chosen, 1);
    }

    async fn a_request_sent_again_saves_one_view(app: TestApp) {
        let home = first_home(&app).await;
        new_member(&app, &home, "dev@example.com", Role::Dev).await;
        let dev = signed_in(&app, "dev@example.com").await;
        let keyed = dev.clone().header(HeaderName::from_static("idempotency-key"), "once");
        let first = keyed.post(VIEWS, failed("a")).await.expect(201);
        let again = keyed.post(VIEWS, failed("a")).await;
        assert_eq!((again.expect(201), again.header("idempotency-replayed")), (first, "true"));
        assert_eq!(names(&dev, "").await, ["a"]);
    }

    async fn views_of_another_workspace_are_not_there(app: TestApp) {
        let home = first_home(&app).await;
        let (near, far) = (new_workspace(&app, home.scope.tenant_id, "near").await, new_home(&app, "far").await);
        let id = new_member(&app, &home, "dev@example.com", Role::Dev).await;
        let member = WorkspaceMember {
            scope: near.scope,
            user_id: id,
            role: Role::Dev,
            joined_at: app.app.clock.now(),
            removed_at: None,
            version: 1,
        };
        put(&app, near.scope, [Row::WorkspaceMember(member)]).await;
        new_member(&app, &far, "bob@example.com", Role::Owner).await;
        let dev = signed_in(&app, "dev@example.com").await;
        let here = dev.clone().header(WORKSPACE_ID, &home.scope.workspace_id.to_string());
        let there = dev.clone().header(WORKSPACE_ID, &near.scope.workspace_id.to_string());
        let view = here.post(VIEWS, with(failed("a"), json!({ "shared": true, "default": true }))).await.expect(201);
        let bob = signed_in(&app, "bob@example.com").await;
        for stranger in [&there, &bob] {
            assert_eq!(names(stranger, "").await, [""; 0]);
            assert_eq!(stranger.get(&path(&view)).await.refusal(404), "not_found");
            assert_eq!(patch(stranger, &view, "\"1\"", json!({ "name": "b" })).await.refusal(404), "not_found");
            let choice = stranger.send(Method::PATCH, &path(&view), Some(json!({ "default": true }))).await;
            assert_eq!(choice.refusal(404), "not_found");
            assert_eq!(stranger.send(Method::DELETE, &path(&view), None).await.refusal(404), "not_found");
        }
        there.post(VIEWS, failed("a")).await.expect(201);
        assert_eq!(here.get(&path(&view)).await.expect(200), view, "it is what it was");
    }

    async fn a_key_acts_as_its_person(app: TestApp) {
        let home = first_home(&app).await;
        new_member(&app, &home, "dev@example.com", Role::Dev).await;
        let dev = signed_in(&app, "dev@example.com").await;
        let view = dev.post(VIEWS, failed("a")).await.expect(201);
        let mut keys = Vec::new();
        for scope in ["read", "write"] {
            let made = dev.post("/api/v1/api-keys", json!({ "name": "k", "scopes": [scope] })).await.expect(201);
            keys.push(app.anon().bearer(made["api_key"].as_str().expect("a secret")));
        }
        assert_eq!(names(&keys[0], "").await, ["a"]);
        assert_eq!(keys[0].post(VIEWS, failed("b")).await.refusal(403), "scope_required");
        assert_eq!(keys[0].send(Method::PATCH, &path(&view), Some(json!({ "default": true }))).await.refusal(403), "scope_required");
        let made = keys[1].post(VIEWS, with(failed("b"), json!({ "shared": true }))).await.expect(201);
        assert_eq!(made["owner_id"], view["owner_id"]);
        assert_eq!(names(&dev, "").await, ["a", "b"]);
    }
}

#[tokio::test]
async fn what_is_wrong_is_named() {
    let app = TestApp::sqlite().await;
    let home = first_home(&app).await;
    new_member(&app, &home, "dev@example.com", Role::Dev).await;
    let dev = signed_in(&app, "dev@example.com").await;
    let view = dev.post(VIEWS, failed("Taken")).await.expect(201);
    for (members, field) in [
        (json!({ "page": "keys" }), "page"),
        (json!({ "name": "  " }), "name"),
        (json!({ "name": "x".repeat(81) }), "name"),
        (json!({ "name": "a\u{202E}b" }), "name"),
        (json!({ "query": "?a=b" }), "query"),
        (json!({ "query": "a=b#c" }), "query"),
        (json!({ "query": "a b" }), "query"),
        (json!({ "query": "a\u{0}b" }), "query"),
        (json!({ "query": "x".repeat(4_001) }), "query"),
        (json!({ "owner_id": view["owner_id"] }), "owner_id"),
    ] {
        let created = dev.post(VIEWS, with(failed("Fresh"), members.clone())).await;
        assert_eq!(created.refusal(400), "invalid");
        assert_eq!(created.json()["errors"][0]["field"], field, "{}", created.text);
        let updated = patch(&dev, &view, "\"1\"", members).await;
        assert_eq!(updated.refusal(400), "invalid", "a view stays of its list");
        assert_eq!(updated.json()["errors"][0]["field"], field, "{}", updated.text);
    }
    let taken = dev.post(VIEWS, failed("TAKEN")).await;
    assert_eq!(taken.refusal(409), "already_exists");
    assert_eq!(taken.json()["errors"][0]["field"], "name");
    dev.post(VIEWS, with(failed("Long"), json!({ "query": "x".repeat(4_000) }))).await.expect(201);
    for number in 2..100 {
        dev.post(VIEWS, failed(&number.to_string())).await.expect(201);
    }
    let refused = dev.post(VIEWS, failed("One more")).await;
    assert_eq!(refused.refusal(429), "quota_exceeded");
    assert!(refused.json()["detail"].as_str().expect("a text").contains("100 saved views"), "{}", refused.text);
}
