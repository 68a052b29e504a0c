//! Who acts in the matrix, and what they act on.

use axum::http::Method;
use axum::http::header::IF_MATCH;
use serde_json::{Value, json};
use types::id::UserId;
use types::identity::{Role, TenantRole};

use super::probe::Door::{Function, JsonFunction, Route};
use super::probe::Target::{
    AuditRow, BareProvider, Budget, DeadLetter, Former, Grant, Group, Invitation, Key, LegalHold, Member, Near,
    Newcomer, Nothing, Oneself, OtherTenant, OwnGrant, OwnKey, Principal, Provider, Run, Session, SharedView,
    SsoConnection, SsoLink, Task, Tenant, View,
};
use super::probe::{Door, Names, Probe, Target};
use super::{AT_CONSOLE, COLUMNS, OWNER, is_of_workspace};
use crate::identity::people::{self, Home, WORKSPACE_ID, post_form};
use crate::util::letters::{dead_letter, waiting_task};
use crate::util::test_app::{Answer, Caller, TestApp};

/// Who stands in a column.
pub(super) struct Actor {
    /// Whose rows are their own; nobody's for the anonymous.
    user_id: Option<UserId>,
    /// The service principal that acts, if one does.
    principal: Option<String>,
    api: Caller,
    console: Option<Caller>,
}

/// The stage everybody acts on.
pub(super) struct Stage {
    app: TestApp,
    home: Home,
    /// Where the outsider is at home, in a tenant of its own.
    elsewhere: Home,
    /// Another owner, who sets the stage and takes no part.
    keeper: Caller,
    keeper_id: UserId,
    run: String,
    artifact: String,
    emails: [Option<&'static str>; COLUMNS.len()],
    ids: [Option<UserId>; COLUMNS.len()],
    keys: Vec<Caller>,
    /// The service principal in its column.
    principal: String,
}

impl Stage {
    pub(super) async fn set(app: TestApp) -> Self {
        let home = people::first_home(&app).await;
        let elsewhere = people::new_home(&app, "elsewhere").await;
        let outsider = people::new_member(&app, &elsewhere, "outsider@example.com", Role::Owner).await;
        let unjoined = people::new_user(&app, "unjoined@example.com", false).await;
        people::join(&app, &home, unjoined, TenantRole::Owner, None).await;
        let tenant_admin = people::new_user(&app, "tadmin@example.com", false).await;
        people::join(&app, &home, tenant_admin, TenantRole::Admin, None).await;
        let operator = people::new_user(&app, "operator@example.com", true).await;
        let keeper_id = people::new_member(&app, &home, "keeper@example.com", Role::Owner).await;
        let owner_id = people::new_member(&app, &home, "owner@example.com", Role::Owner).await;
        let admin = people::new_member(&app, &home, "admin2@example.com", Role::Admin).await;
        let dev = people::new_member(&app, &home, "dev@example.com", Role::Dev).await;
        let viewer = people::new_member(&app, &home, "viewer@example.com", Role::Viewer).await;

        let owner = people::signed_in(&app, "owner@example.com").await;
        let principal = json!({ "name": "dev", "role": "dev" });
        let principal = text(&owner.post("/api/v1/service-principals", principal).await.expect(201)["id"]);
        let issue = json!({ "name": "k", "scopes": ["admin"], "principal_id": principal });
        let made = owner.post("/api/v1/api-keys", issue).await.expect(201);
        let mut keys = vec![app.anon().bearer(made["api_key"].as_str().expect("a secret"))];
        for scope in ["read", "write", "admin"] {
            let made = owner.post("/api/v1/api-keys", json!({ "name": "k", "scopes": [scope] })).await.expect(201);
            keys.push(app.anon().bearer(made["api_key"].as_str().expect("a secret")));
        }
        let chat =
            json!({ "model": "model:test:echo", "messages": [{ "role": "user", "content": "hi ".repeat(1000) }] });
        let keeper = people::signed_in(&app, "keeper@example.com").await;
        let called = keeper.post("/v1/chat/completions", chat).await;
        called.expect(200);
        // Long enough that more of it is kept than a preview.
        let kept = format!("/api/v1/runs/{}/artifacts", called.header("x-soit-run-id"));
        let artifact = text(&keeper.get(&kept).await.expect(200)["items"][0]["id"]);
        let key_owner = Some("owner@example.com");
        Self {
            run: called.header("x-soit-run-id").to_owned(),
            artifact,
            emails: [
                None,
                Some("outsider@example.com"),
                Some("unjoined@example.com"),
                Some("tadmin@example.com"),
                Some("operator@example.com"),
                key_owner,
                Some("admin2@example.com"),
                Some("dev@example.com"),
                Some("viewer@example.com"),
                None,
                key_owner,
                key_owner,
                key_owner,
            ],
            ids: [
                None,
                Some(outsider),
                Some(unjoined),
                Some(tenant_admin),
                Some(operator),
                Some(owner_id),
                Some(admin),
                Some(dev),
                Some(viewer),
                None,
                Some(owner_id),
                Some(owner_id),
                Some(owner_id),
            ],
            app,
            home,
            elsewhere,
            keeper,
            keeper_id,
            keys,
            principal,
        }
    }

