//! Who runs the instance: what they do with tenants and accounts, and that they read nothing of what is in a tenant.

use axum::http::Method;
use axum::http::header::IF_MATCH;
use serde_json::json;
use types::identity::{Role, TenantRole};

use super::people::{PASSWORD, WORKSPACE_ID, at_console, first_home, join, new_home, new_member, new_user, signed_in};
use crate::gateway_kit::chat;
use crate::util::sse::Events;
use crate::util::test_app::on_both;

on_both! {
    async fn an_operator_makes_lists_and_suspends_tenants(app: TestApp) {
        new_user(&app, "op@example.com", true).await;
        let operator = signed_in(&app, "op@example.com").await;
        let ada = new_user(&app, "ada@example.com", false).await;
        let new = json!({ "name": "Acme", "slug": "acme", "owner_email": "Ada@Example.com" });
        let made = operator.post("/api/v1/tenants", new.clone()).await.expect(201);
        let id = made["id"].as_str().expect("an id").to_owned();
        let taken = operator.post("/api/v1/tenants", new).await;
        assert_eq!((taken.refusal(409).as_str(), &taken.json()["errors"][0]["field"]), ("already_exists", &json!("slug")));
        for (email, field) in [("nobody@example.com", "owner_email"), ("a@b@c", "owner_email")] {
            let wrong = json!({ "name": "B", "slug": "b", "owner_email": email });
            let answer = operator.post("/api/v1/tenants", wrong).await;
            assert_eq!((answer.refusal(400).as_str(), &answer.json()["errors"][0]["field"]), ("invalid", &json!(field)));
        }
        let at = signed_in(&app, "ada@example.com").await;
        assert_eq!(at.get(&format!("/api/v1/tenants/{id}")).await.expect(200)["role"], "owner");
        assert_eq!(operator.get(&format!("/api/v1/tenants/{id}")).await.refusal(404), "not_found", "no place, no look");
        let workspace = at.post("/api/v1/workspaces", json!({ "tenant_id": id, "name": "Desk", "slug": "desk" })).await;
        let workspace = workspace.expect(201)["id"].as_str().expect("an id").to_owned();
        let here = at.clone().header(WORKSPACE_ID, &workspace);
        let key = here.post("/api/v1/api-keys", json!({ "name": "k", "scopes": ["write"] })).await.expect(201);
        let key = app.anon().bearer(key["api_key"].as_str().expect("a secret"));
        key.get("/api/v1/runs").await.expect(200);
        let console = at_console(&app, "ada@example.com").await;
        assert_eq!(console.get("/w/desk").await.status, 200);
        let mut stream = Events::open(&key, "/api/v1/stream?topics=runs", None).await;

        let mut seen = Vec::new();
        let mut path = "/api/v1/tenants?all=true&limit=1".to_owned();
        loop {
            let page = operator.get(&path).await.expect(200);
            seen.extend(page["items"].as_array().expect("a list").iter().map(|tenant| tenant["slug"].clone()));
            let Some(cursor) = page["next_cursor"].as_str() else { break };
            path = format!("/api/v1/tenants?all=true&limit=1&cursor={cursor}");
        }
        assert_eq!(seen, [json!("default"), json!("acme")], "each once, and none of the instance's own");
        assert_eq!(at.get("/api/v1/tenants?all=true").await.refusal(403), "role_required");
        assert_eq!(at.post("/api/v1/tenants", json!({ "name": "C", "slug": "c", "owner_email": "ada@example.com" })).await.refusal(403), "role_required");

        for _ in 0..2 {
            let suspended = operator.post(&format!("/api/v1/tenants/{id}/suspend"), json!({})).await.expect(200);
            assert_eq!(suspended["status"], "suspended");
        }
        assert_eq!(key.get("/api/v1/runs").await.refusal(403), "subject_disabled");
        let call = key.post("/v1/chat/completions", chat("model:test:echo", "hi")).await;
        assert_eq!((call.status, call.text.contains("subject_disabled")), (403, true), "{}", call.text);
        assert_eq!(here.get("/api/v1/runs").await.refusal(403), "subject_disabled");
        assert_eq!(at.get(&format!("/api/v1/tenants/{id}/members")).await.refusal(403), "subject_disabled");
        assert_eq!(console.get("/w/desk").await.status, 403);
        at.get("/api/v1/me").await.expect(200);
        let closed = stream.rest().await.pop().expect("a last word");
        assert_eq!((closed.name.as_str(), &closed.data["code"]), ("closed", &json!("subject_disabled")));
        operator.post(&format!("/api/v1/tenants/{id}/activate"), json!({})).await.expect(200);
        key.get("/api/v1/runs").await.expect(200);
        let record = at.get(&format!("/api/v1/tenants/{id}/audit?event_type=tenant.suspended")).await.expect(200);
        assert_eq!(record["items"].as_array().map(Vec::len), Some(1), "it is suspended once");
        assert_ne!(record["items"][0]["actor"]["id"], json!(ada));
    }

    async fn a_disabled_account_is_out_at_once_and_for_good(app: TestApp) {
        let home = first_home(&app).await;
        new_user(&app, "op@example.com", true).await;
        let operator = signed_in(&app, "op@example.com").await;
        let dev = new_member(&app, &home, "dev@example.com", Role::Dev).await;
        let at = signed_in(&app, "dev@example.com").await;
        let console = at_console(&app, "dev@example.com").await;
        let key = at.post("/api/v1/api-keys", json!({ "name": "k", "scopes": ["write"] })).await.expect(201);
        let key = app.anon().bearer(key["api_key"].as_str().expect("a secret"));
        key.get("/api/v1/runs").await.expect(200);
        let path = format!("/api/v1/operator/users/{dev}");
        for _ in 0..2 {
            assert_eq!(operator.post(&format!("{path}/disable"), json!({})).await.expect(200)["status"], "disabled");
        }
        for refused in [key.get("/api/v1/me").await, at.get("/api/v1/me").await] {
            assert_eq!(refused.refusal(401), "invalid_credentials");
        }
        assert_eq!(console.get("/w/default").await.status, 303);
        let login = json!({ "email": "dev@example.com", "password": PASSWORD });
        assert!([401, 403].contains(&app.anon().post("/api/v1/login", login.clone()).await.status));
        assert_eq!(operator.post(&format!("{path}/enable"), json!({})).await.expect(200)["status"], "active");
        app.anon().post("/api/v1/login", login).await.expect(200);
        assert_eq!(key.get("/api/v1/me").await.refusal(401), "invalid_credentials", "its keys stay revoked");
        let detail = operator.get(&path).await.expect(200);
        assert_eq!((&detail["email"], &detail["tenants"][0]["slug"]), (&json!("dev@example.com"), &json!("default")));
        let found = operator.get("/api/v1/operator/users?q=DEV%40ex").await.expect(200);
        assert_eq!((found["items"].as_array().map(Vec::len), &found["items"][0]["id"]), (Some(1), &json!(dev)));
    }

    async fn nobody_is_disabled_who_alone_owns_something(app: TestApp) {
        let home = new_home(&app, "acme").await;
        let me = new_user(&app, "op@example.com", true).await;
        let operator = signed_in(&app, "op@example.com").await;
        let one = new_member(&app, &home, "one@example.com", Role::Owner).await;
        let disable = |id| format!("/api/v1/operator/users/{id}/disable");
        assert_eq!(operator.post(&disable(one), json!({})).await.refusal(409), "last_owner");
        let own = operator.post(&disable(me), json!({})).await;
        assert_eq!((own.refusal(400).as_str(), &own.json()["errors"][0]["field"]), ("invalid", &json!("id")));
        let other = new_member(&app, &home, "other@example.com", Role::Owner).await;
        // Of two who own it together one is left, however many disable them at once.
        let (one_path, other_path) = (disable(one), disable(other));
        let outcomes = tokio::join!(operator.post(&one_path, json!({})), operator.post(&other_path, json!({})));
        let mut statuses = [outcomes.0.status, outcomes.1.status];
        statuses.sort_unstable();
        assert_eq!(statuses, [200, 409], "{} {}", outcomes.0.text, outcomes.1.text);
    }

    async fn an_owner_is_not_demoted_and_the_other_disabled_at_once(app: TestApp) {
        let home = new_home(&app, "acme").await;
        new_user(&app, "op@example.com", true).await;
        let operator = signed_in(&app, "op@example.com").await;
        let one = new_member(&app, &home, "one@example.com", Role::Owner).await;
        let other = new_member(&app, &home, "other@example.com", Role::Owner).await;
        let keeper = signed_in(&app, "one@example.com").await;
        let (disable, place) = (
            format!("/api/v1/operator/users/{other}/disable"),
            format!("/api/v1/tenants/{}/members/{one}", home.scope.tenant_id),
        );
        let demoter = keeper.clone().header(IF_MATCH, "\"1\"");
        let (disabled, demoted) = tokio::join!(
            operator.post(&disable, json!({})),
            demoter.send(Method::PATCH, &place, Some(json!({ "role": "member" })))
        );
        let gone = [disabled.status, demoted.status].iter().filter(|status| **status == 200).count();
        assert_eq!(gone, 1, "{} {}", disabled.text, demoted.text);
    }

    async fn to_others_the_instance_is_not_there(app: TestApp) {
        let home = first_home(&app).await;
        let ada = new_member(&app, &home, "ada@example.com", Role::Owner).await;
        let at = signed_in(&app, "ada@example.com").await;
        assert_eq!(at.get("/api/v1/operator/users").await.refusal(403), "role_required");
        assert_eq!(at.get("/api/v1/operator/diagnostics").await.refusal(403), "role_required");
        let nobody = types::id::UserId::from_uuid(app.app.ids.uuid());
        for id in [ada, nobody] {
            assert_eq!(at.get(&format!("/api/v1/operator/users/{id}")).await.refusal(404), "not_found");
            assert_eq!(at.post(&format!("/api/v1/operator/users/{id}/disable"), json!({})).await.refusal(404), "not_found");
        }
        let found = app.admin().await.get("/api/v1/operator/diagnostics").await.expect(200);
        assert_eq!((&found["version"], found["checks"][0]["name"].is_string()), (&json!(env!("CARGO_PKG_VERSION")), true));
        let console = at_console(&app, "ada@example.com").await;
        assert_eq!(console.get("/operator/tenants").await.status, 403);
        let operator = new_user(&app, "op@example.com", true).await;
        join(&app, &home, operator, TenantRole::Member, None).await;
        let operator = at_console(&app, "op@example.com").await;
        for path in ["/operator/tenants", "/operator/users", "/operator/diagnostics", "/?choose=1"] {
            assert_eq!(operator.get(path).await.status, 200);
        }
    }
}
