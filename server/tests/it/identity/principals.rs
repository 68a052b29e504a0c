//! Service principals, groups and grants through their doors: what they may do, and how that ends.

use axum::http::Method;
use axum::http::header::IF_MATCH;
use serde_json::{Value, json};
use types::id::UserId;
use types::identity::Role;

use super::people::{Home, SAME_ORIGIN, at_console, first_home, new_home, new_member, post_form, signed_in};
use crate::gateway_kit::{Kit, chat};
use crate::util::test_app::{Answer, Caller, TestApp, on_both};

const PRINCIPALS: &str = "/api/v1/service-principals";
const GRANTS: &str = "/api/v1/resource-grants";

fn groups(home: &Home) -> String {
    format!("/api/v1/workspaces/{}/groups", home.scope.workspace_id)
}

fn id(value: &Value) -> String {
    value["id"].as_str().expect("an id").to_owned()
}

async fn patch(caller: &Caller, path: &str, change: Value) -> Answer {
    let seen = caller.get(path).await;
    caller.clone().header(IF_MATCH, seen.header("etag")).send(Method::PATCH, path, Some(change)).await
}

/// A principal, and somebody who acts with its key.
async fn principal(app: &TestApp, admin: &Caller, owner: Option<UserId>, role: &str) -> (String, Caller) {
    let command = json!({ "name": "CI", "role": role, "owner_user_id": owner });
    let made = id(&admin.post(PRINCIPALS, command).await.expect(201));
    let key = json!({ "name": "k", "scopes": ["write"], "principal_id": made });
    let key = admin.post("/api/v1/api-keys", key).await.expect(201);
    assert_eq!(key["item"]["principal_id"], made.as_str());
    (made, app.anon().bearer(key["api_key"].as_str().expect("a secret")))
}

/// The only model of the kit's account.
async fn model_id(kit: &Kit, model_ref: &str) -> String {
    let accounts = kit.admin.get("/api/v1/modelhub/providers").await.expect(200);
    let path = format!("/api/v1/modelhub/providers/{}/models", id(&accounts["items"][0]));
    let models = kit.admin.get(&path).await.expect(200);
    let models = models["items"].as_array().expect("a list").clone();
    id(models.iter().find(|model| model["model_ref"] == model_ref).expect("the model"))
}

async fn audited(app: &TestApp, event: &str) -> Vec<Value> {
    let sql = format!("SELECT CAST(payload AS TEXT) FROM audit WHERE event_type = '{event}' ORDER BY seq");
    let mut rows = app.database.texts(&sql).await;
    // Some are written off the request path.
    let waited = tokio::time::timeout(std::time::Duration::from_secs(20), async {
        while rows.is_empty() {
            tokio::task::yield_now().await;
            rows = app.database.texts(&sql).await;
        }
    });
    assert!(waited.await.is_ok(), "no {event}");
    rows.iter().map(|row| serde_json::from_str(row).expect("JSON")).collect()
}

