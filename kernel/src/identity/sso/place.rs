//! The tenant a request is about, and the caller's place in it. It needs none of its workspaces.

use types::id::{TenantId, Uuid, WorkspaceId};
use types::name::Slug;
use types::problem::Code;

use crate::context::{OpContext, Scope};
use crate::error::{Error, Result};
use crate::identity::Identity;

impl Identity {
    /// The context of a tenant the caller belongs to, under its epoch as the store has it; of others nothing is told.
    pub(super) async fn in_tenant(&self, ctx: &OpContext, tenant_id: TenantId) -> Result<OpContext> {
        let of_key = ctx.api_key().map(|key| key.scope.tenant_id);
        if of_key.is_some_and(|own| own != tenant_id) {
            return Err(Error::not_found());
        }
        if ctx.scope != Scope::INSTANCE && ctx.role.is_none() {
            return Err(Error::new(Code::MfaRequired, "a workspace of yours lets in only who has a second factor"));
        }
        let id = ctx.answerable().ok_or_else(Error::not_found)?;
        let account = self.ports.directory.find_account(id).await?.ok_or_else(Error::not_found)?;
        let place = account.tenants.iter().find(|(tenant, ..)| tenant.id == tenant_id);
        let (tenant, role, auth_epoch) = place.ok_or_else(Error::not_found)?;
        if !tenant.active {
            return Err(Error::new(Code::SubjectDisabled, "the tenant is not active"));
        }
        let scope = Scope { tenant_id, workspace_id: WorkspaceId::from_uuid(Uuid::nil()) };
        // A service principal belongs to one workspace and to nothing above it.
        let tenant_role = ctx.user_id.map(|_| ctx.tenant_power(*role));
        Ok(OpContext { scope, role: None, tenant_role, auth_epoch: *auth_epoch, ..ctx.clone() })
    }

    /// The id of a tenant the caller belongs to, by its short name.
    pub async fn find_tenant_id(&self, ctx: &OpContext, slug: &Slug) -> Result<TenantId> {
        let found = self.resolved_of(ctx).await?;
        let tenant = found.account.tenants.iter().find(|(tenant, ..)| tenant.slug == *slug);
        tenant.map(|(tenant, ..)| tenant.id).ok_or_else(Error::not_found)
    }
}
