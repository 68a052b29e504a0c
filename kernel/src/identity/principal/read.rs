//! Reading principals: everybody of the workspace sees them.

use types::access;
use types::id::ServicePrincipalId;

use super::rules::view;
use crate::context::OpContext;
use crate::error::{Error, Result};
use crate::identity::Identity;
use crate::policy::guard::authorize;
use crate::port::Roster;

impl Identity {
    /// The workspace's service principals, newest first, those included that may not act.
    pub async fn list_principals(&self, ctx: &OpContext) -> Result<Vec<access::ServicePrincipal>> {
        authorize(ctx, "service_principal.list")?;
        let roster = self.roster_of(ctx).await?;
        let principals = self.ports.subjects.list_principals(ctx.scope).await?;
        Ok(principals.iter().map(|principal| view(principal, &roster)).collect())
    }

    /// One of them.
    pub async fn find_principal(&self, ctx: &OpContext, id: ServicePrincipalId) -> Result<access::ServicePrincipal> {
        authorize(ctx, "service_principal.read")?;
        let roster = self.roster_of(ctx).await?;
        let principal = self.ports.subjects.find_principal(ctx.scope, id).await?.ok_or_else(Error::not_found)?;
        Ok(view(&principal, &roster))
    }

    async fn roster_of(&self, ctx: &OpContext) -> Result<Roster> {
        self.ports.people.roster(ctx.scope).await?.ok_or_else(Error::not_found)
    }
}
