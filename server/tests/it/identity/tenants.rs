//! Tenants: who makes and manages them, what binds their workspaces, and what they leave on record.

use axum::http::Method;
use axum::http::header::{COOKIE, IF_MATCH};
use kernel::context::Scope;
use serde_json::{Value, json};
use testkit::database::TestDatabase;
use types::id::{TenantId, UserId};
use types::identity::{Role, TenantRole};

use super::people::{
    Home, PASSWORD, WORKSPACE_ID, at_console, first_home, join, new_home, new_member, new_user, new_workspace,
    place_of, post_form, set_cookie, signed_in,
};
use crate::gateway_kit::chat;
use crate::util::test_app::{Answer, Caller, TestApp, on_both};

fn tenant(home: &Home) -> String {
    format!("/api/v1/tenants/{}", home.scope.tenant_id)
}

fn member(home: &Home, id: UserId) -> String {
    format!("{}/members/{id}", tenant(home))
}

/// Changes what was read.
async fn patch(caller: &Caller, path: &str, change: Value) -> Answer {
    let seen = caller.get(path).await;
    if seen.status == 403 {
        return seen;
    }
    let caller = caller.clone().header(IF_MATCH, seen.header("etag"));
    caller.send(Method::PATCH, path, Some(change)).await
}

fn there(caller: &Caller, home: &Home) -> Caller {
    caller.clone().header(WORKSPACE_ID, &home.scope.workspace_id.to_string())
}

fn events(page: &Value) -> Vec<String> {
    let items = page["items"].as_array().expect("a list").iter();
    items.map(|item| item["event_type"].as_str().expect("a name").to_owned()).collect()
}

