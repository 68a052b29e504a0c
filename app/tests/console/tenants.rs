//! Tenants and the instance: what the fake answers, and their pages.

use app::backend::tenants::{OperatorCommand, OperatorSheet, Places, TenantCommand, TenantPage, TenantSheet, Tenants};
use app::backend::{Answer, List};
use async_trait::async_trait;
use serde_json::{Value, json};
use types::id::FormKey;
use types::identity::Workspace;
use types::name::Slug;
use types::page::Page;
use types::problem::{Code, Problem};
use types::tenant::{Tenant, TenantMember};

use crate::fake::{Fake, WORKSPACE, World, ago, id, read};
use crate::site::{call, get_with, page};

/// The tenant of the only workspace.
pub(crate) fn tenant() -> Tenant {
    read(json!({
        "id": id("ten", 1), "slug": "acme", "name": "Acme Ltd", "status": "active", "role": "owner", "version": 3,
    }))
}

fn listed<T>(items: Vec<T>) -> List<T> {
    List { total: items.len(), page: Page::from(items), cursor_refused: false }
}

fn workspace(number: u32, slug: &str, status: &str) -> Value {
    json!({
        "id": id("wsp", number), "tenant_id": id("ten", 1), "slug": slug, "name": format!("Desk {number}"), "status": status,
        "unpriced_call_policy": "allow", "content_capture": "redacted", "require_mfa_from": null, "version": 1,
    })
}

fn member(number: u32, name: &str, role: &str) -> TenantMember {
    read(json!({
        "user_id": id("usr", number), "email": format!("{name}@example.com"), "name": name, "status": "active",
        "role": role, "version": 2,
    }))
}

#[async_trait]
impl Tenants for Fake {
    async fn find_places(&self) -> Answer<Places> {
        let shell = app::backend::Session::find_shell(self, &WORKSPACE.parse().unwrap()).await?;
        Ok(Places {
            last: WORKSPACE.parse().ok(),
            workspaces: shell.me.workspaces,
            tenants: vec![tenant()],
            is_operator: true,
        })
    }

    async fn find_tenant_page(&self, slug: &str, section: &str, _: Option<String>) -> Answer<TenantPage> {
        let sheet = match section {
            _ if slug != "acme" => return Err(Problem::new(Code::NotFound, "no such tenant")),
            "workspaces" => {
                let all = vec![read(workspace(1, WORKSPACE, "active")), read(workspace(2, "old", "archived"))];
                TenantSheet::Workspaces(listed(all), vec![(id("wsp", 1).parse().unwrap(), WORKSPACE.parse().unwrap())])
            }
            "members" => TenantSheet::Members(listed(vec![member(1, "ada", "owner"), member(2, "grace", "member")])),
            "ceilings" => TenantSheet::Ceilings(read(json!({ "content_capture": "redacted", "version": 3 }))),
            "audit" => {
                let row = json!({
                    "id": id("aud", 1), "seq": 1, "event_type": "tenant.updated", "operation": "tenant.update",
                    "outcome": "done", "resource": { "type": "tenant", "id": id("ten", 1) },
                    "actor": { "kind": "user", "id": id("usr", 1) }, "payload": {}, "occurred_at": ago(60),
                });
                let names = vec![(id("usr", 1).parse().unwrap(), "Ada King".parse().unwrap())];
                TenantSheet::Audit(Page::from(vec![read(row)]), names)
            }
            "usage" => {
                let none = json!({ "from": "2026-01-01", "to": "2026-01-29", "items": [] });
                TenantSheet::Usage(read(none), Vec::new())
            }
            _ => return Err(Problem::new(Code::NotFound, "no such page")),
        };
        let actions = json!({ "actions": [
            "tenant.delete", "tenant.update", "tenant_audit.read", "tenant_ceiling.read", "tenant_ceiling.update",
            "tenant_member.add", "tenant_member.change_role", "tenant_member.list", "tenant_member.remove",
            "tenant_usage.read", "workspace.create", "workspace.join", "workspace.list_all",
        ] });
        Ok(TenantPage { tenant: tenant(), permissions: read(actions), user_id: id("usr", 1).parse().unwrap(), sheet })
    }

    async fn manage_tenant(&self, _: &str, _: Option<FormKey>, command: TenantCommand) -> Answer<Option<Slug>> {
        self.done.lock().unwrap().push(format!("manage_tenant {command:?}"));
        Ok(None)
    }

    async fn find_operator_page(&self, section: &str, q: Option<String>, _: Option<String>) -> Answer<OperatorSheet> {
        Ok(match section {
            "tenants" => OperatorSheet::Tenants(Page::from(vec![tenant()])),
            "users" => {
                let account = json!({
                    "id": id("usr", 2), "email": q.unwrap_or_else(|| "grace@example.com".to_owned()), "name": "Grace Hopper",
                    "status": "disabled", "is_operator": false, "email_verified": true, "created_at": ago(60),
                });
                OperatorSheet::Users(Page::from(vec![read(account)]))
            }
            "diagnostics" => OperatorSheet::Diagnostics(read(json!({
                "status": "ready", "role": "all", "version": "0.1.0",
                "checks": [{ "name": "database", "ok": true, "required": true, "detail": null }],
            }))),
            _ => return Err(Problem::new(Code::NotFound, "no such page")),
        })
    }

