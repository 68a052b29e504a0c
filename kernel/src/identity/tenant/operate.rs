//! Suspending a tenant and letting it act again: what who runs the instance does, without a look at what is in it.

use types::id::TenantId;
use types::tenant;

use super::read::view;
use crate::context::OpContext;
use crate::error::Result;
use crate::identity::Identity;
use crate::identity::member::Change;
use crate::ledger::Audit;
use crate::port::TenantRoster;
use crate::record::{Row, Tenant};

impl Identity {
    /// Suspends a tenant: nobody gets into it and nothing in it starts, from the answer on and on every process. Suspended
    /// again, it stays so.
    pub async fn suspend_tenant(&self, ctx: &OpContext, id: TenantId) -> Result<tenant::Tenant> {
        self.set_active(ctx, id, false, "tenant.suspend", "tenant.suspended").await
    }

    /// Lets a suspended tenant act again.
    pub async fn activate_tenant(&self, ctx: &OpContext, id: TenantId) -> Result<tenant::Tenant> {
        self.set_active(ctx, id, true, "tenant.activate", "tenant.activated").await
    }

    async fn set_active(
        &self,
        ctx: &OpContext,
        id: TenantId,
        active: bool,
        action: &'static str,
        event: &'static str,
    ) -> Result<tenant::Tenant> {
        let set = |ctx: &OpContext, seen: &TenantRoster| {
            let before = &seen.tenant;
            if before.active == active {
                return Ok(Change::to(view(before, None)));
            }
            let after = Tenant { active, version: before.version + 1, ..before.clone() };
            let audit = Audit::done(ctx, &*self.ports.ids, event, action, ("tenant", id));
            Ok(Change::to(view(&after, None)).row(Row::Tenant(after)).with([audit.into()]))
        };
        self.operate_tenant(ctx, action, id, set).await
    }
}