    /// Everybody, signed in.
    pub(super) async fn actors(&self) -> Vec<Actor> {
        let mut actors = Vec::with_capacity(COLUMNS.len());
        for column in 0..COLUMNS.len() {
            actors.push(self.actor(column).await);
        }
        actors
    }

    /// Who stands in a column, signed in anew.
    pub(super) async fn actor(&self, column: usize) -> Actor {
        let user_id = self.ids[column];
        let key = column.checked_sub(AT_CONSOLE).map(|index| self.keys[index].clone());
        let principal = (COLUMNS[column] == "principal").then(|| self.principal.clone());
        match (self.emails[column], key) {
            (_, Some(api)) => Actor { user_id, principal, api, console: None },
            (None, None) => {
                let console = self.app.browser();
                Actor { user_id, principal, api: self.app.anon(), console: Some(console) }
            }
            (Some(email), None) => {
                let api = people::signed_in(&self.app, email).await;
                let console = Some(people::at_console(&self.app, email).await);
                Actor { user_id, principal, api, console }
            }
        }
    }

    /// The owner of the stage at a console that shows and allows what a role may.
    pub(super) async fn lowered_owner(&self, role: &str) -> Actor {
        let owner = self.actor(OWNER).await;
        let console = owner.console.clone().expect("people sign in at the console");
        let form = [("workspace", self.home.slug.as_str()), ("role", role), ("next", "/")];
        assert_eq!(post_form(&console, "/ui/view-as", &form).await.status, 303);
        owner
    }

    /// The newest row that tells of a refusal to the owner.
    pub(super) async fn last_denial(&self) -> Value {
        let owner = self.ids[OWNER].expect("an owner");
        let path = format!("/api/v1/audit?limit=1&event_type=access.denied&actor_id={owner}");
        self.keeper.get(&path).await.expect(200)["items"][0].clone()
    }

    /// Owners of other workspaces, each with the place where they are at home: of another tenant, and of the same one.
    pub(super) async fn strangers(&self) -> Vec<(Actor, Home)> {
        let near = people::new_workspace(&self.app, self.home.scope.tenant_id, "near").await;
        let neighbour = people::new_user(&self.app, "neighbour@example.com", false).await;
        people::join(&self.app, &near, neighbour, TenantRole::Member, Some(Role::Owner)).await;
        let mut strangers = Vec::new();
        for (email, home) in [("outsider@example.com", self.elsewhere.clone()), ("neighbour@example.com", near)] {
            let api = people::signed_in(&self.app, email).await;
            let console = Some(people::at_console(&self.app, email).await);
            strangers.push((Actor { user_id: None, principal: None, api, console }, home));
        }
        strangers
    }

    /// What a stranger is answered at home who names what is not there: each door that takes an id.
    pub(super) async fn attempt_from(&self, probe: &Probe, door: &Door, stranger: &(Actor, Home)) -> Option<Answer> {
        let names_one = match door {
            Route(route, _) => ["{id}", "{model", "{rule}", "{trace}"].iter().any(|name| route.contains(name)),
            Function(_, form) => form.iter().any(|(name, _)| ["id", "a", "provider", "rule"].contains(name)),
            JsonFunction(_, body) => body.to_string().contains("{id}"),
        };
        if !names_one {
            return None;
        }
        let (actor, home) = stranger;
        let mut names = self.names(probe, OWNER, actor).await;
        names.extend([("slug", home.slug.to_string()), ("workspace", home.scope.workspace_id.to_string())]);
        let answer = self.knock(probe, door, actor, &names).await;
        if !matches!(probe.target, Nothing | Session | Oneself) {
            let path = fill(target_path(probe.target), &names);
            assert_eq!(self.keeper.get(&path).await.status, 200, "{} left {path} alone", probe.action);
        }
        if let Some(rule) = names.get("rule") {
            let kept = self.keeper.get("/api/v1/security/egress/workspace").await.expect(200);
            assert_eq!(kept["rules"][0]["id"].as_str(), Some(rule.as_str()), "the rule is left alone");
        }
        self.clean().await;
        answer
    }

