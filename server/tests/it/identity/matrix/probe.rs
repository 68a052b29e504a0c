//! Every action that exists, with every door it has.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use self::Door::{Function, JsonFunction, Route};
use self::Target::{
    AuditRow, BareProvider, Budget, DeadLetter, Former, Grant, Group, Invitation, Key, LegalHold, Member, Near,
    Newcomer, Nothing, Oneself, OtherTenant, OwnGrant, OwnKey, Principal, Provider, Run, Session, SharedView,
    SsoConnection, SsoLink, Task, Tenant, View,
};
use crate::identity::people::PASSWORD;

/// What an action is done to, made anew for each try.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Target {
    Nothing,
    /// A key of somebody else.
    Key,
    /// A key of the actor's own.
    OwnKey,
    /// An account, one model and one price.
    Provider,
    /// An account without models.
    BareProvider,
    Budget,
    /// A run of somebody else.
    Run,
    /// An audit row of somebody else.
    AuditRow,
    /// A delivery that was given up.
    DeadLetter,
    /// A task of somebody else that is not over.
    Task,
    /// A session of the actor's own.
    Session,
    /// A viewer of the workspace.
    Member,
    /// Somebody of the tenant who is not in the workspace.
    Newcomer,
    /// Somebody who had a place in the tenant.
    Former,
    /// The tenant.
    Tenant,
    /// A tenant of its own.
    OtherTenant,
    /// Another workspace of the tenant.
    Near,
    /// An invitation that waits.
    Invitation,
    /// A legal hold that holds.
    LegalHold,
    /// A group of nobody.
    Group,
    /// A service principal of somebody else.
    Principal,
    /// A grant by and to others.
    Grant,
    /// A grant to the actor.
    OwnGrant,
    /// The actor.
    Oneself,
    /// A saved view of the actor's own.
    View,
    /// One that somebody else shares.
    SharedView,
    /// A connection of the tenant to an identity provider.
    SsoConnection,
    /// An account of one, linked to the actor's.
    SsoLink,
}

/// What was made: names that stand in paths and bodies as `{name}`.
pub(super) type Names = BTreeMap<&'static str, String>;

