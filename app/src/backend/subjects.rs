//! Service principals, groups and grants.

use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use types::access::{
    CreateGrant, CreateGroup, CreateServicePrincipal, Grant, Group, ServicePrincipal, UpdateGroup,
    UpdateServicePrincipal,
};
use types::id::{FormKey, GrantId, GroupId, ServicePrincipalId, UserId};
use types::key::ApiKey;
use types::name::Slug;

use super::{Answer, List};

/// A service principal as the list shows it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PrincipalView {
    /// The principal.
    pub principal: ServicePrincipal,
    /// Its keys that the reader may see, newest first.
    pub keys: Vec<ApiKey>,
}

/// A group as the list shows it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GroupView {
    /// The group.
    pub group: Group,
    /// Who is in it, by name.
    pub names: Vec<String>,
}

/// A grant as the list shows it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GrantView {
    /// The grant.
    pub grant: Grant,
    /// To whom, by name.
    pub subject: Option<String>,
    /// On what, by name.
    pub resource: Option<String>,
    /// Who granted it, by name.
    pub granted_by: Option<String>,
}

/// What a grant can be made of: ids with their names.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Grantables {
    /// Members.
    pub people: Vec<(String, String)>,
    /// Groups.
    pub groups: Vec<(String, String)>,
    /// Service principals.
    pub principals: Vec<(String, String)>,
    /// Models.
    pub models: Vec<(String, String)>,
}

/// Service principals, groups and grants.
#[async_trait]
pub trait Subjects: Send + Sync {
    /// The service principals, newest first, after a cursor.
    async fn list_principals(&self, workspace: &Slug, after: Option<String>) -> Answer<List<PrincipalView>>;

    /// Makes a service principal.
    async fn create_principal(
        &self,
        workspace: &Slug,
        form_key: Option<FormKey>,
        command: CreateServicePrincipal,
    ) -> Answer<ServicePrincipal>;

    /// Changes a service principal that is still at `version`.
    async fn update_principal(
        &self,
        workspace: &Slug,
        id: ServicePrincipalId,
        version: u64,
        command: UpdateServicePrincipal,
    ) -> Answer<ServicePrincipal>;

    /// The service principals that may act, by name: whom a key can be made for.
    async fn list_key_subjects(&self, workspace: &Slug) -> Answer<Vec<(ServicePrincipalId, String)>>;

    /// The groups by name, after a cursor.
    async fn list_groups(&self, workspace: &Slug, after: Option<String>) -> Answer<List<GroupView>>;

    /// Makes a group.
    async fn create_group(&self, workspace: &Slug, form_key: Option<FormKey>, command: CreateGroup) -> Answer<Group>;

    /// Changes a group that is still at `version`.
    async fn update_group(&self, workspace: &Slug, id: GroupId, version: u64, command: UpdateGroup) -> Answer<Group>;

    /// Deletes a group.
    async fn delete_group(&self, workspace: &Slug, id: GroupId) -> Answer<()>;

    /// The names of all members.
    async fn list_member_names(&self, workspace: &Slug) -> Answer<Vec<(UserId, String)>>;

    /// The grants one may see, newest first, after a cursor.
    async fn list_grants(&self, workspace: &Slug, after: Option<String>) -> Answer<List<GrantView>>;

    /// Grants something.
    async fn create_grant(&self, workspace: &Slug, form_key: Option<FormKey>, command: CreateGrant) -> Answer<Grant>;

    /// Takes a grant back.
    async fn revoke_grant(&self, workspace: &Slug, id: GrantId) -> Answer<()>;

    /// What a grant can be made of.
    async fn list_grantables(&self, workspace: &Slug) -> Answer<Grantables>;
}