    /// Makes what an action is done to.
    async fn make(&self, target: Target, column: usize, actor: &Actor) -> Names {
        let workspace = format!("/api/v1/workspaces/{}", self.home.scope.workspace_id);
        let seen = self.keeper.get(&workspace).await;
        let fresh = self.app.app.ids.uuid().simple().to_string();
        let mut names = Names::from([
            ("slug", self.home.slug.to_string()),
            ("workspace", self.home.scope.workspace_id.to_string()),
            ("home", self.home.scope.workspace_id.to_string()),
            ("tenant", self.home.scope.tenant_id.to_string()),
            ("tenant_slug", "default".to_owned()),
            ("price_ref", format!("model:test:{fresh}")),
            ("version", seen.expect(200)["version"].to_string()),
            ("kind", "outbox".to_owned()),
            ("artifact", self.artifact.clone()),
            ("tenant", self.home.scope.tenant_id.to_string()),
            ("tenant_slug", "default".to_owned()),
            ("keeper", self.keeper_id.to_string()),
            ("steps", "steps".to_owned()),
            ("costs", "costs".to_owned()),
            ("tasks", "tasks".to_owned()),
            ("audit", "audit".to_owned()),
            ("events", "events".to_owned()),
            ("run_events", "run_events".to_owned()),
            ("artifacts", "artifacts".to_owned()),
            ("etag", seen.header("etag").to_owned()),
            ("fresh", fresh),
        ]);
        let first = [("version", "1"), ("model_version", "1"), ("etag", "\"1\"")];
        if !matches!(target, Nothing | Run | Session | AuditRow | DeadLetter | Oneself) {
            names.extend(first.map(|(name, value)| (name, value.to_owned())));
        }
        let id = match target {
            Nothing => String::new(),
            Run => {
                let run = self.keeper.get(&format!("/api/v1/runs/{}", self.run)).await.expect(200);
                names.insert("trace", text(&run["trace_id"]));
                self.run.clone()
            }
            Key => people::key_of(&self.app, &self.home, self.keeper_id).await.to_string(),
            OwnKey if actor.principal.is_some() => {
                let issue = json!({ "name": "k", "scopes": ["read"], "rate_limit_per_minute": 1_000,
                    "principal_id": self.principal });
                text(&self.keeper.post("/api/v1/api-keys", issue).await.expect(201)["item"]["id"])
            }
            OwnKey => people::key_of(&self.app, &self.home, actor.user_id.unwrap_or(self.keeper_id)).await.to_string(),
            Session => {
                let caller = people::signed_in(&self.app, self.emails[column].unwrap_or("keeper@example.com")).await;
                let listed = caller.get("/api/v1/me/sessions").await.expect(200);
                let sessions = listed["items"].as_array().expect("a list");
                let current = sessions.iter().find(|session| session["current"] == true).expect("itself");
                text(&current["id"])
            }
            Budget => {
                let budget = json!({
                    "name": "b", "scope_kind": "workspace", "period": "day", "currency": "USD", "amount": "1000",
                });
                let budget = self.keeper.post("/api/v1/billing/budgets", budget).await.expect(201);
                let version = budget["version"].to_string();
                names.extend([("etag", format!("\"{version}\"")), ("version", version)]);
                text(&budget["id"])
            }
            AuditRow => {
                let path = format!("/api/v1/audit?limit=1&actor_id={}", self.keeper_id);
                self.keeper.get(&path).await.expect(200)["items"][0]["seq"].to_string()
            }
            DeadLetter => dead_letter(&self.app, &self.home).await,
            Task => waiting_task(&self.app, &self.home, self.keeper_id).await,
            Provider | BareProvider => self.make_provider(target, &mut names).await,
            Member => people::place_of(&self.app, &self.home, Some(Role::Viewer)).await.to_string(),
            View => {
                people::view_of(&self.app, &self.home, actor.user_id.unwrap_or(self.keeper_id), false).await.to_string()
            }
            SsoConnection => people::sso_connection(&self.app, &self.home).await.to_string(),
            SsoLink => {
                people::sso_link_of(&self.app, &self.home, actor.user_id.unwrap_or(self.keeper_id)).await.to_string()
            }
            SharedView => people::view_of(&self.app, &self.home, self.keeper_id, true).await.to_string(),
            LegalHold => {
                let hold = json!({
                    "name": names["fresh"], "reason": "r", "filter": { "from": "2026-01-01T00:00:00Z" },
                });
                text(&self.keeper.post("/api/v1/legal-holds", hold).await.expect(201)["id"])
            }
            Group => {
                let group = json!({ "name": names["fresh"] });
                text(&self.keeper.post(&format!("{workspace}/groups"), group).await.expect(201)["id"])
            }
            Principal => {
                let principal = json!({ "name": names["fresh"], "role": "dev" });
                text(&self.keeper.post("/api/v1/service-principals", principal).await.expect(201)["id"])
            }
            Grant | OwnGrant => {
                self.make_provider(Provider, &mut names).await;
                let own = actor.principal.clone().or_else(|| actor.user_id.map(|id| id.to_string()));
                // To somebody who is only in the tenant, or elsewhere, nothing can be granted.
                let belongs = column >= OWNER && target == OwnGrant;
                let subject = own.filter(|_| belongs).unwrap_or_else(|| self.keeper_id.to_string());
                let grant = json!({
                    "subject": subject, "resource_type": "model", "resource_id": names["model"], "actions": ["execute"],
                });
                text(&self.keeper.post("/api/v1/resource-grants", grant).await.expect(201)["id"])
            }
            Oneself => {
                let own = actor.principal.clone().or_else(|| actor.user_id.map(|id| id.to_string()));
                own.unwrap_or_else(|| self.keeper_id.to_string())
            }
            Newcomer => people::place_of(&self.app, &self.home, None).await.to_string(),
            Former => {
                let id = people::place_of(&self.app, &self.home, None).await;
                people::leave_tenant(&self.app, &self.home, id).await;
                id.to_string()
            }
            Tenant => {
                let seen = self.keeper.get(&format!("/api/v1/tenants/{}", names["tenant"])).await;
                names.insert("version", seen.expect(200)["version"].to_string());
                names.insert("etag", seen.header("etag").to_owned());
                names["tenant"].clone()
            }
            OtherTenant => people::new_home(&self.app, &names["fresh"]).await.scope.tenant_id.to_string(),
            Near => {
                let near = people::new_workspace(&self.app, self.home.scope.tenant_id, &names["fresh"]).await;
                near.scope.workspace_id.to_string()
            }
            Invitation => {
                let path = format!("{workspace}/invitations");
                let invitation = json!({ "email": format!("{}@example.com", names["fresh"]), "role": "viewer" });
                text(&self.keeper.post(&path, invitation).await.expect(201)["item"]["id"])
            }
        };
        names.insert("id", id);
        names
    }