on_both! {
    async fn a_tenant_is_named_by_those_who_manage_it(app: TestApp) {
        let home = new_home(&app, "acme").await;
        new_member(&app, &home, "ada@example.com", Role::Owner).await;
        new_member(&app, &home, "dev@example.com", Role::Dev).await;
        let (ada, dev) = (signed_in(&app, "ada@example.com").await, signed_in(&app, "dev@example.com").await);
        let path = tenant(&home);
        assert_eq!(ada.get(&path).await.expect(200)["role"], "owner");
        assert_eq!(dev.get(&path).await.expect(200)["role"], "member");
        assert_eq!(ada.send(Method::PATCH, &path, Some(json!({ "name": "B" }))).await.refusal(428), "precondition_required");
        let named = patch(&ada, &path, json!({ "name": "Bell", "slug": "bell" })).await.expect(200);
        assert_eq!((named["slug"].as_str(), named["version"].as_u64()), (Some("bell"), Some(2)));
        assert_eq!(patch(&dev, &path, json!({ "name": "C" })).await.refusal(403), "role_required");
        new_home(&app, "taken").await;
        let taken = patch(&ada, &path, json!({ "slug": "taken" })).await;
        assert_eq!((taken.refusal(409).as_str(), &taken.json()["errors"][0]["field"]), ("already_exists", &json!("slug")));
        let own = ada.get("/api/v1/tenants").await.expect(200);
        assert_eq!((own["items"].as_array().map(Vec::len), &own["items"][0]["slug"]), (Some(1), &json!("bell")));

        let login = json!({ "email": "ada@example.com", "password": PASSWORD });
        let tokens = app.anon().post("/api/v1/login", login).await.expect(200);
        let unproved = app.anon().bearer(tokens["access_token"].as_str().expect("a token"));
        assert_eq!(patch(&unproved, &path, json!({ "name": "D" })).await.refusal(403), "step_up_required");
    }

    async fn a_header_of_another_tenant_than_the_path_is_refused(app: TestApp) {
        let (home, other) = (new_home(&app, "acme").await, new_home(&app, "other").await);
        let ada = new_member(&app, &home, "ada@example.com", Role::Owner).await;
        join(&app, &other, ada, TenantRole::Member, Some(Role::Viewer)).await;
        let ada = signed_in(&app, "ada@example.com").await;
        let answer = there(&ada, &other).get(&tenant(&home)).await;
        assert_eq!(answer.refusal(400), "workspace_conflict");
        there(&ada, &home).get(&tenant(&home)).await.expect(200);
        let unknown = TenantId::from_uuid(app.app.ids.uuid());
        let foreign = new_home(&app, "foreign").await.scope.tenant_id;
        for id in [unknown, foreign] {
            for rest in ["", "/members", "/ceilings", "/audit", "/audit/chain", "/audit/chain/verify", "/usage"] {
                let answer = ada.get(&format!("/api/v1/tenants/{id}{rest}")).await;
                let problem = answer.json();
                assert_eq!((answer.refusal(404).as_str(), &problem["detail"]), ("not_found", &ada.get(&format!("/api/v1/tenants/{unknown}")).await.json()["detail"]));
            }
        }
        assert_eq!(ada.get("/api/v1/tenants/ten_1").await.refusal(404), "not_found", "no id at all");
    }

    async fn workspaces_of_one_name_in_two_tenants_are_never_taken_for_each_other(app: TestApp) {
        let (acme, bell) = (new_home(&app, "acme").await, new_home(&app, "bell").await);
        let one = new_workspace(&app, acme.scope.tenant_id, "desk").await;
        let two = new_workspace(&app, bell.scope.tenant_id, "desk").await;
        let ada = new_user(&app, "ada@example.com", false).await;
        join(&app, &one, ada, TenantRole::Member, Some(Role::Owner)).await;
        join(&app, &two, ada, TenantRole::Member, Some(Role::Owner)).await;
        let ada = at_console(&app, "ada@example.com").await;
        let called = |home: &Home| home.scope.workspace_id.to_string().replace("wsp_", "");
        for home in [&one, &two, &one] {
            let own = called(home);
            let page = ada.get(&format!("/w/{own}/runs")).await;
            assert_eq!(page.status, 200);
            assert!(page.text.contains(&format!("href=\"/w/{own}/keys")), "its links lead on in it");
            assert!(!page.text.contains("href=\"/w/desk"), "and none leads to both");
            let led = ada.get("/w/desk/runs?status=failed").await;
            assert_eq!((led.status, led.header("location")), (303, format!("/w/{own}/runs?status=failed").as_str()));
        }
        let chooser = ada.get("/?choose=1").await;
        for (home, shown) in [(&one, "desk (acme)"), (&two, "desk (bell)")] {
            assert!(chooser.text.contains(&format!("href=\"/w/{}\"", called(home))) && chooser.text.contains(shown));
        }
        let form = |workspace: &str| [("workspace", workspace.to_owned())];
        let find = async |workspace: &str| {
            let form = form(workspace);
            let form: Vec<(&str, &str)> = form.iter().map(|(name, value)| (*name, value.as_str())).collect();
            post_form(&ada, "/ui/fn/find_workspace", &form).await
        };
        let unclear = find("desk").await;
        assert!(unclear.status == 400 && unclear.text.contains("workspace_conflict"), "{}", unclear.text);
        for home in [&one, &two] {
            let found = find(&called(home)).await;
            assert!(found.text.contains(&home.scope.tenant_id.to_string()), "{}", found.text);
        }
        let export = |workspace: &str| format!("/ui/export/runs?w={workspace}&format=csv");
        assert_eq!(ada.get(&export("desk")).await.refusal(400), "workspace_conflict");
        assert_eq!(ada.get(&export(&called(&two))).await.status, 200);

        // Who worked in neither chooses; who belongs to one of them is led there; to others neither is there.
        let home = new_home(&app, "home").await;
        let eve = new_member(&app, &home, "eve@example.com", Role::Owner).await;
        let only = at_console(&app, "eve@example.com").await;
        assert_eq!(only.get("/w/home/runs").await.status, 200);
        assert_eq!(only.get(&format!("/w/{}/runs", called(&one))).await.status, 404);
        join(&app, &one, eve, TenantRole::Member, Some(Role::Viewer)).await;
        let only = at_console(&app, "eve@example.com").await;
        assert_eq!(only.get("/w/desk/runs").await.status, 200);
        assert_eq!(only.get("/w/home/runs").await.status, 200);
        join(&app, &two, eve, TenantRole::Member, Some(Role::Viewer)).await;
        let eve = at_console(&app, "eve@example.com").await;
        assert_eq!(eve.get("/w/home/runs").await.status, 200);
        let led = eve.get("/w/desk/runs").await;
        assert_eq!((led.status, led.header("location")), (303, "/?choose=1"));
    }

    async fn a_workspace_gets_another_short_name(app: TestApp) {
        let home = new_home(&app, "acme").await;
        new_workspace(&app, home.scope.tenant_id, "taken").await;
        new_home(&app, "elsewhere").await;
        new_member(&app, &home, "ada@example.com", Role::Owner).await;
        new_member(&app, &home, "dev@example.com", Role::Dev).await;
        let (ada, dev) = (signed_in(&app, "ada@example.com").await, signed_in(&app, "dev@example.com").await);
        let path = format!("/api/v1/workspaces/{}", home.scope.workspace_id);
        let console = at_console(&app, "ada@example.com").await;
        assert_eq!(console.get("/w/acme").await.status, 200);
        let renamed = patch(&ada, &path, json!({ "slug": "desk" })).await.expect(200);
        assert_eq!((renamed["slug"].as_str(), renamed["name"].as_str()), (Some("desk"), Some("acme")));
        assert_eq!(console.get("/w/desk").await.status, 200);
        assert_eq!(console.get("/w/acme").await.status, 404, "the former name leads nowhere");
        let taken = patch(&ada, &path, json!({ "slug": "taken" })).await;
        assert_eq!((taken.refusal(409).as_str(), &taken.json()["errors"][0]["field"]), ("already_exists", &json!("slug")));
        patch(&ada, &path, json!({ "slug": "elsewhere" })).await.expect(200);
        assert_eq!(patch(&ada, &path, json!({ "slug": "No Slug" })).await.refusal(400), "invalid");
        assert_eq!(patch(&dev, &path, json!({ "slug": "mine" })).await.refusal(403), "role_required");
        let without = ada.send(Method::PATCH, &path, Some(json!({ "slug": "x" }))).await;
        assert_eq!(without.refusal(428), "precondition_required");
        let etag = ada.get(&path).await.header("etag").to_owned();
        let at = ada.clone().header(IF_MATCH, &etag);
        let (first, second) = tokio::join!(
            at.send(Method::PATCH, &path, Some(json!({ "slug": "one" }))),
            at.send(Method::PATCH, &path, Some(json!({ "slug": "two" }))),
        );
        let mut outcomes = [first.status, second.status];
        outcomes.sort_unstable();
        assert_eq!(outcomes, [200, 412], "{} {}", first.text, second.text);
        let told = ada.get("/api/v1/audit?event_type=workspace.updated").await.expect(200);
        let payload = &told["items"][2]["payload"];
        assert_eq!((&payload["before"]["slug"], &payload["after"]["slug"]), (&json!("acme"), &json!("desk")));
    }

    async fn a_tenant_is_named_peopled_and_deleted_at_the_console(app: TestApp) {
        let home = new_home(&app, "acme").await;
        new_member(&app, &home, "ada@example.com", Role::Owner).await;
        let former = new_member(&app, &home, "eve@example.com", Role::Viewer).await;
        let ada = signed_in(&app, "ada@example.com").await;
        ada.send(Method::DELETE, &member(&home, former), None).await.expect(204);
        let console = at_console(&app, "ada@example.com").await;
        let act = async |form: &[(&str, &str)]| {
            let form: Vec<(&str, &str)> = [("tenant", "acme")].iter().chain(form).copied().collect();
            post_form(&console, "/ui/fn/manage_tenant", &form).await
        };
        let version = ada.get(&tenant(&home)).await.expect(200)["version"].to_string();
        let renamed = act(&[("act", "rename"), ("version", &version), ("form[name]", "Acme Ltd")]).await;
        assert_eq!(renamed.status, 200, "{}", renamed.text);
        let stale = act(&[("act", "rename"), ("version", &version), ("form[name]", "Other")]).await;
        assert!(stale.status == 412 && stale.text.contains("precondition_failed"), "{}", stale.text);
        assert!(console.get("/t/acme/ceilings").await.text.contains("Acme Ltd"));
        let add = |email: &'static str| [("act", "add_member"), ("form[email]", email), ("form[role]", "member")];
        assert_eq!(act(&add("nobody@example.com")).await.status, 404);
        assert_eq!(act(&add("no address")).await.status, 400);
        assert_eq!(act(&add("eve@example.com")).await.status, 200);
        assert!(console.get("/t/acme/members").await.text.contains("eve@example.com"));
        let used = act(&[("act", "delete")]).await;
        assert!(used.status == 409 && used.text.contains("in_use"), "{}", used.text);
        let workspace = format!("/api/v1/workspaces/{}", home.scope.workspace_id);
        assert!(ada.send(Method::DELETE, &workspace, None).await.status < 300);
        let form = [("email", "ada@example.com"), ("password", PASSWORD)];
        let fresh = post_form(&app.browser(), "/ui/sign-in", &form).await;
        let unproved = app.browser().header(COOKIE, &set_cookie(&fresh, "soit_session").expect("a session"));
        let early = post_form(&unproved, "/ui/fn/manage_tenant", &[("tenant", "acme"), ("act", "delete")]).await;
        assert!(early.status == 403 && early.text.contains("step_up_required"), "{}", early.text);
        let deleted = act(&[("act", "delete")]).await;
        assert!(deleted.status == 200 || deleted.status == 302, "{}", deleted.text);
        assert_eq!(console.get("/t/acme/workspaces").await.status, 404);
        assert_eq!(act(&[("act", "delete")]).await.status, 404, "once is enough");
    }

    async fn two_owners_of_a_tenant_who_demote_each_other_at_once_leave_one(app: TestApp) {
        let home = new_home(&app, "acme").await;
        let one = new_member(&app, &home, "one@example.com", Role::Owner).await;
        let other = new_member(&app, &home, "other@example.com", Role::Owner).await;
        let callers = (signed_in(&app, "one@example.com").await, signed_in(&app, "other@example.com").await);
        let (of_one, of_other) = (member(&home, one), member(&home, other));
        let demote = json!({ "role": "Member" });
        let (first, second) =
            tokio::join!(patch(&callers.0, &of_other, demote.clone()), patch(&callers.1, &of_one, demote.clone()));
        let mut outcomes = [first.status, second.status];
        outcomes.sort_unstable();
        assert_eq!(outcomes, [200, 403], "{} {}", first.text, second.text);
        let (keeper, own) = if first.status == 200 { (&callers.0, &of_one) } else { (&callers.1, &of_other) };
        let listed = keeper.get(&format!("{}/members", tenant(&home))).await.expect(200);
        let owners = listed["items"].as_array().expect("a list").iter().filter(|member| member["role"] == "owner");
        assert_eq!(owners.count(), 1);
        assert_eq!(patch(keeper, own, demote).await.refusal(409), "last_owner");
        assert_eq!(keeper.send(Method::DELETE, own, None).await.refusal(409), "last_owner");
    }

    async fn only_owners_of_a_tenant_make_and_unmake_owners(app: TestApp) {
        let home = new_home(&app, "acme").await;
        let owner = new_member(&app, &home, "ada@example.com", Role::Owner).await;
        let boss = new_user(&app, "boss@example.com", false).await;
        join(&app, &home, boss, TenantRole::Admin, None).await;
        let newcomer = place_of(&app, &home, None).await;
        let boss = signed_in(&app, "boss@example.com").await;
        assert_eq!(patch(&boss, &member(&home, newcomer), json!({ "role": "owner" })).await.refusal(403), "role_required");
        assert_eq!(patch(&boss, &member(&home, owner), json!({ "role": "member" })).await.refusal(403), "role_required");
        assert_eq!(boss.send(Method::DELETE, &member(&home, owner), None).await.refusal(403), "role_required");
        patch(&boss, &member(&home, newcomer), json!({ "role": "admin" })).await.expect(200);
        // Who never belonged is not there, whether or not they have an account.
        new_user(&app, "stranger@example.com", false).await;
        let path = format!("{}/members", tenant(&home));
        for email in ["stranger@example.com", "nobody@example.com"] {
            let answer = boss.post(&path, json!({ "email": email, "role": "member" })).await;
            assert_eq!(answer.refusal(404), "not_found", "{email}");
        }
    }

    async fn who_is_removed_from_a_tenant_has_nothing_left_in_it(app: TestApp) {
        let home = first_home(&app).await;
        let near = new_workspace(&app, home.scope.tenant_id, "near").await;
        new_member(&app, &home, "ada@example.com", Role::Owner).await;
        let dev = new_member(&app, &home, "dev@example.com", Role::Dev).await;
        let (ada, dev_session) = (signed_in(&app, "ada@example.com").await, signed_in(&app, "dev@example.com").await);
        let made = there(&dev_session, &home).post("/api/v1/api-keys", json!({ "name": "k", "scopes": ["write"] })).await.expect(201);
        let key = app.anon().bearer(made["api_key"].as_str().expect("a secret"));
        key.post("/v1/chat/completions", chat("model:test:echo", "hi")).await.expect(200);
        // Who alone owns a workspace cannot go, and nothing of theirs ends.
        let sole = new_user(&app, "sole@example.com", false).await;
        join(&app, &near, sole, TenantRole::Member, Some(Role::Owner)).await;
        let refused = ada.send(Method::DELETE, &member(&home, sole), None).await;
        assert_eq!(refused.refusal(409), "last_owner");
        assert!(refused.text.contains("near"), "{}", refused.text);

        ada.send(Method::DELETE, &member(&home, dev), None).await.expect(204);
        assert_eq!(key.get("/api/v1/me").await.refusal(401), "invalid_credentials");
        assert_eq!(there(&dev_session, &home).get("/api/v1/runs").await.status / 100, 4);
        let listed = there(&ada, &home).get(&format!("/api/v1/workspaces/{}/members", home.scope.workspace_id)).await;
        assert!(!listed.expect(200).to_string().contains(&dev.to_string()), "no ghost is left");
        assert_eq!(ada.send(Method::DELETE, &member(&home, dev), None).await.refusal(404), "not_found");
        let back = ada.post(&format!("{}/members", tenant(&home)), json!({ "user_id": dev, "role": "member" })).await;
        assert_eq!(back.expect(201)["version"], 3, "versions go on");
        assert_eq!(ada.post(&format!("{}/members", tenant(&home)), json!({ "user_id": dev, "role": "member" })).await.refusal(409), "already_exists");
        let record = ada.get(&format!("{}/audit", tenant(&home))).await.expect(200);
        assert_eq!(events(&record), ["tenant.member_added", "tenant.member_removed"]);
    }

    async fn what_binds_a_tenant_binds_every_workspace_of_it(app: TestApp) {
        let home = first_home(&app).await;
        new_member(&app, &home, "ada@example.com", Role::Owner).await;
        let ada = signed_in(&app, "ada@example.com").await;
        let path = format!("{}/ceilings", tenant(&home));
        assert_eq!(ada.get(&path).await.expect(200)["content_capture"], "full");
        let key = app.key(&["write"]).await;
        let kept = |run: &str| {
            let (app, run) = (&app, run.to_owned());
            async move { app.admin().await.get(&format!("/api/v1/runs/{run}")).await.expect(200)["capture"].clone() }
        };
        let call = || async { key.post("/v1/chat/completions", chat("model:test:echo", "hi")).await.header("x-soit-run-id").to_owned() };
        assert_eq!(kept(&call().await).await, "full");
        patch(&ada, &path, json!({ "content_capture": "metadata_only" })).await.expect(200);
        assert_eq!(kept(&call().await).await, "metadata_only", "the workspace itself still says full");
        let workspace = format!("/api/v1/workspaces/{}", home.scope.workspace_id);
        assert_eq!(ada.get(&workspace).await.expect(200)["content_capture"], "full");
        let refused = there(&ada, &home).post("/api/v1/api-keys", json!({ "name": "k", "scopes": ["read"], "content_capture": "redacted" })).await;
        assert_eq!(refused.json()["errors"][0]["field"], "content_capture", "a key keeps no more than that either");
        let wrong = patch(&ada, &path, json!({ "content_capture": "nothing" })).await;
        assert_eq!((wrong.refusal(400).as_str(), &wrong.json()["errors"][0]["field"]), ("invalid", &json!("content_capture")));
        patch(&ada, &path, json!({ "content_capture": "full" })).await.expect(200);
        assert_eq!(kept(&call().await).await, "full");
    }

    async fn a_workspace_is_made_joined_archived_and_restored(app: TestApp) {
        let home = first_home(&app).await;
        let ada_id = new_member(&app, &home, "ada@example.com", Role::Owner).await;
        let boss = new_user(&app, "boss@example.com", false).await;
        join(&app, &home, boss, TenantRole::Admin, None).await;
        let (ada, boss_at) = (signed_in(&app, "ada@example.com").await, signed_in(&app, "boss@example.com").await);
        let tenant_id = home.scope.tenant_id;
        let new = json!({ "tenant_id": tenant_id, "name": "Desk", "slug": "desk" });
        let made = ada.post("/api/v1/workspaces", new.clone()).await.expect(201);
        let desk = Home {
            scope: Scope { tenant_id, workspace_id: made["id"].as_str().expect("an id").parse().expect("an id") },
            slug: "desk".parse().expect("a slug"),
        };
        let taken = ada.post("/api/v1/workspaces", new).await;
        assert_eq!((taken.refusal(409).as_str(), &taken.json()["errors"][0]["field"]), ("already_exists", &json!("slug")));
        let path = format!("/api/v1/workspaces/{}", desk.scope.workspace_id);
        assert_eq!(ada.get(&format!("{path}/members")).await.expect(200)["items"][0]["user_id"], json!(ada_id));

        assert_eq!(boss_at.get(&path).await.refusal(404), "not_found", "a role in the tenant is none in it");
        let joined = boss_at.post(&format!("{path}/join"), json!({})).await.expect(201);
        assert_eq!((joined["role"].as_str(), joined["tenant_role"].as_str()), (Some("admin"), Some("admin")));
        assert_eq!(boss_at.post(&format!("{path}/join"), json!({})).await.refusal(409), "already_exists");
        let told = there(&ada, &desk).get("/api/v1/audit?event_type=workspace.joined").await.expect(200);
        assert_eq!(told["items"][0]["actor"]["id"], json!(boss));
        let told = there(&ada, &desk).get("/api/v1/events?event_type=member.joined").await.expect(200);
        assert_eq!(told["items"][0]["payload"]["user_id"], json!(boss), "{told}");

        let (ada, boss_at) = (there(&ada, &desk), there(&boss_at, &desk));
        let key = ada.post("/api/v1/api-keys", json!({ "name": "k", "scopes": ["admin"] })).await.expect(201);
        let key_id = key["item"]["id"].as_str().expect("an id").to_owned();
        let key = app.anon().bearer(key["api_key"].as_str().expect("a secret"));
        assert_eq!(boss_at.send(Method::DELETE, &path, None).await.refusal(403), "role_required", "owners archive");
        ada.send(Method::DELETE, &path, None).await.expect(204);
        assert_eq!(ada.get(&path).await.expect(200)["status"], "archived");
        for read in ["/api/v1/runs", "/api/v1/audit", "/api/v1/api-keys", "/api/v1/modelhub/providers"] {
            ada.get(read).await.expect(200);
            key.get(read).await.expect(200);
        }
        assert_eq!(ada.get("/api/v1/exports/runs").await.status, 200);
        let refused = key.post("/v1/chat/completions", chat("model:test:echo", "hi")).await;
        assert_eq!((refused.status, refused.text.contains("workspace_archived")), (409, true), "{}", refused.text);
        let budget = json!({ "name": "b", "scope_kind": "workspace", "period": "day", "currency": "USD", "amount": "1" });
        for (change, body) in [
            ("/api/v1/api-keys", json!({ "name": "k", "scopes": ["read"] })),
            ("/api/v1/billing/budgets", budget),
            ("/api/v1/service-principals", json!({ "name": "p", "role": "dev" })),
        ] {
            assert_eq!(ada.post(change, body).await.refusal(409), "workspace_archived", "{change}");
        }
        assert_eq!(patch(&ada, &path, json!({ "name": "X" })).await.refusal(409), "workspace_archived");
        let revoked = ada.post(&format!("/api/v1/api-keys/{key_id}/revoke"), json!({})).await;
        assert_eq!(revoked.status / 100, 2, "{}", revoked.text);
        ada.post(&format!("{path}/restore"), json!({})).await.expect(200);
        ada.post("/api/v1/api-keys", json!({ "name": "k", "scopes": ["read"] })).await.expect(201);
    }

    async fn a_call_decided_before_its_workspace_was_archived_is_decided_again(app: TestApp) {
        let home = first_home(&app).await;
        new_member(&app, &home, "ada@example.com", Role::Owner).await;
        let ada = signed_in(&app, "ada@example.com").await;
        let key = app.key(&["write"]).await;
        key.post("/v1/chat/completions", chat("model:test:echo", "warm")).await.expect(200);
        ada.send(Method::DELETE, &format!("/api/v1/workspaces/{}", home.scope.workspace_id), None).await.expect(204);
        let refused = key.post("/v1/chat/completions", chat("model:test:echo", "cold")).await;
        assert_eq!(refused.status, 409, "{}", refused.text);
        let console = at_console(&app, "ada@example.com").await;
        let page = console.get("/w/default").await;
        assert!(page.text.contains("This workspace is archived"), "the page says so");
    }

    async fn a_tenant_without_a_workspace_in_use_is_deleted(app: TestApp) {
        let home = new_home(&app, "acme").await;
        new_member(&app, &home, "ada@example.com", Role::Owner).await;
        let ada = signed_in(&app, "ada@example.com").await;
        let refused = ada.send(Method::DELETE, &tenant(&home), None).await;
        assert_eq!(refused.refusal(409), "in_use");
        let key = there(&ada, &home).post("/api/v1/api-keys", json!({ "name": "k", "scopes": ["read"] })).await.expect(201);
        let key = app.anon().bearer(key["api_key"].as_str().expect("a secret"));
        ada.send(Method::DELETE, &format!("/api/v1/workspaces/{}", home.scope.workspace_id), None).await.expect(204);
        ada.send(Method::DELETE, &tenant(&home), None).await.expect(204);
        assert_eq!(ada.get(&tenant(&home)).await.refusal(404), "not_found");
        assert_eq!(there(&ada, &home).get("/api/v1/runs").await.refusal(404), "not_found");
        assert_eq!(key.get("/api/v1/runs").await.refusal(403), "subject_disabled");
        let operator = app.admin().await;
        let all = operator.get("/api/v1/tenants?all=true").await.expect(200);
        assert!(!all.to_string().contains("\"acme\""), "{all}");
        new_home(&app, "acme").await;
    }

    async fn a_tenants_record_and_usage_are_of_the_whole(app: TestApp) {
        let home = first_home(&app).await;
        new_member(&app, &home, "ada@example.com", Role::Owner).await;
        let ada = signed_in(&app, "ada@example.com").await;
        let tenant_id = home.scope.tenant_id;
        let made = ada.post("/api/v1/workspaces", json!({ "tenant_id": tenant_id, "name": "Desk", "slug": "desk" })).await;
        let desk = made.expect(201)["id"].as_str().expect("an id").to_owned();
        for workspace in [home.scope.workspace_id.to_string(), desk.clone()] {
            let caller = ada.clone().header(WORKSPACE_ID, &workspace);
            let rule = json!({ "match_ref": "model:test:*", "currency": "USD", "rates": { "input": "1", "output": "1" } });
            caller.post("/api/v1/modelhub/prices", rule).await.expect(201);
            caller.post("/v1/chat/completions", chat("model:test:echo", "hi")).await.expect(200);
        }
        let usage = ada.get(&format!("{}/usage?group_by=workspace", tenant(&home))).await.expect(200);
        let mut keys: Vec<&str> = usage["items"].as_array().expect("a list").iter().map(|day| day["key"].as_str().expect("a key")).collect();
        keys.sort_unstable();
        let own = home.scope.workspace_id.to_string();
        let mut both = [own.as_str(), desk.as_str()];
        both.sort_unstable();
        assert_eq!(keys, both);
        let whole = ada.get(&format!("{}/usage", tenant(&home))).await.expect(200);
        assert_eq!((whole["items"][0]["calls"].as_u64(), &whole["items"][0]["runs"]), (Some(2), &Value::Null));
        patch(&ada, &tenant(&home), json!({ "name": "Acme" })).await.expect(200);
        let record = ada.get(&format!("{}/audit", tenant(&home))).await.expect(200);
        assert_eq!(events(&record), ["tenant.updated", "workspace.created"]);
        assert_eq!(record["items"][0]["seq"], 2, "a numbering of its own");
        let one = ada.get(&format!("{}/audit?event_type=tenant.updated&limit=1", tenant(&home))).await.expect(200);
        assert_eq!(events(&one), ["tenant.updated"]);
        let first = ada.get(&format!("{}/audit?limit=1", tenant(&home))).await.expect(200);
        let cursor = first["next_cursor"].as_str().expect("another page").to_owned();
        let elsewhere = ada.get(&format!("/api/v1/audit?limit=1&cursor={cursor}")).await;
        assert_eq!(elsewhere.refusal(400), "invalid_cursor", "no cursor of the workspace's audit");
        // The chain of what the tenant did is sound, and is sealed like any other.
        app.app.chain.seal(Scope::of_tenant(tenant_id)).await.expect("a sound chain");
    }
}

