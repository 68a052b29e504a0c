//! What binds every workspace of a tenant. Of tenant and workspace the strictest counts.

use serde_json::json;
use types::tenant::{Ceilings, UpdateCeilings};

use crate::context::OpContext;
use crate::error::{Error, Result};
use crate::identity::Identity;
use crate::identity::member::Change;
use crate::ledger::Audit;
use crate::policy::guard::authorize;
use crate::port::TenantRoster;
use crate::record::{Row, Tenant};

impl Identity {
    /// What binds every workspace of the tenant of the context.
    pub async fn find_ceilings(&self, ctx: &OpContext) -> Result<Ceilings> {
        authorize(ctx, "tenant_ceiling.read")?;
        let tenant = self.ports.directory.find_tenant(ctx.scope.tenant_id).await?.ok_or_else(Error::not_found)?;
        Ok(view(&tenant))
    }

    /// Changes it where the tenant is still at `version`. What is tightened binds every call from the answer on.
    pub async fn update_ceilings(
        &self,
        ctx: &OpContext,
        version: Option<u64>,
        command: &UpdateCeilings,
    ) -> Result<Ceilings> {
        let update = |ctx: &OpContext, seen: &TenantRoster| {
            let before = &seen.tenant;
            let content_capture = command.content_capture.unwrap_or(before.content_capture);
            // The strictest comes last.
            if content_capture < before.content_capture {
                authorize(ctx, "tenant_ceiling.loosen_capture")?;
            }
            let after = Tenant { content_capture, version: before.version + 1, ..before.clone() };
            let (was, is) = (json!(before.content_capture), json!(content_capture));
            if !ctx.must_change(version, before.version, &was, &is)? {
                return Ok(Change::to(view(before)));
            }
            let done = ("tenant", after.id);
            let audit = Audit::done(ctx, &*self.ports.ids, "tenant.ceilings_updated", "tenant_ceiling.update", done)
                .with_payload(json!({ "before": { "content_capture": was }, "after": { "content_capture": is } }));
            Ok(Change::to(view(&after)).row(Row::Tenant(after)).with([audit.into()]))
        };
        self.change_tenant(ctx, "tenant_ceiling.update", update).await
    }
}

fn view(tenant: &Tenant) -> Ceilings {
    Ceilings { content_capture: tenant.content_capture, version: tenant.version }
}
