//! What belongs to one tenant does not exist for another.

use axum::http::Method;
use axum::http::header::IF_MATCH;
use serde_json::{Value, json};
use types::identity::Role;

use super::people::{WORKSPACE_ID, at_console, first_home, new_home, new_member, new_user, post_form, signed_in};
use crate::util::test_app::{Caller, on_both};

/// A word that nothing of the other tenant may hold.
const CANARY: &str = "xylophone";

/// Everything a workspace can hold, made by its owner: the ids by the name of their path parameter's resource.
async fn furnish(owner: &Caller) -> Value {
    let provider = json!({
        "name": CANARY, "slug": CANARY, "kind": "openai_compatible", "base_url": "http://127.0.0.1:9/v1",
    });
    let provider = owner.post("/api/v1/modelhub/providers", provider).await.expect(201);
    let path = format!("/api/v1/modelhub/providers/{}/models", provider["id"].as_str().expect("an id"));
    let model = owner.post(&path, json!({ "model_id": CANARY })).await.expect(201);
    let budget = json!({
        "name": CANARY, "scope_kind": "workspace", "period": "day", "currency": "USD", "amount": "1000",
    });
    let key = owner.post("/api/v1/api-keys", json!({ "name": CANARY, "scopes": ["read"] })).await.expect(201);
    // Longer than a preview, so that there is an artifact.
    let long = format!("{CANARY} {}", "and so on ".repeat(300));
    let chat = json!({ "model": "model:test:echo", "messages": [{ "role": "user", "content": long }] });
    let called = owner.post("/v1/chat/completions", chat).await;
    called.expect(200);
    let budget = owner.post("/api/v1/billing/budgets", budget).await.expect(201);
    let sessions = owner.get("/api/v1/me/sessions").await.expect(200);
    let audit = owner.get("/api/v1/audit?limit=1").await.expect(200);
    let events = owner.get("/api/v1/events?limit=1").await.expect(200);
    let letter = format!("{}.live", events["items"][0]["id"].as_str().expect("an id"));
    let run = owner.get(&format!("/api/v1/runs/{}", called.header("x-soit-run-id"))).await.expect(200);
    let artifacts = owner.get(&format!("/api/v1/runs/{}/artifacts", called.header("x-soit-run-id"))).await.expect(200);
    let me = owner.get("/api/v1/me").await.expect(200);
    let invitations = format!("/api/v1/workspaces/{}/invitations", me["workspace_id"].as_str().expect("an id"));
    let invitation = json!({ "email": format!("{CANARY}@example.com"), "role": "dev" });
    let invitation = owner.post(&invitations, invitation).await.expect(201);
    let view =
        owner.post("/api/v1/me/views", json!({ "page": "runs", "name": CANARY, "query": CANARY, "shared": true }));
    let view = view.await.expect(201);
    let principal = json!({ "name": CANARY, "role": "dev" });
    let principal = owner.post("/api/v1/service-principals", principal).await.expect(201);
    let groups = format!("/api/v1/workspaces/{}/groups", me["workspace_id"].as_str().expect("an id"));
    let group = owner.post(&groups, json!({ "name": CANARY, "members": [me["user"]["id"]] })).await.expect(201);
    let grant = json!({
        "subject": principal["id"], "resource_type": "model", "resource_id": model["id"], "actions": ["execute"],
    });
    let grant = owner.post("/api/v1/resource-grants", grant).await.expect(201);
    let tenant = &me["workspaces"][0]["tenant_id"];
    // Its label is told to who has not signed in, the rest to nobody else.
    let connection = json!({ "label": "idp", "issuer": "http://127.0.0.1:9", "client_id": CANARY });
    let connections = format!("/api/v1/tenants/{}/sso", tenant.as_str().expect("an id"));
    let connection = owner.post(&connections, connection).await.expect(201);
    let hold = json!({ "name": CANARY, "reason": CANARY, "filter": { "caller_id": me["user"]["id"] } });
    let hold = owner.post("/api/v1/legal-holds", hold).await.expect(201);
    let scrub = format!("/api/v1/workspaces/{}/content/scrub", me["workspace_id"].as_str().expect("an id"));
    let task = owner.post(&scrub, json!({ "before": "2000-01-01T00:00:00Z" })).await.expect(202);
    json!({
        "legal-holds": hold["id"], "tasks": task["id"], "tenants": tenant, "users": me["user"]["id"], "sso": connection["id"],
        "service-principals": principal["id"], "groups": group["id"], "resource-grants": grant["id"],
        "views": view["id"], "members": me["user"]["id"], "invitations": invitation["item"]["id"],
        "providers": provider["id"], "models": model["id"], "budgets": budget["id"], "api-keys": key["item"]["id"],
        "artifacts": artifacts["items"][0]["id"], "runs": called.header("x-soit-run-id"), "sessions": sessions["items"][0]["id"],
        "audit": audit["items"][0]["seq"].to_string(), "dead-letters": "outbox", "{kind}": letter,
        "trace": run["trace_id"], "exports": "costs",
    })
}

