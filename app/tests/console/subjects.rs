//! Service principals, groups and grants: what the fake answers, and their pages.

use app::backend::subjects::{GrantView, Grantables, GroupView, PrincipalView};
use app::backend::{Answer, List, Subjects};
use async_trait::async_trait;
use serde_json::json;
use types::access::{
    CreateGrant, CreateGroup, CreateServicePrincipal, Grant, Group, ServicePrincipal, UpdateGroup,
    UpdateServicePrincipal,
};
use types::id::{FormKey, GrantId, GroupId, ServicePrincipalId, UserId};
use types::name::Slug;

use crate::fake::{Fake, World, ago, id, key, read};
use crate::site::page;

fn principal(number: u32, name: &str, status: &str) -> ServicePrincipal {
    let role = (status == "active").then_some("dev");
    read(json!({
        "id": id("spn", number), "name": name, "owner_user_id": id("usr", 1), "owner": "Ada King", "role": "dev",
        "effective_role": role, "status": status, "created_by": id("usr", 1), "created_at": ago(86_400), "version": 2,
    }))
}

fn group(number: u32, name: &str) -> Group {
    read(json!({
        "id": id("grp", number), "name": name, "members": [id("usr", 1)], "created_at": ago(86_400), "version": 1,
    }))
}

fn grant(number: u32, subject: String) -> Grant {
    read(json!({
        "id": id("grt", number), "subject": subject, "resource_type": "model", "resource_id": id("mdl", 1),
        "actions": ["execute"], "expires_at": null, "granted_by": id("usr", 1), "created_at": ago(86_400),
    }))
}

fn people() -> Vec<(UserId, String)> {
    let person = |number, name: &str| (id("usr", number).parse().expect("an id"), name.to_owned());
    vec![person(1, "Ada King"), person(2, "Grace Hopper")]
}

#[async_trait]
impl Subjects for Fake {
    async fn list_principals(&self, workspace: &Slug, after: Option<String>) -> Answer<List<PrincipalView>> {
        self.here(workspace)?;
        let view = |principal, keys| PrincipalView { principal, keys };
        let with_key = view(principal(1, "Nightly build", "active"), vec![key(2, "Nightly triage", "active", None)]);
        Ok(self.listed(after, vec![with_key, view(principal(2, "Old robot", "orphaned"), Vec::new())]))
    }

    async fn create_principal(
        &self,
        workspace: &Slug,
        _: Option<FormKey>,
        command: CreateServicePrincipal,
    ) -> Answer<ServicePrincipal> {
        self.change(workspace, format!("create_principal {} {}", command.name, command.role))?;
        Ok(principal(1, command.name.as_str(), "active"))
    }

    async fn update_principal(
        &self,
        workspace: &Slug,
        id: ServicePrincipalId,
        _: u64,
        command: UpdateServicePrincipal,
    ) -> Answer<ServicePrincipal> {
        self.change(workspace, format!("update_principal {id} {:?}", command.status))?;
        Ok(principal(1, "Nightly build", command.status.map_or("active", |status| status.as_str())))
    }

    async fn list_key_subjects(&self, workspace: &Slug) -> Answer<Vec<(ServicePrincipalId, String)>> {
        self.here(workspace)?;
        let known = principal(1, "Nightly build", "active");
        Ok(if self.is_empty() { Vec::new() } else { vec![(known.id, known.name.to_string())] })
    }

    async fn list_groups(&self, workspace: &Slug, after: Option<String>) -> Answer<List<GroupView>> {
        self.here(workspace)?;
        let view = |group| GroupView { group, names: vec!["Ada King".to_owned()] };
        Ok(self.listed(after, vec![view(group(1, "Support crew"))]))
    }

    async fn create_group(&self, workspace: &Slug, _: Option<FormKey>, command: CreateGroup) -> Answer<Group> {
        self.change(workspace, format!("create_group {} {}", command.name, command.members.len()))?;
        Ok(group(1, command.name.as_str()))
    }

    async fn update_group(&self, workspace: &Slug, id: GroupId, _: u64, _: UpdateGroup) -> Answer<Group> {
        self.change(workspace, format!("update_group {id}"))?;
        Ok(group(1, "Support crew"))
    }

    async fn delete_group(&self, workspace: &Slug, id: GroupId) -> Answer<()> {
        self.change(workspace, format!("delete_group {id}"))
    }

    async fn list_member_names(&self, workspace: &Slug) -> Answer<Vec<(UserId, String)>> {
        self.here(workspace)?;
        Ok(people())
    }

