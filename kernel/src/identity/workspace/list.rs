//! Every workspace of a tenant, for those who manage it: their settings, and nothing of what is in them.

use types::id::TenantId;
use types::identity;

use super::settings::view;
use crate::context::OpContext;
use crate::error::{Error, Result};
use crate::identity::Identity;
use crate::policy::guard::authorize;

impl Identity {
    /// Every workspace of a tenant, archived ones included.
    pub async fn list_tenant_workspaces(&self, ctx: &OpContext, id: TenantId) -> Result<Vec<identity::Workspace>> {
        let ctx = self.enter_tenant(ctx, id).await?;
        authorize(&ctx, "workspace.list_all")?;
        let seen = self.ports.tenants.tenant_roster(id).await?.ok_or_else(Error::not_found)?;
        Ok(seen.workspaces.iter().map(view).collect())
    }
}
