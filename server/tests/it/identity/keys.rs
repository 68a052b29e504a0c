use axum::http::Method;
use axum::http::header::{COOKIE, IF_MATCH};
use serde_json::{Value, json};
use types::identity::Role;
use types::money::Amount;

use super::people::{WORKSPACE_ID, first_home, new_home, new_member, post_form, set_cookie, signed_in};
use crate::gateway_kit::chat;
use crate::util::test_app::{ADMIN_EMAIL, ADMIN_PASSWORD, Caller, TestApp, on_both};

fn is_secret(value: &Value) -> bool {
    let text = value.as_str().unwrap_or_default();
    text.len() == 52 && text.starts_with("sk_") && text.bytes().skip(3).all(|byte| byte.is_ascii_alphanumeric())
}

async fn new_key(caller: &Caller, scopes: &[&str]) -> Value {
    caller.post("/api/v1/api-keys", json!({ "name": "ci", "scopes": scopes })).await.expect(201)
}

on_both! {
    async fn a_key_lives_from_its_one_reveal_to_its_tombstone(app: TestApp) {
        let admin = app.admin().await;
        let made = new_key(&admin, &["read", "write"]).await;
        assert!(is_secret(&made["api_key"]), "{made}");
        let (id, secret) = (made["item"]["id"].as_str().expect("an id"), made["api_key"].as_str().expect("a secret"));
        let path = format!("/api/v1/api-keys/{id}");
        let shown = admin.get(&path).await;
        assert_eq!(shown.expect(200)["hint"], made["item"]["hint"]);
        assert!(!shown.text.contains(secret) && !admin.get("/api/v1/api-keys").await.text.contains(secret));

        let with_key = app.anon().bearer(secret);
        let me = with_key.get("/api/v1/me").await.expect(200);
        assert_eq!((me["scope"].as_str(), me["workspaces"].as_array().map(Vec::len)), (Some("write"), Some(1)));
        assert_eq!(with_key.get("/api/v1/me/sessions").await.refusal(403), "scope_required");

        let tighten = json!({ "daily_request_quota": 5, "ip_allowlist": [], "allowed_tools": [] });
        assert_eq!(admin.send(Method::PATCH, &path, Some(tighten.clone())).await.refusal(428), "precondition_required");
        let seen = admin.clone().header(IF_MATCH, shown.header("etag"));
        let tight = seen.send(Method::PATCH, &path, Some(tighten)).await;
        assert_eq!(tight.expect(200)["daily_request_quota"], 5);
        assert_eq!(tight.json()["allowed_tools"], json!([]));
        assert_ne!(tight.header("etag"), shown.header("etag"));
        assert_eq!(with_key.get("/api/v1/me").await.refusal(403), "address_not_allowed");
        let seen = admin.clone().header(IF_MATCH, tight.header("etag"));
        seen.send(Method::PATCH, &path, Some(json!({ "ip_allowlist": null }))).await.expect(200);
        with_key.get("/api/v1/me").await.expect(200);

        let rotated = admin.post(&format!("{path}/rotate"), json!({ "overlap_seconds": 60 })).await.expect(200);
        assert!(is_secret(&rotated["api_key"]) && rotated["api_key"] != made["api_key"]);
        with_key.get("/api/v1/me").await.expect(200);
        let rotated = admin.post(&format!("{path}/rotate"), json!({})).await.expect(200);
        assert_eq!(with_key.get("/api/v1/me").await.refusal(401), "credentials_expired");
        let with_new = app.anon().bearer(rotated["api_key"].as_str().expect("a secret"));
        with_new.get("/api/v1/me").await.expect(200);

        let revoked = admin.send(Method::POST, &format!("{path}/revoke"), None).await.expect(200);
        assert_eq!(revoked["status"], "revoked");
        assert_eq!(with_new.get("/api/v1/me").await.refusal(401), "invalid_credentials");
        admin.send(Method::DELETE, &path, None).await.expect(204);
        assert_eq!(admin.post(&format!("{path}/rotate"), json!({})).await.refusal(409), "invalid_transition");
        let listed = admin.get("/api/v1/api-keys").await.expect(200);
        assert!(listed["items"].as_array().expect("a list").iter().any(|key| key["id"] == id));
    }

    async fn the_console_shows_what_each_key_spent_this_month(app: TestApp) {
        let admin = app.admin().await;
        for (model, currency, rate) in [("echo", "USD", "1"), ("slow-1", "EUR", "2")] {
            let price = json!({
                "match_ref": format!("model:test:{model}"), "currency": currency,
                "rates": { "input": rate, "output": rate },
            });
            admin.post("/api/v1/modelhub/prices", price).await.expect(201);
        }
        let made = new_key(&admin, &["write"]).await;
        let key = app.anon().bearer(made["api_key"].as_str().expect("a secret"));
        let mut costs = std::collections::BTreeMap::<String, i64>::new();
        for model in ["model:test:echo", "model:test:echo", "model:test:slow-1"] {
            let answer = key.post("/v1/chat/completions", chat(model, "how much is this")).await;
            answer.expect(200);
            let (currency, amount) = answer.header("x-soit-cost").split_once(' ').expect("a priced call");
            let amount: Amount = amount.parse().expect("an amount");
            *costs.entry(currency.to_owned()).or_default() += amount.nanos();
        }
        let unused = new_key(&admin, &["read"]).await;

        let sign_in = post_form(&app.browser(), "/ui/sign-in", &[("email", ADMIN_EMAIL), ("password", ADMIN_PASSWORD)]).await;
        let browser = app.browser().header(COOKIE, &set_cookie(&sign_in, "soit_session").expect("a cookie"));
        let views = post_form(&browser, "/ui/fn/list_keys", &[("workspace", "default")]).await.expect(200);
        let listed = admin.get("/api/v1/api-keys").await.expect(200);
        let spent = |id: &Value| {
            let view = views["page"]["items"].as_array().expect("keys").iter().find(|view| view["key"]["id"] == *id).expect("the key");
            let item = listed["items"].as_array().expect("keys").iter().find(|item| item["id"] == *id).expect("the key");
            assert_eq!(view["spent"], item["spent"], "both doors tell the same");
            view["spent"].clone()
        };
        let money = |(currency, nanos): (&String, &i64)| json!({ "currency": currency, "amount": Amount::from_nanos(*nanos) });
        assert_eq!(spent(&made["item"]["id"]), Value::Array(costs.iter().map(money).collect()));
        assert_eq!(spent(&unused["item"]["id"]), json!([]), "nothing, and known to be nothing");
    }

    async fn a_developer_gives_no_more_than_they_have(app: TestApp) {
        let home = first_home(&app).await;
        new_member(&app, &home, "dev@example.com", Role::Dev).await;
        let dev = signed_in(&app, "dev@example.com").await;
        let admin_key = dev.post("/api/v1/api-keys", json!({ "name": "x", "scopes": ["admin"] })).await;
        assert_eq!(admin_key.refusal(403), "role_required");
        let read_key = app.anon().bearer(new_key(&dev, &["read"]).await["api_key"].as_str().expect("a secret"));
        let wider = read_key.post("/api/v1/api-keys", json!({ "name": "x", "scopes": ["write"] })).await;
        assert_eq!(wider.refusal(403), "scope_required");
    }

    async fn what_one_may_do_to_a_key_depends_on_whose_it_is(app: TestApp) {
        let home = first_home(&app).await;
        new_member(&app, &home, "dev@example.com", Role::Dev).await;
        let dev = signed_in(&app, "dev@example.com").await;
        let owner = app.admin().await;
        let (of_dev, of_owner) = (new_key(&dev, &["read"]).await, new_key(&owner, &["read"]).await);
        let path = |key: &Value| {
            let id = key["item"]["id"].as_str().expect("an id");
            format!("/api/v1/me/permissions?resource_type=api_key&resource_id={id}")
        };
        let allowed = dev.get(&path(&of_dev)).await.expect(200);
        let actions: Vec<&str> =
            allowed["actions"].as_array().expect("a list").iter().filter_map(Value::as_str).collect();
        assert_eq!(actions, ["create", "list", "read", "revoke", "rotate", "tighten"].map(|action| format!("api_key.{action}")));
        assert_eq!(dev.get(&path(&of_owner)).await.refusal(404), "not_found");
        let allowed = owner.get(&path(&of_dev)).await.expect(200);
        assert!(allowed["actions"].as_array().expect("a list").contains(&json!("api_key.loosen")));
        let nameless = owner.get("/api/v1/me/permissions?resource_id=x").await;
        assert_eq!(nameless.refusal(400), "invalid");
        assert_eq!(nameless.json()["errors"][0]["field"], "resource_type");
    }

    async fn a_workspace_is_named_once(app: TestApp) {
        let (home, other) = (first_home(&app).await, new_home(&app, "other").await);
        let (own, foreign) = (home.scope.workspace_id.to_string(), other.scope.workspace_id.to_string());
        let admin = app.admin().await;
        let path = |id: &str| format!("/api/v1/workspaces/{id}");
        admin.get(&path(&own)).await.expect(200);
        assert_eq!(admin.get(&path(&foreign)).await.refusal(404), "not_found");
        assert_eq!(admin.get(&path("wsp_x")).await.refusal(404), "not_found");
        let elsewhere = admin.clone().header(WORKSPACE_ID, &foreign);
        assert_eq!(elsewhere.get(&path(&own)).await.refusal(400), "workspace_conflict");
        assert_eq!(elsewhere.get("/api/v1/api-keys").await.refusal(404), "not_found");
        let nonsense = admin.header(WORKSPACE_ID, "somewhere").get("/api/v1/api-keys").await;
        assert_eq!(nonsense.refusal(400), "invalid");
        assert_eq!(nonsense.json()["errors"][0]["field"], "X-Workspace-Id");
    }
}

