//! Reading tenants as a whole, and the instance's accounts.

use async_trait::async_trait;
use kernel::context::Scope;
use kernel::port::{StoreError, TenantRoster, Tenants};
use kernel::record::{Row, Tenant, User};
use types::id::{TenantId, UserId, Uuid, WorkspaceId};

use super::store::{FakeStore, rows};

#[async_trait]
impl Tenants for FakeStore {
    async fn tenant_roster(&self, id: TenantId) -> Result<Option<TenantRoster>, StoreError> {
        let rows = self.rows();
        let Some(tenant) = rows!(rows, Tenant).find(|tenant| tenant.id == id && is_known(tenant)) else {
            return Ok(None);
        };
        let member = rows!(rows, TenantMember).filter(|member| member.tenant_id == id);
        let place = member.filter_map(|member| {
            let user = rows!(rows, User).find(|user| user.id == member.user_id)?;
            Some((user.clone(), member.clone()))
        });
        let mut places: Vec<_> = place.collect();
        places.sort_by_key(|(user, _)| user.id);
        let mut workspaces: Vec<_> = rows!(rows, Workspace).filter(|row| row.tenant_id == id).cloned().collect();
        workspaces.sort_by_key(|workspace| workspace.id);
        let auth_epoch = rows.state.epochs.get(&id).copied().unwrap_or_default();
        Ok(Some(TenantRoster { tenant: tenant.clone(), auth_epoch, places, workspaces }))
    }

    async fn list_tenants(&self, after: Option<TenantId>, limit: u32) -> Result<Vec<Tenant>, StoreError> {
        let rows = self.rows();
        let behind = |tenant: &&Tenant| is_known(tenant) && after.is_none_or(|after| tenant.id > after);
        let mut tenants: Vec<Tenant> = rows!(rows, Tenant).filter(behind).cloned().collect();
        tenants.sort_by_key(|tenant| tenant.id);
        tenants.truncate(limit as usize);
        Ok(tenants)
    }

    async fn list_accounts(&self, q: Option<&str>, after: Option<UserId>, limit: u32) -> Result<Vec<User>, StoreError> {
        let rows = self.rows();
        let q = q.map(str::to_lowercase);
        let matching = |user: &&User| {
            after.is_none_or(|after| user.id > after)
                && q.as_ref().is_none_or(|q| user.email_key.to_lowercase().contains(q))
        };
        let mut users: Vec<User> = rows!(rows, User).filter(matching).cloned().collect();
        users.sort_by_key(|user| user.id);
        users.truncate(limit as usize);
        Ok(users)
    }

    async fn find_workspace_home(&self, id: WorkspaceId) -> Result<Option<Scope>, StoreError> {
        let rows = self.rows();
        let found = rows!(rows, Workspace).find(|workspace| workspace.id == id);
        Ok(found.map(|workspace| Scope { tenant_id: workspace.tenant_id, workspace_id: id }))
    }
}

/// Neither deleted nor the instance's own.
fn is_known(tenant: &Tenant) -> bool {
    tenant.deleted_at.is_none() && tenant.id.as_uuid() != Uuid::nil()
}