    async fn make_provider(&self, target: Target, names: &mut Names) -> String {
        let slug = names["fresh"].clone();
        let account = json!({
            "name": "p", "slug": slug, "kind": "openai_compatible", "base_url": "http://127.0.0.1:9/v1",
        });
        let id = text(&self.keeper.post("/api/v1/modelhub/providers", account).await.expect(201)["id"]);
        if target == Provider {
            let path = format!("/api/v1/modelhub/providers/{id}/models");
            let model = self.keeper.post(&path, json!({ "model_id": "m" })).await.expect(201);
            names.extend([("model", text(&model["id"])), ("model_ref", text(&model["model_ref"]))]);
        }
        id
    }

    /// Sets the egress rules that some doors of `egress.update` remove again.
    async fn make_rules(&self, names: &mut Names) {
        let path = "/api/v1/security/egress/workspace";
        let seen = self.keeper.get(path).await;
        let policy =
            json!({ "rules": [{ "host": "old.example.com" }], "private_networks": ["127.0.0.0/8"], "reason": "t" });
        let keeper = self.keeper.clone().header(IF_MATCH, seen.header("etag"));
        let set = keeper.send(Method::PUT, path, Some(policy)).await;
        names.insert("rule", text(&set.expect(200)["rules"][0]["id"]));
        names.insert("etag", set.header("etag").to_owned());
    }

    /// A tenant has few connections to identity providers: none is left.
    async fn clean_sso(&self, probe: &Probe) {
        if !probe.action.contains("sso") {
            return;
        }
        let connections = format!("/api/v1/tenants/{}/sso", self.home.scope.tenant_id);
        for connection in self.keeper.get(&connections).await.expect(200)["items"].as_array().expect("a list") {
            let path = format!("{connections}/{}", text(&connection["id"]));
            self.keeper.send(Method::DELETE, &path, None).await.expect(204);
        }
    }

