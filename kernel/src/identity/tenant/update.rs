//! Naming a tenant.

use serde_json::{Value, json};
use types::tenant::{self, UpdateTenant};

use super::read::view;
use crate::check::normal_name;
use crate::context::OpContext;
use crate::error::Result;
use crate::identity::Identity;
use crate::identity::member::Change;
use crate::ledger::Audit;
use crate::port::TenantRoster;
use crate::record::{Row, Tenant};

impl Identity {
    /// Changes a tenant that is still at `version`.
    pub async fn update_tenant(
        &self,
        ctx: &OpContext,
        version: Option<u64>,
        command: &UpdateTenant,
    ) -> Result<tenant::Tenant> {
        let update = |ctx: &OpContext, seen: &TenantRoster| {
            let before = &seen.tenant;
            let after = Tenant {
                name: command.name.as_ref().map_or_else(|| Ok(before.name.clone()), normal_name)?,
                slug: command.slug.clone().unwrap_or_else(|| before.slug.clone()),
                version: before.version + 1,
                ..before.clone()
            };
            if !ctx.must_change(version, before.version, &names(before), &names(&after))? {
                return Ok(Change::to(view(before, ctx.tenant_role)));
            }
            let audit = Audit::done(ctx, &*self.ports.ids, "tenant.updated", "tenant.update", ("tenant", after.id))
                .with_payload(json!({ "before": names(before), "after": names(&after) }));
            Ok(Change::to(view(&after, ctx.tenant_role)).row(Row::Tenant(after)).with([audit.into()]))
        };
        self.change_tenant(ctx, "tenant.update", update).await
    }
}

fn names(tenant: &Tenant) -> Value {
    json!({ "name": tenant.name, "slug": tenant.slug })
}