#[tokio::test]
async fn wrong_names_of_tenants_and_workspaces_are_refused_by_field() {
    let app = TestApp::sqlite().await;
    let home = first_home(&app).await;
    let admin = app.admin().await;
    admin.post("/api/v1/me/step-up", json!({ "password": "changeme123" })).await.expect(204);
    let tenant_id = home.scope.tenant_id;
    for (body, field) in [
        (json!({ "tenant_id": tenant_id, "name": "a\u{202E}b", "slug": "a" }), "name"),
        (json!({ "tenant_id": tenant_id, "name": "  ", "slug": "a" }), "name"),
        (json!({ "tenant_id": tenant_id, "name": "a", "slug": "A b" }), "slug"),
        (json!({ "tenant_id": tenant_id, "name": "a", "slug": "-a" }), "slug"),
        (json!({ "tenant_id": tenant_id, "name": "a", "slug": "a", "owner": "x" }), "owner"),
        (json!({ "tenant_id": "acme", "name": "a", "slug": "a" }), "tenant_id"),
    ] {
        let answer = admin.post("/api/v1/workspaces", body.clone()).await;
        assert_eq!(answer.refusal(400), "invalid", "{body}");
        assert_eq!(answer.json()["errors"][0]["field"], field, "{}", answer.text);
    }
    let answer = admin.post(&format!("{}/members", tenant(&home)), json!({ "role": "member" })).await;
    assert_eq!(answer.json()["errors"][0]["field"], "user_id", "{}", answer.text);
    for query in ["limit=0", "all=maybe", "who=me"] {
        assert_eq!(admin.get(&format!("/api/v1/tenants?{query}")).await.refusal(400), "invalid", "{query}");
    }
    assert_eq!(admin.get("/api/v1/tenants?cursor=x").await.refusal(400), "invalid_cursor");
    assert_eq!(admin.get("/api/v1/workspaces").await.refusal(400), "invalid");
}