    /// Budgets bind later calls: none is left.
    async fn clean(&self) {
        let listed = self.keeper.get("/api/v1/billing/budgets").await.expect(200);
        for budget in listed["items"].as_array().expect("a list") {
            let path = format!("/api/v1/billing/budgets/{}", text(&budget["id"]));
            self.keeper.send(Method::DELETE, &path, None).await.expect(204);
        }
    }

    /// The status of one action through one door; nothing where the column has not that door.
    pub(super) async fn attempt(&self, probe: &Probe, door: &Door, column: usize, actor: &Actor) -> Option<u16> {
        let names = self.names(probe, column, actor).await;
        let answer = self.knock(probe, door, actor, &names).await;
        if probe.action == "workspace.archive" {
            let home = self.home.scope.workspace_id;
            self.keeper.post(&format!("/api/v1/workspaces/{home}/restore"), json!({})).await.expect(200);
        }
        self.clean().await;
        self.clean_sso(probe).await;
        answer.map(|answer| answer.status)
    }

    async fn names(&self, probe: &Probe, column: usize, actor: &Actor) -> Names {
        let mut names = self.make(probe.target, column, actor).await;
        if probe.action == "egress.update" {
            self.make_rules(&mut names).await;
        }
        if probe.action == "retention.update" {
            let seen = self.keeper.get("/api/v1/retention").await;
            let version = seen.expect(200)["version"].to_string();
            names.extend([("etag", format!("\"{version}\"")), ("version", version)]);
        }
        names
    }

    async fn knock(&self, probe: &Probe, door: &Door, actor: &Actor, names: &Names) -> Option<Answer> {
        let answer = match door {
            Route(route, body) => {
                let (method, path) = route.split_once(' ').expect("a method and a path");
                let path = fill(path, names);
                let path = if path.starts_with("/v1/") { path } else { format!("/api/v1{path}") };
                // A stream never ends: its head says all.
                let method = if path.contains("/stream") { "HEAD" } else { method };
                let mut caller = actor.api.clone();
                if is_of_workspace(probe.action) {
                    caller = caller.header(WORKSPACE_ID, &names["workspace"]);
                }
                if ["PATCH", "PUT"].contains(&method) {
                    caller = caller.header(IF_MATCH, &names["etag"]);
                }
                let body = (!body.is_null()).then(|| fill_json(body, names));
                caller.send(method.parse().expect("a method"), &path, body).await
            }
            Function(name, form) => {
                let form: Vec<(&str, String)> = form.iter().map(|(name, value)| (*name, fill(value, names))).collect();
                let form: Vec<(&str, &str)> = form.iter().map(|(name, value)| (*name, value.as_str())).collect();
                post_form(actor.console.as_ref()?, &format!("/ui/fn/{name}"), &form).await
            }
            JsonFunction(name, body) => {
                let caller = actor.console.clone()?.header(people::SAME_ORIGIN.0, people::SAME_ORIGIN.1);
                caller.post(&format!("/ui/fn/{name}"), fill_json(body, names)).await
            }
        };
        Some(answer)
    }
}

/// Where what was made can be read.
fn target_path(target: Target) -> &'static str {
    match target {
        Key | OwnKey => "/api/v1/api-keys/{id}",
        Provider | BareProvider => "/api/v1/modelhub/providers/{id}",
        Budget => "/api/v1/billing/budgets/{id}",
        Run => "/api/v1/runs/{id}",
        Task => "/api/v1/tasks/{id}",
        AuditRow => "/api/v1/audit/{id}",
        DeadLetter => "/api/v1/observe/dead-letters",
        Member => "/api/v1/workspaces/{home}/members/{id}",
        View | SharedView => "/api/v1/me/views/{id}",
        Group => "/api/v1/workspaces/{home}/groups/{id}",
        Principal => "/api/v1/service-principals/{id}",
        Grant | OwnGrant => "/api/v1/resource-grants/{id}",
        LegalHold => "/api/v1/legal-holds",
        Invitation | Newcomer | Former | Tenant | OtherTenant | Near | Nothing | Session | Oneself | SsoConnection
        | SsoLink => "/api/v1/me",
    }
}

fn text(value: &Value) -> String {
    value.as_str().expect("a text").to_owned()
}

fn fill(template: &str, names: &Names) -> String {
    names.iter().fold(template.to_owned(), |text, (name, value)| text.replace(&format!("{{{name}}}"), value))
}

fn fill_json(template: &Value, names: &Names) -> Value {
    serde_json::from_str(&fill(&template.to_string(), names)).expect("still JSON")
}
