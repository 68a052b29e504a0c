//! Tenants and the instance: what those who manage a tenant, and who runs the instance, see and do.

use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use types::audit::AuditEntry;
use types::id::{FormKey, TenantId, UserId, WorkspaceId};
use types::identity::{Membership, Permissions, TenantRole, Workspace};
use types::name::{Name, Slug};
use types::page::Page;
use types::tenant::{
    AccountView, AddTenantMember, Ceilings, CreateTenant, Diagnostics, Tenant, TenantMember, UpdateCeilings,
};
use types::usage::DailyUsage;

use super::{Answer, List};

/// Where a person can go.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Places {
    /// The workspace used last, else the first they belong to.
    pub last: Option<Slug>,
    /// Their workspaces.
    pub workspaces: Vec<Membership>,
    /// Their tenants.
    pub tenants: Vec<Tenant>,
    /// Whether they run the instance.
    pub is_operator: bool,
}

/// What a page of a tenant shows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum TenantSheet {
    /// Its workspaces, and those the reader belongs to, with what addresses call them.
    Workspaces(List<Workspace>, Vec<(WorkspaceId, Slug)>),
    /// Its members.
    Members(List<TenantMember>),
    /// What binds its workspaces.
    Ceilings(Ceilings),
    /// What it did as a whole, with the names of who did it.
    Audit(Page<AuditEntry>, Vec<(UserId, Name)>),
    /// What its workspaces used by day, with their names.
    Usage(DailyUsage, Vec<(WorkspaceId, Name)>),
}

/// A page of a tenant.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TenantPage {
    /// The tenant.
    pub tenant: Tenant,
    /// What the reader may do in it.
    pub permissions: Permissions,
    /// The reader.
    pub user_id: UserId,
    /// What it shows.
    pub sheet: TenantSheet,
}

/// What a form of a tenant's page asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TenantCommand {
    /// A new workspace.
    CreateWorkspace(Name, Slug),
    /// A place as admin in a workspace.
    Join(WorkspaceId),
    /// Another role for a member whose place is at a version.
    SetRole(UserId, u64, TenantRole),
    /// A member's going.
    Remove(UserId),
    /// A place for somebody who once had one.
    AddMember(AddTenantMember),
    /// Other ceilings, of a tenant at a version.
    SetCeilings(u64, UpdateCeilings),
    /// Another name, of a tenant at a version.
    Rename(u64, Name),
    /// Its end.
    Delete,
}

/// What a page of who runs the instance shows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum OperatorSheet {
    /// Every tenant.
    Tenants(Page<Tenant>),
    /// Every account.
    Users(Page<AccountView>),
    /// How the process does.
    Diagnostics(Diagnostics),
}

/// What a form of such a page asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OperatorCommand {
    /// A new tenant.
    CreateTenant(CreateTenant),
    /// Whether a tenant may act.
    SetTenant(TenantId, bool),
    /// Whether an account may act.
    SetUser(UserId, bool),
}

/// Tenants and the instance.
#[async_trait]
pub trait Tenants: Send + Sync {
    /// Where the reader can go.
    async fn find_places(&self) -> Answer<Places>;

    /// A page of a tenant, by its short name and the page's; a list after a cursor. Neither is there for who does not belong.
    async fn find_tenant_page(&self, tenant: &str, section: &str, after: Option<String>) -> Answer<TenantPage>;

    /// Does what a form of a tenant's page asks for; the short name of the workspace it made, if it made one.
    async fn manage_tenant(
        &self,
        tenant: &str,
        form_key: Option<FormKey>,
        command: TenantCommand,
    ) -> Answer<Option<Slug>>;

    /// A page of who runs the instance, by its name; a list after a cursor, accounts whose address holds `q`.
    async fn find_operator_page(
        &self,
        section: &str,
        q: Option<String>,
        after: Option<String>,
    ) -> Answer<OperatorSheet>;

    /// Does what a form of such a page asks for.
    async fn operate(&self, form_key: Option<FormKey>, command: OperatorCommand) -> Answer<()>;

    /// Archives a workspace, or brings it back.
    async fn set_archived(&self, workspace: &Slug, archived: bool) -> Answer<Workspace>;
}
