//! Service principals, groups and grants.

use std::collections::BTreeMap;

use app::backend::subjects::{GrantView, Grantables, GroupView, PrincipalView};
use app::backend::{Answer, List, Subjects};
use async_trait::async_trait;
use kernel::page::Order;
use types::access::{
    CreateGrant, CreateGroup, CreateServicePrincipal, Grant, Group, PrincipalStatus, ServicePrincipal, UpdateGroup,
    UpdateServicePrincipal,
};
use types::id::{FormKey, GrantId, GroupId, ServicePrincipalId, UserId};
use types::name::Slug;

use super::{Visitor, gone, listed, newest_first};

#[async_trait]
impl Subjects for Visitor {
    async fn list_principals(&self, workspace: &Slug, after: Option<String>) -> Answer<List<PrincipalView>> {
        let found = async {
            let ctx = self.enter(workspace).await?;
            let list = newest_first(self.app.identity.list_principals(&ctx).await?, after)?;
            let keys = self.app.identity.list_keys(&ctx).await?;
            let of = |id: ServicePrincipalId| keys.iter().filter(move |key| key.principal_id == Some(id));
            Ok(list.map(|principal| PrincipalView { keys: of(principal.id).cloned().collect(), principal }))
        };
        self.answer(found.await)
    }

    async fn create_principal(
        &self,
        workspace: &Slug,
        form_key: Option<FormKey>,
        command: CreateServicePrincipal,
    ) -> Answer<ServicePrincipal> {
        let created = async {
            let ctx = self.enter_with(workspace, form_key).await?;
            self.app.identity.create_principal(&ctx, &command).await
        };
        self.answer(created.await)
    }

    async fn update_principal(
        &self,
        workspace: &Slug,
        id: ServicePrincipalId,
        version: u64,
        command: UpdateServicePrincipal,
    ) -> Answer<ServicePrincipal> {
        let updated = async {
            let ctx = self.enter(workspace).await?;
            self.app.identity.update_principal(&ctx, id, Some(version), &command).await
        };
        self.answer(updated.await)
    }

    async fn list_key_subjects(&self, workspace: &Slug) -> Answer<Vec<(ServicePrincipalId, String)>> {
        let found = async {
            let mut principals = self.app.identity.list_principals(&self.enter(workspace).await?).await?;
            principals.retain(|principal| principal.status == PrincipalStatus::Active);
            Ok(by_name(principals.into_iter().map(|principal| (principal.id, principal.name.to_string()))))
        };
        self.answer(found.await)
    }

    async fn list_groups(&self, workspace: &Slug, after: Option<String>) -> Answer<List<GroupView>> {
        let found = async {
            let ctx = self.enter(workspace).await?;
            let list = listed(self.app.identity.list_groups(&ctx).await?, Order::ByName, after)?;
            let members = self.app.identity.list_members(&ctx).await?;
            let names: BTreeMap<UserId, String> =
                members.into_iter().map(|member| (member.user_id, member.name.to_string())).collect();
            let view = |group: Group| GroupView {
                names: group.members.iter().filter_map(|id| names.get(id).cloned()).collect(),
                group,
            };
            Ok(list.map(view))
        };
        self.answer(found.await)
    }

    async fn create_group(&self, workspace: &Slug, form_key: Option<FormKey>, command: CreateGroup) -> Answer<Group> {
        let created = async {
            let ctx = self.enter_with(workspace, form_key).await?;
            self.app.identity.create_group(&ctx, &command).await
        };
        self.answer(created.await)
    }

    async fn update_group(&self, workspace: &Slug, id: GroupId, version: u64, command: UpdateGroup) -> Answer<Group> {
        let updated = async {
            let ctx = self.enter(workspace).await?;
            self.app.identity.update_group(&ctx, id, Some(version), &command).await
        };
        self.answer(updated.await)
    }

    async fn delete_group(&self, workspace: &Slug, id: GroupId) -> Answer<()> {
        let deleted = async {
            let ctx = self.enter(workspace).await?;
            gone(self.app.identity.delete_group(&ctx, id).await)
        };
        self.answer(deleted.await)
    }

    async fn list_member_names(&self, workspace: &Slug) -> Answer<Vec<(UserId, String)>> {
        let found = async {
            let members = self.app.identity.list_members(&self.enter(workspace).await?).await?;
            Ok(by_name(members.into_iter().map(|member| (member.user_id, member.name.to_string()))))
        };
        self.answer(found.await)
    }

    async fn list_grants(&self, workspace: &Slug, after: Option<String>) -> Answer<List<GrantView>> {
        let found = async {
            let ctx = self.enter(workspace).await?;
            let list = newest_first(self.app.identity.list_grants(&ctx).await?, after)?;
            let names = self.app.identity.name_grants(&ctx, &list.page.items).await?.0;
            let view = |grant: Grant| GrantView {
                subject: names.get(&grant.subject.to_string()).cloned(),
                resource: names.get(&grant.resource_id).cloned(),
                granted_by: names.get(&grant.granted_by.to_string()).cloned(),
                grant,
            };
            Ok(list.map(view))
        };
        self.answer(found.await)
    }

    async fn create_grant(&self, workspace: &Slug, form_key: Option<FormKey>, command: CreateGrant) -> Answer<Grant> {
        let created = async {
            let ctx = self.enter_with(workspace, form_key).await?;
            self.app.identity.create_grant(&ctx, &command).await
        };
        self.answer(created.await)
    }

    async fn revoke_grant(&self, workspace: &Slug, id: GrantId) -> Answer<()> {
        let revoked = async {
            let ctx = self.enter(workspace).await?;
            gone(self.app.identity.revoke_grant(&ctx, id).await)
        };
        self.answer(revoked.await)
    }

    async fn list_grantables(&self, workspace: &Slug) -> Answer<Grantables> {
        let found = async {
            let ctx = self.enter(workspace).await?;
            let identity = &self.app.identity;
            let people = identity.list_members(&ctx).await?;
            let people = people.into_iter().map(|member| (member.user_id.to_string(), member.name.to_string()));
            let groups = identity.list_groups(&ctx).await?;
            let groups = groups.into_iter().map(|group| (group.id.to_string(), group.name.to_string()));
            let principals = identity.list_principals(&ctx).await?;
            let principals = principals.into_iter().map(|own| (own.id.to_string(), own.name.to_string()));
            let models = identity.list_grantable_models(&ctx).await?;
            Ok(Grantables {
                people: by_name(people),
                groups: groups.collect(),
                principals: by_name(principals),
                models: models.into_iter().map(|(id, name)| (id.to_string(), name)).collect(),
            })
        };
        self.answer(found.await)
    }
}

/// Ids with their names, in the order of those.
fn by_name<Id: Ord>(named: impl Iterator<Item = (Id, String)>) -> Vec<(Id, String)> {
    let mut named: Vec<(Id, String)> = named.collect();
    named.sort_by_key(|(_, name)| name.to_lowercase());
    named
}
