//! From a credential to a tenant as a whole.

use types::id::{TenantId, WorkspaceId};
use types::name::Slug;
use types::problem::Code;

use crate::context::{OpContext, Scope};
use crate::error::{Error, Result};
use crate::identity::Identity;
use crate::identity::authenticate::disabled;
use crate::identity::cache::Resolved;

impl Identity {
    /// The same caller in a tenant as a whole; one they do not belong to is not there.
    pub async fn enter_tenant(&self, ctx: &OpContext, id: TenantId) -> Result<OpContext> {
        let found = self.resolved_of(ctx).await?;
        admit(&found, ctx.clone(), id, None)
    }

    /// The same in the tenant of a short name.
    pub async fn enter_tenant_named(&self, ctx: &OpContext, slug: &Slug) -> Result<OpContext> {
        let found = self.resolved_of(ctx).await?;
        let named = found.account.tenants.iter().find(|(tenant, ..)| tenant.slug == *slug);
        let id = named.map(|(tenant, ..)| tenant.id).ok_or_else(Error::not_found)?;
        admit(&found, ctx.clone(), id, None)
    }
}

/// A credential's power in a tenant. A key reaches no tenant but its workspace's, a service principal none at all.
pub(in crate::identity) fn admit(
    found: &Resolved,
    ctx: OpContext,
    id: TenantId,
    header: Option<WorkspaceId>,
) -> Result<OpContext> {
    let account = &found.account;
    if let Some(header) = header {
        let named = account.workspaces.iter().find(|(workspace, _)| workspace.id == header);
        let (workspace, _) = named.ok_or_else(Error::not_found)?;
        if workspace.tenant_id != id {
            let detail = "`X-Workspace-Id` names a workspace of another tenant than the path, name one of it or none";
            return Err(Error::new(Code::WorkspaceConflict, detail));
        }
    }
    let is_reached = ctx.principal.is_none() && ctx.api_key().is_none_or(|key| key.scope.tenant_id == id);
    let place = account.tenants.iter().find(|(tenant, ..)| is_reached && tenant.id == id);
    let (tenant, role, epoch) = place.ok_or_else(Error::not_found)?;
    if !tenant.active {
        return Err(disabled());
    }
    Ok(OpContext {
        scope: Scope::of_tenant(id),
        role: None,
        tenant_role: Some(ctx.tenant_power(*role)),
        is_archived: false,
        auth_epoch: *epoch,
        ..ctx
    })
}