on_both! {
    async fn a_principal_is_named_with_its_owner_wherever_it_did_something(app: TestApp) {
        let (home, elsewhere) = (first_home(&app).await, new_home(&app, "elsewhere").await);
        let owner = new_member(&app, &home, "ada@example.com", Role::Admin).await;
        let stranger = new_member(&app, &elsewhere, "eve@example.com", Role::Owner).await.to_string();
        let (made, acting) = principal(&app, &app.admin().await, Some(owner), "dev").await;
        let called = acting.post("/v1/chat/completions", chat("model:test:echo", "hi")).await;
        let run = called.header("x-soit-run-id");
        acting.post("/api/v1/api-keys", json!({ "name": "k2", "scopes": ["read"] })).await.expect(201);
        let browser = at_console(&app, "ada@example.com").await.header(SAME_ORIGIN.0, SAME_ORIGIN.1);
        let told = async |function: &str, filter: Value| {
            let query = json!({ "filter": filter, "sort": "started_at", "descending": true, "limit": 50, "cursor": null });
            let body = json!({ "workspace": "default", "range": { "Last": "24h" }, "query": query });
            browser.post(&format!("/ui/fn/{function}"), body).await.expect(200)["names"].clone()
        };
        let named = json!("CI (Somebody)");
        assert_eq!(told("list_runs", json!({})).await[&made], named);
        assert_eq!(told("list_audit", json!({})).await[&made], named);
        let found = post_form(&browser, "/ui/fn/find_run", &[("workspace", "default"), ("id", run)]).await;
        assert_eq!(found.expect(200)["names"][&made], named);
        // Asked for, and on no row.
        let asked = json!({ "caller_id": [format!("!{made}"), stranger] });
        let names = told("list_runs", asked).await;
        assert_eq!((&names[&made], &names[&stranger]), (&named, &Value::Null), "nobody of elsewhere has a name here");
        let names = told("list_audit", json!({ "actor_id": [stranger], "resource_id": [made] })).await;
        assert_eq!((&names[&made], &names[&stranger]), (&named, &Value::Null));
        let page = browser.get(&format!("/w/default/runs?f.caller={made}")).await;
        assert!(page.text.contains("CI (Somebody)"), "{}", page.text);
    }

    async fn a_principal_lives_and_is_switched_off(app: TestApp) {
        let admin = app.admin().await;
        let (made, acting) = principal(&app, &admin, None, "Dev").await;
        let path = format!("{PRINCIPALS}/{made}");
        let shown = admin.get(&path).await;
        let view = shown.expect(200);
        assert_eq!((&view["role"], &view["effective_role"], &view["status"]), (&json!("dev"), &json!("dev"), &json!("active")));
        assert_eq!(shown.header("etag"), "\"1\"");
        let me = acting.get("/api/v1/me").await.expect(200);
        assert_eq!((&me["principal_id"], &me["role"], &me["workspaces"][0]["role"]), (&json!(made), &json!("dev"), &json!("dev")));
        assert_eq!(admin.send(Method::PATCH, &path, Some(json!({ "role": "viewer" }))).await.refusal(428), "precondition_required");
        assert_eq!(patch(&admin, &path, json!({ "role": "viewer" })).await.expect(200)["version"], 2);
        assert_eq!(acting.get("/api/v1/me").await.expect(200)["role"], "viewer");
        let refused = acting.post("/v1/chat/completions", chat("model:test:echo", "hi")).await;
        assert_eq!(refused.expect(403)["error"]["code"], "role_required");

        admin.send(Method::DELETE, &path, None).await.expect(204);
        assert_eq!(acting.get("/api/v1/me").await.refusal(403), "subject_disabled");
        let listed = admin.get(PRINCIPALS).await.expect(200);
        assert_eq!(listed["items"][0]["status"], "disabled");
        assert_eq!(listed["items"][0]["effective_role"], Value::Null);
        let issue = json!({ "name": "k", "scopes": ["read"], "principal_id": made });
        assert_eq!(admin.post("/api/v1/api-keys", issue).await.refusal(409), "invalid_transition");
        patch(&admin, &path, json!({ "status": "active", "role": "dev" })).await.expect(200);
        acting.post("/v1/chat/completions", chat("model:test:echo", "hi")).await.expect(200);
    }

    async fn runs_and_audit_name_a_principal_and_its_owner(app: TestApp) {
        let home = first_home(&app).await;
        let owner = new_member(&app, &home, "ada@example.com", Role::Admin).await;
        let admin = app.admin().await;
        let (made, acting) = principal(&app, &admin, Some(owner), "dev").await;
        let budget = json!({
            "name": "Ada", "scope_kind": "user", "scope_id": owner, "period": "day", "currency": "USD", "amount": "1000",
        });
        let price = json!({ "match_ref": "model:test:*", "currency": "USD", "rates": { "input": "1", "output": "1" } });
        admin.post("/api/v1/modelhub/prices", price).await.expect(201);
        let budget = id(&admin.post("/api/v1/billing/budgets", budget).await.expect(201));
        let called = acting.post("/v1/chat/completions", chat("model:test:echo", "hi")).await;
        called.expect(200);
        let run = admin.get(&format!("/api/v1/runs/{}", called.header("x-soit-run-id"))).await.expect(200);
        assert_eq!(run["caller"], json!({ "kind": "service_principal", "id": made }));
        assert_eq!(run["user_id"], owner.to_string());
        let spent = admin.get(&format!("/api/v1/billing/budgets/{budget}/status")).await.expect(200)["spent"].clone();
        assert_ne!(spent, "0", "its owner's budget counts it");
        let made_by_it = acting.post("/api/v1/api-keys", json!({ "name": "child", "scopes": ["read"] })).await.expect(201);
        assert_eq!(made_by_it["item"]["principal_id"], made.as_str());
        let rows = admin.get(&format!("/api/v1/audit?actor_id={made}")).await.expect(200);
        let row = &rows["items"][0];
        assert_eq!((&row["actor"]["kind"], &row["event_type"]), (&json!("service_principal"), &json!("key.created")));
        assert_eq!(row["payload"]["owner_user_id"], owner.to_string());
        acting.post("/api/v1/billing/budgets", json!({ "name": "b", "scope_kind": "workspace", "period": "day", "currency": "USD", "amount": "1" })).await.refusal(403);
        let denied = audited(&app, "access.denied").await;
        assert_eq!((&denied[0]["code"], &denied[0]["owner_user_id"]), (&json!("scope_required"), &json!(owner)));
    }

    async fn a_principals_owner_who_is_lowered_or_goes_takes_its_power_along(app: TestApp) {
        let home = first_home(&app).await;
        let owner = new_member(&app, &home, "ada@example.com", Role::Dev).await;
        let admin = app.admin().await;
        let (made, acting) = principal(&app, &admin, Some(owner), "admin").await;
        acting.post("/v1/chat/completions", chat("model:test:echo", "hi")).await.expect(200);
        let member = format!("/api/v1/workspaces/{}/members/{owner}", home.scope.workspace_id);
        patch(&admin, &member, json!({ "role": "viewer" })).await.expect(200);
        let refused = acting.post("/v1/chat/completions", chat("model:test:echo", "hi")).await;
        assert_eq!(refused.expect(403)["error"]["code"], "role_required", "at once");
        admin.send(Method::DELETE, &member, None).await.expect(204);
        let refused = acting.post("/v1/chat/completions", chat("model:test:echo", "hi")).await;
        assert_eq!(refused.expect(403)["error"]["code"], "subject_disabled");
        let path = format!("{PRINCIPALS}/{made}");
        assert_eq!(admin.get(&path).await.expect(200)["status"], "orphaned");
        let me = admin.get("/api/v1/me").await.expect(200)["user"]["id"].clone();
        let taken = patch(&admin, &path, json!({ "owner_user_id": me })).await.expect(200);
        assert_eq!((&taken["status"], &taken["effective_role"]), (&json!("active"), &json!("admin")));
        acting.post("/v1/chat/completions", chat("model:test:echo", "hi")).await.expect(200);
    }

    async fn a_viewer_with_a_grant_calls_the_model_and_without_does_not(app: TestApp) {
        let home = first_home(&app).await;
        let viewer_id = new_member(&app, &home, "viewer@example.com", Role::Viewer).await;
        let kit = Kit::new(app).await;
        let (model, other) = (kit.model("plain").await, kit.model("no-usage").await);
        let viewer = signed_in(&kit.app, "viewer@example.com").await;
        let ask = async |model: &str| viewer.post("/v1/chat/completions", chat(model, "hi")).await;
        assert_eq!(ask(&model).await.expect(403)["error"]["code"], "role_required");
        let grant = json!({
            "subject": viewer_id, "resource_type": "model", "resource_id": model_id(&kit, &model).await, "actions": ["execute"],
        });
        let made = id(&kit.admin.post(GRANTS, grant.clone()).await.expect(201));
        let called = ask(&model).await;
        called.expect(200);
        assert_eq!(ask(&other).await.expect(403)["error"]["code"], "role_required", "of this model alone");
        let steps = kit.of_run(called.header("x-soit-run-id"), "steps").await;
        let gates = steps[0]["decision"]["gates"].as_array().expect("gates").clone();
        assert!(gates.iter().any(|gate| gate["gate"] == "access" && gate["rule"] == made.as_str()), "{gates:?}");
        let models = format!("/api/v1/access/explain?subject={viewer_id}&action=model.call&resource_type=model&resource_id=");
        let told = kit.admin.get(&format!("{models}{}", model_id(&kit, &other).await)).await.expect(200);
        let decisive = told["rules"].as_array().expect("rules").iter().find(|rule| rule["decides"] == true).expect("one").clone();
        assert_eq!((&told["allowed"], &told["code"], &decisive["rule"]), (&json!(false), &json!("role_required"), &json!("grant")));
        let denied = audited(&kit.app, "access.denied").await;
        assert_eq!(denied[0]["code"], told["code"], "the audit holds the code that is explained");

        assert_eq!(kit.admin.post(GRANTS, grant).await.refusal(409), "already_exists");
        kit.admin.send(Method::DELETE, &format!("{GRANTS}/{made}"), None).await.expect(204);
        assert_eq!(ask(&model).await.expect(403)["error"]["code"], "role_required", "taken back");
    }

    async fn a_granted_models_key_stays_within_its_own_list(app: TestApp) {
        let home = first_home(&app).await;
        let owner = new_member(&app, &home, "viewer@example.com", Role::Viewer).await;
        let kit = Kit::new(app).await;
        let (model, other) = (kit.model("plain").await, kit.model("no-usage").await);
        let made = id(&kit.admin.post(PRINCIPALS, json!({ "name": "CI", "role": "viewer", "owner_user_id": owner })).await.expect(201));
        for model in [&model, &other] {
            let grant = json!({
                "subject": made, "resource_type": "model", "resource_id": model_id(&kit, model).await, "actions": ["execute"],
            });
            kit.admin.post(GRANTS, grant).await.expect(201);
        }
        let key = json!({
            "name": "k", "scopes": ["write"], "principal_id": made, "allowed_models": [model], "labels": { "team": "search" },
            "content_capture": "metadata_only",
        });
        let key = kit.admin.post("/api/v1/api-keys", key).await.expect(201);
        let acting = kit.app.anon().bearer(key["api_key"].as_str().expect("a secret"));
        let called = acting.post("/v1/chat/completions", chat(&model, "hi")).await;
        called.expect(200);
        let run = kit.run_of(&called).await;
        assert_eq!((&run["labels"], &run["capture"]), (&json!({ "team": "search" }), &json!("metadata_only")));
        assert_eq!(run["input"]["preview"], Value::Null);
        let refused = acting.post("/v1/chat/completions", chat(&other, "hi")).await;
        assert_eq!(refused.expect(403)["error"]["code"], "model_not_allowed", "a grant lifts no list of a key");
        let labelled = |labels: &'static str| {
            let acting = acting.clone().header(http::HeaderName::from_static("x-soit-labels"), labels);
            let model = model.clone();
            async move { acting.post("/v1/chat/completions", chat(&model, "hi")).await }
        };
        assert_eq!(labelled("team=sales").await.expect(400)["error"]["code"], "label_conflict");
        let run = kit.run_of(&labelled("team=search,env=prod").await).await;
        assert_eq!(run["labels"], json!({ "team": "search", "env": "prod" }));
    }

    async fn groups_are_made_changed_and_deleted(app: TestApp) {
        let home = first_home(&app).await;
        let member = new_member(&app, &home, "viewer@example.com", Role::Viewer).await;
        let admin = app.admin().await;
        let (path, viewer) = (groups(&home), signed_in(&app, "viewer@example.com").await);
        let made = admin.post(&path, json!({ "name": "Crew", "members": [member] })).await;
        assert_eq!((made.header("etag"), &made.expect(201)["members"]), ("\"1\"", &json!([member])));
        let one = format!("{path}/{}", id(&made.json()));
        assert_eq!(viewer.get(&one).await.expect(200)["name"], "Crew", "everybody sees who belongs together");
        assert_eq!(admin.post(&path, json!({ "name": "crew" })).await.refusal(409), "already_exists");
        assert_eq!(patch(&admin, &one, json!({ "members": [] })).await.expect(200)["version"], 2);
        admin.send(Method::DELETE, &one, None).await.expect(204);
        assert_eq!(admin.get(&one).await.refusal(404), "not_found");
        assert_eq!(admin.send(Method::DELETE, &one, None).await.refusal(404), "not_found");
        for name in ["b", "A", "c"] {
            admin.post(&path, json!({ "name": name })).await.expect(201);
        }
        let names = |page: Value| page["items"].as_array().expect("a list").iter().map(|group| group["name"].clone()).collect::<Vec<_>>();
        let first = admin.get(&format!("{path}?limit=2")).await.expect(200);
        let cursor = first["next_cursor"].as_str().expect("another page").to_owned();
        assert_eq!(names(first), ["A", "b"]);
        assert_eq!(names(admin.get(&format!("{path}?limit=2&cursor={cursor}")).await.expect(200)), ["c"]);
    }
}