#[tokio::test]
async fn wrong_fields_are_named_with_their_index() {
    let app = TestApp::sqlite().await;
    let admin = app.admin().await;
    for (body, field) in [
        (json!({ "name": "k", "scopes": ["write", "delete"] }), "scopes[1]"),
        (json!({ "name": "k", "scopes": [] }), "scopes"),
        (json!({ "name": "k", "scopes": ["read"], "expires_in_days": 0 }), "expires_in_days"),
        (json!({ "name": "k", "scopes": ["read"], "ip_allowlist": ["10.0.0.0/8", "10.0.0.1/8"] }), "ip_allowlist[1]"),
        (json!({ "name": " ", "scopes": ["read"] }), "name"),
        (json!({ "name": "k", "scopes": ["read"], "role": "root" }), "role"),
    ] {
        let answer = admin.post("/api/v1/api-keys", body).await;
        assert_eq!(answer.refusal(400), "invalid");
        assert_eq!(answer.json()["errors"][0]["field"], field, "{}", answer.text);
    }
}

#[tokio::test]
async fn settings_of_a_workspace_are_changed_by_who_has_seen_them() {
    let app = TestApp::sqlite().await;
    let home = first_home(&app).await;
    let (admin, path) = (app.admin().await, format!("/api/v1/workspaces/{}", home.scope.workspace_id));
    let seen = admin.get(&path).await;
    let rename = json!({ "name": "Refund desk", "content_capture": "metadata_only" });
    assert_eq!(admin.send(Method::PATCH, &path, Some(rename.clone())).await.refusal(428), "precondition_required");
    let changed =
        admin.clone().header(IF_MATCH, seen.header("etag")).send(Method::PATCH, &path, Some(rename.clone())).await;
    assert_eq!(changed.expect(200)["name"], "Refund desk");
    let stale = admin.clone().header(IF_MATCH, seen.header("etag")).send(Method::PATCH, &path, Some(rename)).await;
    assert_eq!(stale.refusal(412), "precondition_failed");

    // Keeping more than before takes the tenant's word: an admin of the workspace alone has it not.
    new_member(&app, &home, "admin2@example.com", Role::Admin).await;
    let other = signed_in(&app, "admin2@example.com").await.header(IF_MATCH, changed.header("etag"));
    let loosened = other.send(Method::PATCH, &path, Some(json!({ "content_capture": "full" }))).await;
    assert_eq!(loosened.refusal(403), "role_required");
    let own = admin.header(IF_MATCH, changed.header("etag"));
    own.send(Method::PATCH, &path, Some(json!({ "content_capture": "full" }))).await.expect(200);
}