    async fn list_grants(&self, workspace: &Slug, after: Option<String>) -> Answer<List<GrantView>> {
        self.here(workspace)?;
        let view = |number, subject: String, name: &str| GrantView {
            grant: grant(number, subject),
            subject: Some(name.to_owned()),
            resource: Some("model:openai:gpt-4o".to_owned()),
            granted_by: Some("Ada King".to_owned()),
        };
        let grants = vec![view(1, id("usr", 2), "Grace Hopper"), view(2, id("grp", 1), "Support crew")];
        Ok(self.listed(after, grants))
    }

    async fn create_grant(&self, workspace: &Slug, _: Option<FormKey>, command: CreateGrant) -> Answer<Grant> {
        self.change(workspace, format!("create_grant {} {}", command.subject, command.resource_id))?;
        Ok(grant(1, command.subject.to_string()))
    }

    async fn revoke_grant(&self, workspace: &Slug, id: GrantId) -> Answer<()> {
        self.change(workspace, format!("revoke_grant {id}"))
    }

    async fn list_grantables(&self, workspace: &Slug) -> Answer<Grantables> {
        self.here(workspace)?;
        let named = |prefix: &str, name: &str| vec![(id(prefix, 1), name.to_owned())];
        Ok(Grantables {
            people: people().into_iter().map(|(id, name)| (id.to_string(), name)).collect(),
            groups: named("grp", "Support crew"),
            principals: named("spn", "Nightly build"),
            models: if self.is_empty() { Vec::new() } else { named("mdl", "model:openai:gpt-4o") },
        })
    }
}

#[tokio::test]
async fn a_principal_is_peeked_at_with_its_keys_and_changed_by_who_may() {
    let peek = |number| format!("/w/main/access/principals?peek={}", id("spn", number));
    page(World::Full, "/w/main/access/principals").await.shows(&[
        "Nightly build",
        "Without owner",
        "New service principal",
    ]);
    page(World::Full, &peek(1)).await.shows(&[
        "data-testid=\"drawer\"",
        "Nightly triage",
        "/ui/fn/update_principal",
        "/ui/fn/set_principal_status",
        "value=\"disabled\"",
        &format!("/w/main/keys/new?principal_id={}", id("spn", 1)),
    ]);
    page(World::Full, &peek(2)).await.shows(&["acts again once somebody else answers for it"]);
    page(World::Viewer, &peek(1)).await.is(200).hides(&["/ui/fn/update_principal", "/ui/fn/set_principal_status"]);
    page(World::Full, "/w/main/access/principals/new").await.shows(&[
        "/ui/fn/create_principal",
        "value=\"dev\"",
        "Myself",
    ]);
}

#[tokio::test]
async fn groups_and_grants_are_made_and_taken_back_by_who_may() {
    let one = format!("/w/main/access/groups?peek={}", id("grp", 1));
    page(World::Full, &one).await.shows(&["/ui/fn/update_group", "form[members][]", "Grace Hopper"]);
    page(World::Viewer, &one).await.is(200).shows(&["Ada King"]).hides(&["/ui/fn/update_group"]);
    page(World::Full, &format!("/w/main/access/groups?delete={}", id("grp", 1))).await.shows(&[
        "<dialog",
        "Delete Support crew?",
        "pattern=\"Support crew\"",
    ]);
    page(World::Full, "/w/main/access/groups/new").await.shows(&["/ui/fn/create_group", "form[members][]"]);
    page(World::Full, "/w/main/access/grants").await.shows(&[
        "Grace Hopper",
        "model:openai:gpt-4o",
        "/ui/fn/revoke_grant",
    ]);
    page(World::Viewer, "/w/main/access/grants").await.is(200).hides(&["/ui/fn/revoke_grant"]);
    page(World::Full, "/w/main/access/grants/new").await.shows(&[
        "/ui/fn/create_grant",
        "Support crew · Group",
        &format!("value=\"model:{}\"", id("mdl", 1)),
        "type=\"date\"",
    ]);
    page(World::Empty, "/w/main/access/grants/new").await.is(200).hides(&["/ui/fn/create_grant"]);
}

#[tokio::test]
async fn a_key_may_be_made_for_a_principal_by_who_issues_them() {
    let choice = format!("value=\"{}\"", id("spn", 1));
    page(World::Full, "/w/main/keys/new").await.shows(&["name=\"principal_id\"", "Nightly build", &choice]);
    page(World::Viewer, "/w/main/keys/new").await.is(200).hides(&["name=\"principal_id\""]);
    let step = format!("/w/main/keys/new?step=limits&name=ci&scope=write&principal_id={}", id("spn", 1));
    page(World::Full, &step).await.shows(&["form[principal_id]", &choice, "form[content_capture]", "form[labels]"]);
}