#[tokio::test(flavor = "multi_thread")]
async fn who_runs_the_instance_reads_its_settings_and_no_secret() {
    let token = "s3cret-token-of-the-metrics-reader";
    let app = TestApp::start(TestDatabase::sqlite().await, &[("METRICS_TOKEN", token), ("LOG_LEVEL", "warn")]).await;
    let answer = app.admin().await.get("/api/v1/operator/settings").await;
    assert!(!answer.text.contains(token));
    let listed = answer.expect(200);
    let settings = listed["items"].as_array().expect("a list");
    let find = |name: &str| settings.iter().find(|setting| setting["name"] == name).expect(name);
    assert_eq!(find("METRICS_TOKEN"), &json!({ "name": "METRICS_TOKEN", "value": "set", "source": "environment" }));
    assert_eq!(find("LOG_LEVEL"), &json!({ "name": "LOG_LEVEL", "value": "warn", "source": "environment" }));
    assert!(settings.iter().any(|setting| setting["source"] == "default"));
    let home = new_home(&app, "acme").await;
    new_member(&app, &home, "ada@example.com", Role::Owner).await;
    let ada = signed_in(&app, "ada@example.com").await;
    assert_eq!(ada.get("/api/v1/operator/settings").await.refusal(403), "role_required");
}
