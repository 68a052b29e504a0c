//! Reading tenants as a whole, and the instance's accounts.

use async_trait::async_trait;
use types::id::{TenantId, UserId, WorkspaceId};

use super::StoreError;
use crate::context::Scope;
use crate::record::{Tenant, TenantMember, User, Workspace};

/// Everybody and every workspace of a tenant at one moment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TenantRoster {
    /// The tenant.
    pub tenant: Tenant,
    /// Its epoch at that moment.
    pub auth_epoch: u64,
    /// Everybody who has a place or had one, by their id.
    pub places: Vec<(User, TenantMember)>,
    /// Its workspaces, archived ones included, by their id.
    pub workspaces: Vec<Workspace>,
}

impl TenantRoster {
    /// The place of somebody who belongs.
    pub fn member(&self, id: UserId) -> Option<&(User, TenantMember)> {
        self.members().find(|(user, _)| user.id == id)
    }

    /// Everybody who belongs.
    pub fn members(&self) -> impl Iterator<Item = &(User, TenantMember)> {
        self.places.iter().filter(|(_, member)| member.removed_at.is_none())
    }
}

/// Reads tenants. Writing goes through the ledger. A deleted tenant is not there, and neither is the instance's own.
#[async_trait]
pub trait Tenants: Send + Sync {
    /// Everybody and every workspace of a tenant.
    async fn tenant_roster(&self, id: TenantId) -> Result<Option<TenantRoster>, StoreError>;
    /// Tenants in the order they were made, behind one, at most `limit`.
    async fn list_tenants(&self, after: Option<TenantId>, limit: u32) -> Result<Vec<Tenant>, StoreError>;
    /// Accounts in the order they were made, behind one, at most `limit`; with `q` those whose compared address holds it.
    async fn list_accounts(&self, q: Option<&str>, after: Option<UserId>, limit: u32) -> Result<Vec<User>, StoreError>;
    /// Where a workspace lies.
    async fn find_workspace_home(&self, id: WorkspaceId) -> Result<Option<Scope>, StoreError>;
}