/// The path with every parameter replaced by the id of the resource before it.
fn fill(path: &str, ids: &Value, workspace: &str) -> String {
    let (mut filled, mut before) = (Vec::new(), "");
    for part in path.split('/') {
        filled.push(match (part.starts_with('{'), before) {
            (false, _) => part,
            (true, "workspaces") => workspace,
            (true, resource) => ids[resource].as_str().unwrap_or_else(|| panic!("no id for `{resource}`")),
        });
        before = part;
    }
    filled.join("/")
}

on_both! {
    async fn ids_of_another_tenant_name_nothing(app: TestApp) {
        let (home, other) = (first_home(&app).await, new_home(&app, "other").await);
        new_member(&app, &home, "alice@example.com", Role::Owner).await;
        new_member(&app, &other, "bob@example.com", Role::Owner).await;
        let ids = furnish(&signed_in(&app, "alice@example.com").await).await;
        let bob = signed_in(&app, "bob@example.com").await;
        let made = bob.post("/api/v1/api-keys", json!({ "name": "k", "scopes": ["admin"] })).await.expect(201);
        let key_of_bob = app.anon().bearer(made["api_key"].as_str().expect("a secret"));
        let workspace = home.scope.workspace_id.to_string();

        let document = app.anon().get("/api/v1/openapi.json").await.expect(200);
        let mut walked = 0;
        for (path, item) in document["paths"].as_object().expect("paths") {
            for method in item.as_object().expect("operations").keys() {
                let filled = format!("/api/v1{}", fill(path, &ids, &workspace));
                let method: Method = method.to_uppercase().parse().expect("a method");
                let method = if path.ends_with("/stream") { Method::HEAD } else { method };
                let body = (![Method::GET, Method::HEAD, Method::DELETE].contains(&method)).then(|| json!({}));
                // A kind of record is no id: everybody has records of it.
                let names_an_id = path.contains('{') && path != "/exports/{record_type}";
                let callers = if path.starts_with("/me/") { vec![&bob] } else { vec![&bob, &key_of_bob] };
                for caller in callers.into_iter().filter(|_| names_an_id) {
                    let caller = caller.clone().header(IF_MATCH, "\"1\"");
                    let answer = caller.send(method.clone(), &filled, body.clone()).await;
                    // A body that is wrong anyway may be said to be wrong first.
                    let is_hidden = answer.status == 404 || (answer.status == 400 && body.is_some());
                    assert!(is_hidden, "{method} {filled}: {} {}", answer.status, answer.text);
                    assert!(!answer.text.contains(CANARY), "{method} {filled}");
                    walked += 1;
                }
                if method == Method::GET && !names_an_id {
                    let answer = bob.get(&filled).await;
                    assert!(!answer.text.contains(CANARY) && !answer.text.contains(&workspace), "GET {filled}");
                }
            }
        }
        assert!(walked > 40, "{walked}");
        let model = ids["models"].as_str().expect("an id");
        let me = bob.get("/api/v1/me").await.expect(200)["user"]["id"].as_str().expect("an id").to_owned();
        let grant = |subject: &str| json!({
            "subject": subject, "resource_type": "model", "resource_id": model, "actions": ["execute"],
        });
        assert_eq!(bob.post("/api/v1/resource-grants", grant(&me)).await.refusal(404), "not_found");
        for kind in ["service-principals", "members", "api-keys"] {
            let subject = ids[kind].as_str().expect("an id");
            let asked = bob.get(&format!("/api/v1/access/explain?subject={subject}&action=model.call")).await;
            assert_eq!(asked.refusal(404), "not_found", "{kind}");
        }
        let foreign = json!({ "name": "k", "scopes": ["read"], "principal_id": ids["service-principals"] });
        let answer = bob.post("/api/v1/api-keys", foreign).await;
        assert_eq!((answer.refusal(400).as_str(), &answer.json()["errors"][0]["field"]), ("invalid", &json!("principal_id")));
        for path in ["/api/v1/api-keys", "/api/v1/runs", "/v1/models"] {
            let there = bob.clone().header(WORKSPACE_ID, &workspace).get(path).await;
            assert_eq!(there.status, 404, "{path}");
            let there = key_of_bob.clone().header(WORKSPACE_ID, &workspace).get(path).await;
            assert_eq!(there.status, 400, "{path}");
        }
        let alice = signed_in(&app, "alice@example.com").await;
        assert!(alice.get("/api/v1/api-keys").await.text.contains(CANARY), "it is there for who belongs there");
    }

    async fn who_runs_the_instance_reads_nothing_of_what_is_in_a_tenant(app: TestApp) {
        let home = first_home(&app).await;
        new_member(&app, &home, "alice@example.com", Role::Owner).await;
        new_user(&app, "op@example.com", true).await;
        let ids = furnish(&signed_in(&app, "alice@example.com").await).await;
        let operator = signed_in(&app, "op@example.com").await;
        let workspace = home.scope.workspace_id.to_string();
        let document = app.anon().get("/api/v1/openapi.json").await.expect(200);
        let mut walked = 0;
        for (path, item) in document["paths"].as_object().expect("paths") {
            if item.get("get").is_none() {
                continue;
            }
            let filled = format!("/api/v1{}", fill(path, &ids, &workspace));
            let method = if path.ends_with("/stream") { Method::HEAD } else { Method::GET };
            for caller in [operator.clone(), operator.clone().header(WORKSPACE_ID, &workspace)] {
                let answer = caller.send(method.clone(), &filled, None).await;
                assert!(!answer.text.contains(CANARY), "{filled}: {}", answer.text);
                // Of people the instance knows the accounts, and where they belong; of a tenant its names.
                let is_theirs = path.starts_with("/operator/") || path.starts_with("/me") || path.starts_with("/tenants");
                assert!(is_theirs || !answer.text.contains(&workspace), "{filled}: {}", answer.text);
                walked += 1;
            }
            let there = operator.clone().header(WORKSPACE_ID, &workspace).send(method, &filled, None).await;
            let is_open = path.starts_with("/operator/") || path == "/auth/capabilities" || path.starts_with("/exports/schema");
            let is_hidden = [400, 404].contains(&there.status);
            assert!(is_open || is_hidden || path == "/tenants", "{filled}: {}", there.status);
        }
        assert!(walked > 80, "{walked}");
        let console = at_console(&app, "op@example.com").await;
        for function in ["find_shell", "list_keys", "list_members", "find_model_hub", "find_workspace"] {
            let there = post_form(&console, &format!("/ui/fn/{function}"), &[("workspace", home.slug.as_str())]).await;
            assert_eq!(there.status, 404, "{function}");
        }
        let page = [("tenant", "default"), ("section", "members")];
        assert_eq!(post_form(&console, "/ui/fn/find_tenant_page", &page).await.status, 404);
    }

    async fn the_console_shows_nothing_of_another_workspace(app: TestApp) {
        let (home, other) = (first_home(&app).await, new_home(&app, "other").await);
        new_member(&app, &home, "alice@example.com", Role::Owner).await;
        new_member(&app, &other, "bob@example.com", Role::Owner).await;
        furnish(&signed_in(&app, "alice@example.com").await).await;
        let bob = at_console(&app, "bob@example.com").await;
        for function in ["find_shell", "list_keys", "list_members", "list_invitations", "list_principals", "list_groups", "list_grants", "list_key_subjects", "list_budgets", "find_model_hub", "find_egress_policy", "find_workspace"] {
            let there = post_form(&bob, &format!("/ui/fn/{function}"), &[("workspace", home.slug.as_str())]).await;
            assert_eq!(there.status, 404, "{function}");
            let here = post_form(&bob, &format!("/ui/fn/{function}"), &[("workspace", "other")]).await;
            assert_eq!(here.status, 200, "{function}: {}", here.text);
            assert!(!here.text.contains(CANARY), "{function}");
        }
        let missing = bob.get(&format!("/w/{}/keys", home.slug)).await;
        assert!(!missing.text.contains(CANARY));
    }
}