/// One way to do an action.
pub(super) enum Door {
    /// A route, with its body.
    Route(&'static str, Value),
    /// A server function of the console, with its form.
    Function(&'static str, &'static [(&'static str, &'static str)]),
    /// A server function that takes JSON.
    JsonFunction(&'static str, Value),
}

pub(super) struct Probe {
    pub(super) action: &'static str,
    pub(super) target: Target,
    pub(super) doors: Vec<Door>,
}

fn probe(action: &'static str, target: Target, doors: impl IntoIterator<Item = Door>) -> Probe {
    Probe { action, target, doors: doors.into_iter().collect() }
}

fn get(route: &'static str) -> Door {
    Route(route, Value::Null)
}

const W: (&str, &str) = ("workspace", "{slug}");

/// The tenant, to the console.
const T: (&str, &str) = ("tenant", "{tenant_slug}");

/// What concerns a tenant as a whole, and the instance.
fn tenant_probes() -> Vec<Probe> {
    let workspace = json!({ "tenant_id": "{tenant}", "name": "W", "slug": "{fresh}" });
    let tenant = json!({ "name": "T", "slug": "{fresh}", "owner_email": "keeper@example.com" });
    let section = |name: &'static [(&'static str, &'static str)]| Function("find_tenant_page", name);
    vec![
        probe("tenant.read", Nothing, [get("GET /tenants/{tenant}")]),
        probe(
            "tenant.update",
            Tenant,
            [
                Route("PATCH /tenants/{tenant}", json!({ "name": "Default" })),
                Function("manage_tenant", &[T, ("act", "rename"), ("version", "{version}"), ("form[name]", "Default")]),
            ],
        ),
        // Of who may, it is refused because its workspaces are in use.
        probe(
            "tenant.delete",
            Nothing,
            [Route("DELETE /tenants/{tenant}", Value::Null), Function("manage_tenant", &[T, ("act", "delete")])],
        ),
        probe(
            "tenant_member.list",
            Newcomer,
            [
                get("GET /tenants/{tenant}/members"),
                get("GET /tenants/{tenant}/members/{id}"),
                section(&[T, ("section", "members")]),
            ],
        ),
        probe(
            "tenant_member.add",
            Former,
            [Route("POST /tenants/{tenant}/members", json!({ "user_id": "{id}", "role": "member" }))],
        ),
        probe(
            "tenant_member.change_role",
            Newcomer,
            [
                Route("PATCH /tenants/{tenant}/members/{id}", json!({ "role": "admin" })),
                Function(
                    "manage_tenant",
                    &[T, ("act", "set_role"), ("id", "{id}"), ("version", "1"), ("role", "admin")],
                ),
            ],
        ),
        probe(
            "tenant_member.remove",
            Newcomer,
            [
                Route("DELETE /tenants/{tenant}/members/{id}", Value::Null),
                Function("manage_tenant", &[T, ("act", "remove"), ("id", "{id}")]),
            ],
        ),
        probe(
            "tenant_ceiling.read",
            Nothing,
            [get("GET /tenants/{tenant}/ceilings"), section(&[T, ("section", "ceilings")])],
        ),
        probe(
            "tenant_ceiling.update",
            Tenant,
            [
                Route("PATCH /tenants/{tenant}/ceilings", json!({ "content_capture": "full" })),
                Function(
                    "manage_tenant",
                    &[T, ("act", "set_ceilings"), ("version", "{version}"), ("form[content_capture]", "full")],
                ),
            ],
        ),
        probe(
            "tenant_audit.read",
            Nothing,
            [
                get("GET /tenants/{tenant}/audit"),
                get("GET /tenants/{tenant}/audit/chain"),
                get("GET /tenants/{tenant}/audit/chain/verify"),
                section(&[T, ("section", "audit")]),
            ],
        ),
        probe("tenant_audit.export", Nothing, [get("GET /tenants/{tenant}/audit/export")]),
        probe("tenant_usage.read", Nothing, [get("GET /tenants/{tenant}/usage"), section(&[T, ("section", "usage")])]),
        probe(
            "workspace.list_all",
            Nothing,
            [get("GET /workspaces?tenant_id={tenant}"), section(&[T, ("section", "workspaces")])],
        ),
        probe(
            "workspace.create",
            Nothing,
            [
                Route("POST /workspaces", workspace),
                Function(
                    "manage_tenant",
                    &[T, ("act", "create_workspace"), ("form[name]", "W"), ("form[slug]", "{fresh}")],
                ),
            ],
        ),
        probe(
            "workspace.join",
            Near,
            [
                Route("POST /workspaces/{id}/join", Value::Null),
                Function("manage_tenant", &[T, ("act", "join"), ("id", "{id}")]),
            ],
        ),
        probe(
            "tenant.create",
            Nothing,
            [
                Route("POST /tenants", tenant),
                Function(
                    "operate",
                    &[
                        ("act", "create_tenant"),
                        ("form[name]", "T"),
                        ("form[slug]", "{fresh}"),
                        ("form[owner_email]", "keeper@example.com"),
                    ],
                ),
            ],
        ),
        probe(
            "tenant.list",
            Nothing,
            [get("GET /tenants?all=true"), Function("find_operator_page", &[("section", "tenants")])],
        ),
        probe(
            "tenant.suspend",
            OtherTenant,
            [
                Route("POST /tenants/{id}/suspend", Value::Null),
                Function("operate", &[("act", "suspend"), ("id", "{id}")]),
            ],
        ),
        probe(
            "tenant.activate",
            OtherTenant,
            [
                Route("POST /tenants/{id}/activate", Value::Null),
                Function("operate", &[("act", "activate"), ("id", "{id}")]),
            ],
        ),
        probe(
            "user.list",
            Nothing,
            [get("GET /operator/users"), Function("find_operator_page", &[("section", "users")])],
        ),
        probe("user.read", Newcomer, [get("GET /operator/users/{id}")]),
        probe(
            "user.disable",
            Newcomer,
            [
                Route("POST /operator/users/{id}/disable", Value::Null),
                Function("operate", &[("act", "disable"), ("id", "{id}")]),
            ],
        ),
        probe(
            "user.enable",
            Newcomer,
            [
                Route("POST /operator/users/{id}/enable", Value::Null),
                Function("operate", &[("act", "enable"), ("id", "{id}")]),
            ],
        ),
        probe(
            "instance.diagnostics",
            Nothing,
            [get("GET /operator/diagnostics"), Function("find_operator_page", &[("section", "diagnostics")])],
        ),
        probe("instance.settings", Nothing, [get("GET /operator/settings")]),
    ]
}

/// Every action that exists, with every door it has.
pub(super) fn probes() -> Vec<Probe> {
    let mut all = workspace_probes();
    all.extend(tenant_probes());
    all
}

fn workspace_probes() -> Vec<Probe> {
    let key = json!({ "name": "k", "scopes": ["read"] });
    let admin_key = json!({ "name": "k", "scopes": ["admin"] });
    let chat = json!({ "model": "model:test:echo", "messages": [{ "role": "user", "content": "hi" }] });
    let rates = json!({ "input": "1", "output": "1" });
    let price = json!({ "match_ref": "{price_ref}", "currency": "USD", "rates": rates });
    let budget =
        json!({ "name": "b", "scope_kind": "workspace", "period": "day", "currency": "USD", "amount": "1000" });
    let provider = json!({
        "name": "p", "slug": "{fresh}", "kind": "openai_compatible", "base_url": "http://127.0.0.1:9/v1",
    });
    let rule = json!({ "rules": [{ "host": "api.example.com" }], "reason": "test" });
    let kept = json!({ "content": 30, "runs": "keep", "costs": "keep", "audit": "keep", "events": 90 });
    let hold = json!({ "name": "h", "reason": "r", "filter": { "from": "2026-01-01T00:00:00Z" } });
    let new_password = json!({ "current_password": PASSWORD, "new_password": PASSWORD });
    let idp = json!({ "label": "idp", "issuer": "http://127.0.0.1:9", "client_id": "soit" });
    let query = json!({ "filter": {}, "sort": "started_at", "descending": true, "limit": 50, "cursor": null });
    let runs = json!({ "workspace": "{slug}", "range": { "Last": "24h" }, "query": query });
    let timed = json!({
        "workspace": "{slug}", "range": { "Last": "24h" }, "query": { "filter": {}, "limit": 50, "cursor": null },
    });
    let letters = json!({ "workspace": "{slug}", "query": { "filter": {}, "limit": 50, "cursor": null } });
    vec![
        probe("me.read", Nothing, [get("GET /me"), Function("find_places", &[]), Function("find_about", &[])]),
        probe(
            "me.update",
            Nothing,
            [Route("PATCH /me", json!({ "name": "Somebody" })), Function("update_me", &[("form[name]", "Somebody")])],
        ),
        probe("me.list_sso", Nothing, [get("GET /me/sso"), Function("list_sso_links", &[])]),
        probe(
            "me.unlink_sso",
            SsoLink,
            [Route("DELETE /me/sso/{id}", Value::Null), Function("unlink_sso", &[("id", "{id}")])],
        ),
        probe(
            "sso.read",
            SsoConnection,
            [
                get("GET /tenants/{tenant}/sso"),
                get("GET /tenants/{tenant}/sso/{id}"),
                Function("list_sso_connections", &[("tenant", "{tenant_slug}")]),
            ],
        ),
        probe(
            "sso.update",
            Nothing,
            [
                Route("POST /tenants/{tenant}/sso", idp),
                Function(
                    "create_sso_connection",
                    &[
                        ("tenant", "{tenant_slug}"),
                        ("client_secret", ""),
                        ("form[label]", "idp"),
                        ("form[issuer]", "http://127.0.0.1:9"),
                        ("form[client_id]", "soit"),
                    ],
                ),
            ],
        ),
        probe(
            "sso.update",
            SsoConnection,
            [
                Route("PATCH /tenants/{tenant}/sso/{id}", json!({ "label": "other" })),
                Route("DELETE /tenants/{tenant}/sso/{id}", Value::Null),
                Function(
                    "update_sso_connection",
                    &[
                        ("tenant", "{tenant_slug}"),
                        ("id", "{id}"),
                        ("version", "{version}"),
                        ("client_secret", ""),
                        ("form[label]", "idp"),
                        ("form[issuer]", "http://127.0.0.1:9"),
                        ("form[client_id]", "soit"),
                    ],
                ),
                Function("delete_sso_connection", &[("tenant", "{tenant_slug}"), ("id", "{id}")]),
            ],
        ),
        probe(
            "sso.test",
            SsoConnection,
            [
                Route("POST /tenants/{tenant}/sso/{id}/test", Value::Null),
                Function("test_sso_connection", &[("tenant", "{tenant_slug}"), ("id", "{id}")]),
            ],
        ),
        probe("me.permissions", Nothing, [get("GET /me/permissions")]),
        probe("me.list_tenants", Nothing, [get("GET /tenants")]),
        probe("me.list_workspaces", Nothing, [get("GET /me/workspaces")]),
        probe(
            "me.list_sessions",
            Session,
            [get("GET /me/sessions"), get("GET /me/sessions/{id}"), Function("list_sessions", &[])],
        ),
        probe(
            "me.revoke_session",
            Session,
            [get("DELETE /me/sessions/{id}"), Function("revoke_session", &[("id", "{id}")])],
        ),
        probe(
            "me.revoke_session",
            Nothing,
            [Route("POST /me/sessions/revoke-all", Value::Null), Function("revoke_other_sessions", &[])],
        ),
        probe(
            "me.step_up",
            Nothing,
            [
                Route("POST /me/step-up", json!({ "password": PASSWORD })),
                Function("step_up", &[("password", PASSWORD)]),
            ],
        ),
        probe(
            "me.change_password",
            Nothing,
            [
                Route("POST /me/password", new_password),
                Function(
                    "change_password",
                    &[("current_password", PASSWORD), ("new_password", PASSWORD), ("repeated", PASSWORD)],
                ),
            ],
        ),
        probe("me.read_mfa", Nothing, [get("GET /me/mfa"), Function("find_second_factor", &[])]),
        // Nothing waits to be confirmed, and there are no codes: who may is told so.
        probe("me.confirm_mfa", Nothing, [Route("POST /me/mfa/confirm", json!({ "code": "123456" }))]),
        probe("me.renew_recovery_codes", Nothing, [Route("POST /me/mfa/recovery-codes", Value::Null)]),
        probe("me.setup_mfa", Nothing, [Route("POST /me/mfa/setup", Value::Null)]),
        probe("me.disable_mfa", Nothing, [Route("POST /me/mfa/disable", Value::Null)]),
        probe(
            "me.verify_email",
            Nothing,
            [Route("POST /me/email-verification", json!({})), Function("verify_email", &[])],
        ),
        probe(
            "me.change_email",
            Nothing,
            [
                Route("POST /me/email-verification", json!({ "email": "{fresh}@example.com" })),
                Function("change_email", &[("form[email]", "{fresh}@example.com")]),
            ],
        ),
        probe(
            "me.request_deletion",
            Nothing,
            [Route("POST /me/deletion-request", Value::Null), Function("request_deletion", &[])],
        ),
        probe("me.read_deletion_request", Nothing, [get("GET /me/deletion-request")]),
        probe(
            "me.withdraw_deletion",
            Nothing,
            [Route("DELETE /me/deletion-request", Value::Null), Function("withdraw_deletion", &[])],
        ),
        probe("me.log_out", Nothing, [Route("POST /logout", Value::Null)]),
        probe(
            "workspace.read",
            Nothing,
            [get("GET /workspaces/{workspace}"), Function("find_shell", &[W]), Function("find_workspace", &[W])],
        ),
        probe(
            "workspace.update",
            Nothing,
            [
                Route("PATCH /workspaces/{workspace}", json!({ "name": "Default" })),
                Function(
                    "update_workspace",
                    &[
                        W,
                        ("version", "{version}"),
                        ("form[name]", "Default"),
                        ("form[unpriced_call_policy]", "allow"),
                        ("form[content_capture]", "full"),
                    ],
                ),
            ],
        ),
        probe(
            "workspace.archive",
            Nothing,
            [
                Route("DELETE /workspaces/{workspace}", Value::Null),
                Function("set_archived", &[W, ("archived", "true")]),
            ],
        ),
        probe(
            "workspace.restore",
            Nothing,
            [
                Route("POST /workspaces/{workspace}/restore", Value::Null),
                Function("set_archived", &[W, ("archived", "false")]),
            ],
        ),
        probe(
            "member.list",
            Member,
            [
                get("GET /workspaces/{workspace}/members"),
                get("GET /workspaces/{workspace}/members/{id}"),
                Function("list_members", &[W]),
                Function("list_member_names", &[W]),
            ],
        ),
        probe(
            "member.add",
            Newcomer,
            [Route("POST /workspaces/{workspace}/members", json!({ "user_id": "{id}", "role": "viewer" }))],
        ),
        probe(
            "member.change_role",
            Member,
            [
                Route("PATCH /workspaces/{workspace}/members/{id}", json!({ "role": "dev" })),
                Function("update_member", &[W, ("id", "{id}"), ("version", "{version}"), ("form[role]", "dev")]),
            ],
        ),
        probe(
            "member.remove",
            Member,
            [
                Route("DELETE /workspaces/{workspace}/members/{id}", Value::Null),
                Function("remove_member", &[W, ("id", "{id}")]),
            ],
        ),
        probe(
            "invitation.list",
            Invitation,
            [
                get("GET /workspaces/{workspace}/invitations"),
                Function("list_invitations", &[W]),
                Function("take_link", &[W, ("id", "{id}")]),
            ],
        ),
        probe(
            "invitation.create",
            Nothing,
            [
                Route(
                    "POST /workspaces/{workspace}/invitations",
                    json!({ "email": "{fresh}@example.com", "role": "viewer" }),
                ),
                Function("create_invitation", &[W, ("form[email]", "{fresh}@example.com"), ("form[role]", "viewer")]),
            ],
        ),
        probe(
            "invitation.revoke",
            Invitation,
            [Route("DELETE /invitations/{id}", Value::Null), Function("revoke_invitation", &[W, ("id", "{id}")])],
        ),
        probe(
            "service_principal.list",
            Principal,
            [get("GET /service-principals"), Function("list_principals", &[W]), Function("list_key_subjects", &[W])],
        ),
        probe("service_principal.read", Principal, [get("GET /service-principals/{id}")]),
        probe(
            "service_principal.create",
            Nothing,
            [
                Route("POST /service-principals", json!({ "name": "{fresh}", "role": "viewer" })),
                Function(
                    "create_principal",
                    &[W, ("form[name]", "{fresh}"), ("form[role]", "viewer"), ("form[owner]", "")],
                ),
            ],
        ),
        probe(
            "service_principal.update",
            Principal,
            [
                Route("PATCH /service-principals/{id}", json!({ "name": "{fresh}" })),
                Function(
                    "update_principal",
                    &[
                        W,
                        ("id", "{id}"),
                        ("version", "{version}"),
                        ("form[name]", "{fresh}"),
                        ("form[role]", "dev"),
                        ("form[owner]", "{keeper}"),
                    ],
                ),
            ],
        ),
        probe(
            "service_principal.disable",
            Principal,
            [
                Route("DELETE /service-principals/{id}", Value::Null),
                Route("PATCH /service-principals/{id}", json!({ "status": "disabled" })),
                Function(
                    "set_principal_status",
                    &[W, ("id", "{id}"), ("version", "{version}"), ("status", "disabled")],
                ),
            ],
        ),
        probe(
            "service_principal.issue_key",
            Principal,
            [
                Route("POST /api-keys", json!({ "name": "k", "scopes": ["read"], "principal_id": "{id}" })),
                Function(
                    "create_key",
                    &[W, ("form[name]", "k"), ("form[scope]", "read"), ("form[principal_id]", "{id}")],
                ),
            ],
        ),
        probe(
            "group.list",
            Group,
            [
                get("GET /workspaces/{workspace}/groups"),
                get("GET /workspaces/{workspace}/groups/{id}"),
                Function("list_groups", &[W]),
                Function("list_grantables", &[W]),
            ],
        ),
        probe(
            "group.create",
            Nothing,
            [
                Route("POST /workspaces/{workspace}/groups", json!({ "name": "{fresh}" })),
                Function("create_group", &[W, ("form[name]", "{fresh}")]),
            ],
        ),
        probe(
            "group.update",
            Group,
            [
                Route("PATCH /workspaces/{workspace}/groups/{id}", json!({ "name": "{fresh}" })),
                Function("update_group", &[W, ("id", "{id}"), ("version", "{version}"), ("form[name]", "{fresh}")]),
            ],
        ),
        probe(
            "group.delete",
            Group,
            [
                Route("DELETE /workspaces/{workspace}/groups/{id}", Value::Null),
                Function("delete_group", &[W, ("id", "{id}")]),
            ],
        ),
        probe("grant.list", Nothing, [get("GET /resource-grants"), Function("list_grants", &[W])]),
        probe("grant.list", Grant, [get("GET /resource-grants/{id}")]),
        probe("grant.list", OwnGrant, [get("GET /resource-grants/{id}")]),
        probe(
            "grant.create",
            Provider,
            [
                Route(
                    "POST /resource-grants",
                    json!({ "subject": "{keeper}", "resource_type": "model", "resource_id": "{model}", "actions": ["execute"] }),
                ),
                Function(
                    "create_grant",
                    &[
                        W,
                        ("form[subject]", "{keeper}"),
                        ("form[resource]", "model:{model}"),
                        ("form[action]", "execute"),
                    ],
                ),
            ],
        ),
        probe(
            "grant.delete",
            OwnGrant,
            [Route("DELETE /resource-grants/{id}", Value::Null), Function("revoke_grant", &[W, ("id", "{id}")])],
        ),
        // To the console, what one does not see is gone already.
        probe("grant.delete", Grant, [Route("DELETE /resource-grants/{id}", Value::Null)]),
        probe(
            "access.explain",
            Nothing,
            [Route("GET /access/explain?subject={keeper}&action=model.call", Value::Null)],
        ),
        probe("access.explain", Oneself, [Route("GET /access/explain?subject={id}&action=model.call", Value::Null)]),
        probe(
            "api_key.list",
            Key,
            [
                get("GET /api-keys"),
                Function("list_keys", &[W]),
                Function("list_key_names", &[W]),
                Function("take_reveal", &[W, ("id", "{id}")]),
            ],
        ),
        probe("api_key.read", Key, [get("GET /api-keys/{id}"), Function("find_key", &[W, ("id", "{id}")])]),
        probe("api_key.read", OwnKey, [get("GET /api-keys/{id}"), Function("find_key", &[W, ("id", "{id}")])]),
        probe(
            "api_key.create",
            Nothing,
            [Route("POST /api-keys", key), Function("create_key", &[W, ("form[name]", "k"), ("form[scope]", "read")])],
        ),
        probe(
            "api_key.create_admin_scope",
            Nothing,
            [
                Route("POST /api-keys", admin_key),
                Function("create_key", &[W, ("form[name]", "k"), ("form[scope]", "admin")]),
            ],
        ),
        probe(
            "api_key.rotate",
            Key,
            [
                Route("POST /api-keys/{id}/rotate", json!({})),
                Function("rotate_key", &[W, ("id", "{id}"), ("overlap_seconds", "0")]),
            ],
        ),
        probe("api_key.rotate", OwnKey, [Route("POST /api-keys/{id}/rotate", json!({}))]),
        probe("api_key.tighten", Key, [Route("PATCH /api-keys/{id}", json!({ "rate_limit_per_minute": 1 }))]),
        probe("api_key.tighten", OwnKey, [Route("PATCH /api-keys/{id}", json!({ "rate_limit_per_minute": 1 }))]),
        probe("api_key.loosen", OwnKey, [Route("PATCH /api-keys/{id}", json!({ "rate_limit_per_minute": null }))]),
        probe(
            "api_key.revoke",
            Key,
            [
                Route("POST /api-keys/{id}/revoke", Value::Null),
                Route("DELETE /api-keys/{id}", Value::Null),
                Function("revoke_key", &[W, ("id", "{id}")]),
            ],
        ),
        probe(
            "api_key.revoke",
            OwnKey,
            [Route("POST /api-keys/{id}/revoke", Value::Null), Route("DELETE /api-keys/{id}", Value::Null)],
        ),
        probe("provider.list", Nothing, [get("GET /modelhub/providers"), Function("find_model_hub", &[W])]),
        probe(
            "provider.read",
            Provider,
            [get("GET /modelhub/providers/{id}"), Function("find_provider", &[W, ("id", "{id}")])],
        ),
        probe(
            "provider.create",
            Nothing,
            [
                Route("POST /modelhub/providers", provider),
                Function(
                    "create_provider",
                    &[
                        W,
                        ("form[name]", "p"),
                        ("form[slug]", "{fresh}"),
                        ("form[base_url]", "http://127.0.0.1:9/v1"),
                        ("credential", ""),
                    ],
                ),
            ],
        ),
        probe(
            "provider.update",
            Provider,
            [
                Route("PATCH /modelhub/providers/{id}", json!({ "name": "q" })),
                Function(
                    "update_provider",
                    &[
                        W,
                        ("id", "{id}"),
                        ("version", "{version}"),
                        ("form[name]", "q"),
                        ("form[base_url]", "http://127.0.0.1:9/v1"),
                        ("credential", ""),
                    ],
                ),
                Function("set_provider_status", &[W, ("id", "{id}"), ("version", "{version}"), ("status", "disabled")]),
            ],
        ),
        probe("provider.test", Provider, [Route("POST /modelhub/providers/{id}/healthcheck", Value::Null)]),
        probe(
            "provider.delete",
            BareProvider,
            [Route("DELETE /modelhub/providers/{id}", Value::Null), Function("delete_provider", &[W, ("id", "{id}")])],
        ),
        probe("model.list", Provider, [get("GET /modelhub/providers/{id}/models"), get("GET /v1/models")]),
        probe(
            "model.read",
            Provider,
            [get("GET /modelhub/providers/{id}/models/{model}"), get("GET /v1/models/{model_ref}")],
        ),
        probe(
            "model.create",
            BareProvider,
            [
                Route("POST /modelhub/providers/{id}/models", json!({ "model_id": "m" })),
                Function("create_model", &[W, ("provider", "{id}"), ("form[model_id]", "m")]),
            ],
        ),
        probe(
            "model.update",
            Provider,
            [
                Route("PATCH /modelhub/providers/{id}/models/{model}", json!({ "display_name": "n" })),
                Function(
                    "update_model",
                    &[
                        W,
                        ("id", "{model}"),
                        ("version", "{model_version}"),
                        ("form[model_id]", "m"),
                        ("form[display_name]", "n"),
                    ],
                ),
                Function(
                    "set_model_enabled",
                    &[W, ("id", "{model}"), ("version", "{model_version}"), ("enabled", "false")],
                ),
            ],
        ),
        probe(
            "model.call",
            Nothing,
            [
                Route("POST /v1/chat/completions", chat),
                Route("POST /v1/embeddings", json!({ "model": "model:test:embed-256", "input": "hi" })),
            ],
        ),
        probe(
            "price.read",
            Nothing,
            [
                get("GET /modelhub/prices"),
                get("GET /modelhub/prices/resolve?model_ref=model:test:echo"),
                Function("list_prices", &[W]),
            ],
        ),
        probe(
            "price.create",
            Nothing,
            [
                Route("POST /modelhub/prices", price),
                Function(
                    "create_price",
                    &[
                        W,
                        ("form[match_ref]", "{price_ref}"),
                        ("form[currency]", "USD"),
                        ("form[input]", "1"),
                        ("form[output]", "1"),
                    ],
                ),
            ],
        ),
        probe(
            "budget.list",
            Nothing,
            [get("GET /billing/budgets"), get("GET /billing/budgets/statuses"), Function("list_budgets", &[W])],
        ),
        probe(
            "budget.read",
            Budget,
            [
                get("GET /billing/budgets/{id}"),
                get("GET /billing/budgets/{id}/status"),
                get("GET /billing/budgets/{id}/holds"),
                Function("find_budget", &[W, ("id", "{id}")]),
            ],
        ),
        probe(
            "budget.create",
            Nothing,
            [
                Route("POST /billing/budgets", budget),
                Function(
                    "create_budget",
                    &[
                        W,
                        ("form[name]", "b"),
                        ("form[scope]", "workspace"),
                        ("form[period]", "day"),
                        ("form[currency]", "USD"),
                        ("form[amount]", "1000"),
                    ],
                ),
            ],
        ),
        probe(
            "budget.update",
            Budget,
            [
                Route("PATCH /billing/budgets/{id}", json!({ "name": "c" })),
                Function(
                    "update_budget",
                    &[
                        W,
                        ("id", "{id}"),
                        ("version", "{version}"),
                        ("form[name]", "c"),
                        ("form[scope]", "workspace"),
                        ("form[period]", "day"),
                        ("form[currency]", "USD"),
                        ("form[amount]", "1000"),
                    ],
                ),
                Function("set_budget_status", &[W, ("id", "{id}"), ("version", "{version}"), ("status", "disabled")]),
            ],
        ),
        probe(
            "budget.delete",
            Budget,
            [Route("DELETE /billing/budgets/{id}", Value::Null), Function("delete_budget", &[W, ("id", "{id}")])],
        ),
        probe("export.runs", Nothing, [get("GET /exports/runs?format=csv")]),
        // Which kind is a part of the path.
        probe("export.steps", Nothing, [get("GET /exports/{steps}?format=csv")]),
        probe("export.costs", Nothing, [get("GET /exports/{costs}?format=csv")]),
        probe("export.tasks", Nothing, [get("GET /exports/{tasks}?format=csv")]),
        probe("export.audit", Nothing, [get("GET /exports/{audit}?format=csv")]),
        probe("export.events", Nothing, [get("GET /exports/{events}?format=csv")]),
        probe("export.run_events", Nothing, [get("GET /exports/{run_events}?format=csv")]),
        probe("export.artifacts", Nothing, [get("GET /exports/{artifacts}?format=csv")]),
        probe("run.read", Nothing, [get("GET /exports/schema")]),
        probe(
            "run.compare",
            Run,
            [get("GET /runs/compare?a={id}&b={id}"), Function("compare_runs", &[W, ("a", "{id}"), ("b", "{id}")])],
        ),
        probe(
            "feedback.create",
            Run,
            [
                Route("POST /runs/{id}/feedback", json!({ "rating": "up" })),
                Function("give_feedback", &[W, ("id", "{id}"), ("form[rating]", "down")]),
            ],
        ),
        probe("view.list", Nothing, [get("GET /me/views"), Function("list_views", &[W, ("page", "runs")])]),
        probe("view.read", View, [get("GET /me/views/{id}")]),
        probe("view.read", SharedView, [get("GET /me/views/{id}")]),
        probe(
            "view.save",
            View,
            [
                Route("POST /me/views", json!({ "page": "runs", "name": "{fresh}", "query": "" })),
                Route("PATCH /me/views/{id}", json!({ "query": "q=x" })),
                Route("DELETE /me/views/{id}", Value::Null),
                Function(
                    "create_view",
                    &[W, ("page", "runs"), ("form[name]", "{fresh}"), ("form[query]", ""), ("form[default]", "on")],
                ),
                Function(
                    "update_view",
                    &[W, ("id", "{id}"), ("version", "{version}"), ("list", ""), ("form[name]", "{fresh}")],
                ),
                Function("delete_view", &[W, ("id", "{id}"), ("page", "runs"), ("list", "")]),
            ],
        ),
        probe("view.save", SharedView, [Route("PATCH /me/views/{id}", json!({ "default": true }))]),
        probe(
            "view.share",
            View,
            [
                Route("POST /me/views", json!({ "page": "runs", "name": "{fresh}", "query": "", "shared": true })),
                Route("PATCH /me/views/{id}", json!({ "shared": true })),
            ],
        ),
        // Of somebody else.
        probe("workspace.update", SharedView, [Route("DELETE /me/views/{id}", Value::Null)]),
        probe("search.read", Nothing, [get("GET /search?q=zz"), Function("search", &[W, ("q", "zz")])]),
        probe(
            "retention.read",
            Nothing,
            [get("GET /retention"), get("GET /retention/reports"), Function("find_retention", &[W])],
        ),
        probe(
            "retention.update",
            Nothing,
            [
                Route("PUT /retention", kept),
                Function("update_retention", &[W, ("version", "{version}"), ("form[content]", "30")]),
            ],
        ),
        probe("legal_hold.list", Nothing, [get("GET /legal-holds")]),
        probe(
            "legal_hold.create",
            Nothing,
            [
                Route("POST /legal-holds", hold),
                Function(
                    "create_legal_hold",
                    &[W, ("form[name]", "h"), ("form[reason]", "r"), ("form[from]", "2026-01-01")],
                ),
            ],
        ),
        probe(
            "legal_hold.release",
            LegalHold,
            [
                Route("POST /legal-holds/{id}/release", json!({ "reason": "r" })),
                Function("release_legal_hold", &[W, ("id", "{id}"), ("form[release_reason]", "r")]),
            ],
        ),
        probe("egress.read", Nothing, [get("GET /security/egress/workspace"), Function("find_egress_policy", &[W])]),
        probe(
            "egress.update",
            Provider,
            [
                Route("PUT /security/egress/workspace", rule),
                Function("create_egress_rule", &[W, ("form[scheme]", "https"), ("form[host]", "{fresh}.example.com")]),
                Function("accept_egress_offer", &[W, ("provider", "{id}")]),
                Function("delete_egress_rule", &[W, ("id", "{rule}")]),
                Function("close_private_network", &[W, ("network", "127.0.0.0/8")]),
            ],
        ),
        probe(
            "run.list",
            Nothing,
            [
                get("GET /runs"),
                get("GET /runs/summary/window"),
                get("GET /runs/steps/metrics"),
                get("GET /observe/dashboard"),
                get("GET /usage/daily"),
                get("GET /stream?topics=runs"),
                JsonFunction("list_runs", runs),
                Function("find_overview", &[W, ("range[Last]", "24h")]),
                Function("list_running", &[W]),
                Function("list_changed", &[W, ("since", "2026-01-01T00:00:00Z")]),
            ],
        ),
        probe(
            "run.cancel",
            Run,
            [Route("POST /runs/{id}/cancel", Value::Null), Function("cancel_run", &[W, ("id", "{id}")])],
        ),
        probe(
            "run.cancel",
            Nothing,
            [
                Route("POST /runs/cancel?status=queued", Value::Null),
                Function("cancel_runs", &[W, ("runs", "f.status=queued"), ("list", "")]),
            ],
        ),
        probe(
            "run.retry",
            Run,
            [Route("POST /runs/{id}/rerun", json!({})), Function("rerun_run", &[W, ("id", "{id}")])],
        ),
        probe(
            "run.replay",
            Run,
            [
                Route("POST /runs/{id}/reexecute", Value::Null),
                Route("POST /runs/{id}/fork", json!({ "from_seq": 1 })),
                Function("reexecute_run", &[W, ("id", "{id}")]),
                Function("fork_run", &[W, ("id", "{id}"), ("form[from_seq]", "1")]),
            ],
        ),
        probe("run.pause", Run, [Route("POST /runs/{id}/pause", Value::Null)]),
        probe("run.resume", Run, [Route("POST /runs/{id}/resume", Value::Null)]),
        probe(
            "run.read",
            Run,
            [
                get("GET /runs/{id}"),
                get("GET /runs/{id}/steps"),
                get("GET /runs/{id}/artifacts"),
                get("GET /runs/{id}/artifacts/{artifact}/content"),
                get("GET /test-provider/calls"),
                get("GET /runs/{id}/events"),
                get("GET /runs/{id}/feedback"),
                get("GET /runs/trace/{trace}/otlp"),
                get("GET /runs/{id}/stream"),
                get("GET /observe/runs/{id}/replay"),
                Function("find_run", &[W, ("id", "{id}")]),
                Function("list_run_events", &[W, ("id", "{id}"), ("after", "0")]),
                Function("inspect_run", &[W, ("id", "{id}"), ("after", "0")]),
            ],
        ),
        probe("cost.read", Run, [get("GET /runs/{id}/costs")]),
        probe(
            "audit.verify",
            Nothing,
            [get("GET /audit/chain"), get("GET /audit/chain/verify"), Function("find_chain", &[W, ("verify", "true")])],
        ),
        probe("run.evidence", Run, [get("GET /runs/{id}/evidence")]),
        probe("audit.read", Nothing, [get("GET /audit"), JsonFunction("list_audit", timed.clone())]),
        probe("audit.read", Run, [get("GET /runs/{id}/audit")]),
        probe("audit.read", AuditRow, [get("GET /audit/{id}"), Function("find_audit", &[W, ("seq", "{id}")])]),
        probe("event.list", Nothing, [get("GET /events"), JsonFunction("list_events", timed)]),
        probe("task.list", Nothing, [get("GET /tasks"), JsonFunction("list_tasks", letters.clone())]),
        probe("task.read", Task, [get("GET /tasks/{id}"), Function("find_task", &[W, ("id", "{id}")])]),
        probe(
            "task.cancel",
            Task,
            [Route("POST /tasks/{id}/cancel", Value::Null), Function("cancel_task", &[W, ("id", "{id}")])],
        ),
        // Only what was given up is tried again, and only what has a run pauses.
        probe(
            "task.retry",
            Task,
            [Route("POST /tasks/{id}/retry", Value::Null), Function("retry_task", &[W, ("id", "{id}")])],
        ),
        probe("task.pause", Task, [Route("POST /tasks/{id}/pause", Value::Null)]),
        probe("task.resume", Task, [Route("POST /tasks/{id}/resume", Value::Null)]),
        probe(
            "content.scrub",
            Nothing,
            [
                Route("POST /workspaces/{workspace}/content/scrub", json!({ "before": "2020-01-01T00:00:00Z" })),
                Function("scrub_content", &[W, ("form[before]", "2020-01-01"), ("form[name]", "{slug}")]),
            ],
        ),
        probe(
            "dead_letter.list",
            Nothing,
            [
                get("GET /observe/outbox"),
                get("GET /observe/dead-letters"),
                Function("list_lags", &[W]),
                JsonFunction("list_dead_letters", letters),
            ],
        ),
        probe(
            "dead_letter.redrive",
            DeadLetter,
            [
                Route("POST /observe/dead-letters/{kind}/{id}/redrive", Value::Null),
                Function("redrive_dead_letter", &[W, ("kind", "{kind}"), ("id", "{id}")]),
            ],
        ),
        probe(
            "dead_letter.redrive",
            Nothing,
            [
                Route("POST /observe/dead-letters/redrive", json!({ "filter": { "kind": "outbox" } })),
                Function("redrive_dead_letters", &[W]),
            ],
        ),
        probe(
            "dead_letter.discard",
            DeadLetter,
            [
                Route("POST /observe/dead-letters/{kind}/{id}/discard", json!({ "reason": "test" })),
                Function("discard_dead_letter", &[W, ("kind", "{kind}"), ("id", "{id}"), ("form[reason]", "test")]),
            ],
        ),
    ]
}