    async fn operate(&self, _: Option<FormKey>, command: OperatorCommand) -> Answer<()> {
        self.done.lock().unwrap().push(format!("operate {command:?}"));
        Ok(())
    }

    async fn set_archived(&self, slug: &Slug, archived: bool) -> Answer<Workspace> {
        self.done.lock().unwrap().push(format!("set_archived {slug} {archived}"));
        Ok(read(workspace(1, slug.as_str(), if archived { "archived" } else { "active" })))
    }
}

#[tokio::test]
async fn a_tenants_pages_show_its_workspaces_people_ceilings_and_records() {
    for (path, shown) in [
        (
            "/t/acme/workspaces",
            vec!["Acme Ltd", "href=\"/w/main\"", "Desk 2", "Archived", "Join as admin", "New workspace"],
        ),
        ("/t/acme/members", vec!["ada@example.com", "Make owner", "?remove=usr_"]),
        ("/t/acme/members?add=1", vec!["name=\"form[email]\"", "name=\"form[role]\"", "value=\"add_member\""]),
        ("/t/acme/ceilings", vec!["Content kept at most", "value=\"redacted\"", "?edit=1", "?delete=1"]),
        ("/t/acme/ceilings?edit=1", vec!["value=\"Acme Ltd\"", "value=\"rename\""]),
        ("/t/acme/ceilings?delete=1", vec!["Delete Acme Ltd?", "pattern=\"Acme Ltd\"", "value=\"delete\""]),
        ("/t/acme/audit", vec!["tenant.updated", "Ada King"]),
        ("/t/acme/usage", vec!["Nothing used"]),
        ("/operator/tenants", vec!["Acme Ltd", "Suspend", "New tenant"]),
        ("/operator/users", vec!["grace@example.com", "Enable"]),
        ("/operator/diagnostics", vec!["database", "Normal"]),
        ("/?choose=1", vec!["href=\"/w/main\"", "href=\"/t/acme/workspaces\"", "href=\"/operator/tenants\""]),
    ] {
        page(World::Full, path).await.is(200).shows(&shown);
    }
    for path in ["/t/other/workspaces", "/t/acme/nothing", "/operator/nothing"] {
        page(World::Full, path).await.is(404);
    }
}

#[tokio::test]
async fn a_form_says_what_to_do_and_what_is_wrong_with_it() {
    let fake = Fake::new(World::Full);
    let member = id("usr", 2);
    let body = format!("tenant=acme&act=set_role&id={member}&version=2&role=admin");
    call(&fake, "manage_tenant", &body).await.is(200);
    let body = "tenant=acme&act=create_workspace&form%5Bname%5D=Desk&form%5Bslug%5D=Desk%20One";
    call(&fake, "manage_tenant", body).await.is(400).shows(&["slug"]);
    call(&fake, "manage_tenant", "tenant=acme&act=nothing").await.is(400);
    let body = "tenant=acme&act=add_member&form[email]=grace@example.com&form[role]=admin";
    call(&fake, "manage_tenant", body).await.is(200);
    call(&fake, "manage_tenant", "tenant=acme&act=rename&version=3&form[name]=Acme").await.is(200);
    call(&fake, "manage_tenant", "tenant=acme&act=rename&version=3&form[name]=").await.is(400).shows(&["name"]);
    call(&fake, "manage_tenant", "tenant=acme&act=delete").await.is(200);
    call(&fake, "operate", &format!("act=disable&id={member}")).await.is(200);
    call(&fake, "set_archived", &format!("workspace={WORKSPACE}&archived=true")).await.is(200);
    let done = fake.done.lock().unwrap().clone();
    assert_eq!(done.len(), 6, "{done:?}");
    assert!(done[0].starts_with("manage_tenant SetRole(") && done[0].contains("2, Admin"), "{done:?}");
    assert!(done[1].contains("AddMember(") && done[1].contains("grace@example.com"), "{done:?}");
    assert!(done[2].contains("Rename(3") && done[3].ends_with("Delete"), "{done:?}");
    assert!(done[4].starts_with("operate SetUser(") && done[4].ends_with("false)"), "{done:?}");
}

#[tokio::test]
async fn they_speak_chinese() {
    let fake = Fake::new(World::Full);
    for path in [
        "/t/acme/workspaces",
        "/t/acme/members",
        "/t/acme/members?add=1",
        "/t/acme/ceilings",
        "/t/acme/ceilings?edit=1",
        "/t/acme/ceilings?delete=1",
        "/t/acme/usage",
        "/operator/tenants",
    ] {
        let page = get_with(&fake, path, "lang=zh-CN").await.is(200);
        page.hides(&[
            ">Workspace<",
            ">Workspaces<",
            ">Members<",
            ">Ceilings<",
            ">Usage<",
            ">Archived<",
            ">Join as admin<",
            ">Create<",
            ">Suspend<",
            ">Owner<",
            ">Tenants<",
            ">Make admin<",
            ">Add a member<",
            ">Rename<",
            ">Delete<",
            ">E-mail<",
        ]);
    }
}
