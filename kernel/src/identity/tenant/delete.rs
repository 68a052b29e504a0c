//! Deleting a tenant none of whose workspaces is in use. Its rows stay, for what happened is still told by them.

use serde_json::json;
use types::problem::Code;

use crate::context::OpContext;
use crate::error::{Error, Result};
use crate::identity::Identity;
use crate::identity::found::own_slug;
use crate::identity::member::Change;
use crate::ledger::Audit;
use crate::port::TenantRoster;
use crate::record::{Row, Tenant};

impl Identity {
    /// Deletes the tenant of the context: nobody belongs to it any more, no key of it works, and its short name is free.
    pub async fn delete_tenant(&self, ctx: &OpContext) -> Result<()> {
        let delete = |ctx: &OpContext, seen: &TenantRoster| {
            let before = &seen.tenant;
            if let Some(used) = seen.workspaces.iter().find(|workspace| !workspace.archived) {
                let detail = format!("its workspace `{}` is in use, archive every workspace first", used.slug);
                return Err(Error::new(Code::InUse, detail));
            }
            let gone = Tenant {
                slug: own_slug(before.id)?,
                active: false,
                deleted_at: Some(ctx.now),
                version: before.version + 1,
                ..before.clone()
            };
            let audit = Audit::done(ctx, &*self.ports.ids, "tenant.deleted", "tenant.delete", ("tenant", before.id))
                .with_payload(json!({ "before": { "name": before.name, "slug": before.slug } }));
            Ok(Change::to(()).row(Row::Tenant(gone)).with([audit.into()]))
        };
        self.change_tenant(ctx, "tenant.delete", delete).await
    }
}