#[tokio::test]
async fn wrong_principals_and_grants_are_refused_by_field() {
    let app = TestApp::sqlite().await;
    let admin = app.admin().await;
    let me = admin.get("/api/v1/me").await.expect(200)["user"]["id"].clone();
    let nobody = "usr_00000000000000000000000000";
    let of = |actions: Value| json!({ "subject": me, "resource_type": "model", "resource_id": "mdl_00000000000000000000000000", "actions": actions });
    for (path, body, field) in [
        (PRINCIPALS, json!({ "name": "x", "role": "root" }), "role"),
        (PRINCIPALS, json!({ "name": "x", "role": "owner" }), "role"),
        (PRINCIPALS, json!({ "name": " ", "role": "dev" }), "name"),
        (PRINCIPALS, json!({ "name": "x", "role": "dev", "owner_user_id": nobody }), "owner_user_id"),
        (PRINCIPALS, json!({ "name": "x", "role": "dev", "status": "active" }), "status"),
        (
            GRANTS,
            json!({ "subject": "key_x", "resource_type": "model", "resource_id": "x", "actions": ["execute"] }),
            "subject",
        ),
        (
            GRANTS,
            json!({ "subject": me, "resource_type": "agent", "resource_id": "x", "actions": ["execute"] }),
            "resource_type",
        ),
        (GRANTS, of(json!(["publish"])), "actions[0]"),
        (GRANTS, of(json!(["update"])), "actions[0]"),
        (GRANTS, of(json!([])), "actions"),
        ("/api/v1/api-keys", json!({ "name": "k", "scopes": ["read"], "allowed_tools": ["x"] }), "allowed_tools[0]"),
        ("/api/v1/api-keys", json!({ "name": "k", "scopes": ["read"], "cache": {} }), "cache"),
        ("/api/v1/api-keys", json!({ "name": "k", "scopes": ["read"], "toolsets": [] }), "toolsets"),
    ] {
        let answer = admin.post(path, body.clone()).await;
        assert_eq!(answer.refusal(400), "invalid", "{body}");
        assert_eq!(answer.json()["errors"][0]["field"], field, "{}", answer.text);
    }
    assert_eq!(admin.post(GRANTS, of(json!(["execute"]))).await.refusal(404), "not_found");
    for query in ["subject=x&action=model.call", "subject=usr_00000000000000000000000000&action=x", "action=model.call"]
    {
        assert_eq!(admin.get(&format!("/api/v1/access/explain?{query}")).await.status, 400, "{query}");
    }
}
