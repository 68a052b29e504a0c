//! Taking a grant back.

use serde_json::json;
use types::id::GrantId;

use super::read::{is_own, own_groups, view};
use crate::context::OpContext;
use crate::error::{Error, Result};
use crate::identity::Identity;
use crate::identity::member::{Change, Reading, Seen};
use crate::ledger::Audit;
use crate::policy::guard::{Extent, authorize_rows, role_required};
use crate::record::{Grant, Row};

impl Identity {
    /// Takes a grant back: once this is answered, nothing starts by it. Who sees one that another gave cannot.
    pub async fn revoke_grant(&self, ctx: &OpContext, id: GrantId) -> Result<()> {
        let revoke = |ctx: &OpContext, seen: &Seen| {
            let extent = authorize_rows(ctx, "grant.delete")?;
            let grant = seen.grants.iter().find(|grant| grant.id == id).ok_or_else(Error::not_found)?;
            if extent == Extent::Own && ctx.user_id != Some(grant.granted_by) {
                return Err(match is_own(ctx, grant, &own_groups(ctx, &seen.groups)) {
                    true => role_required(ctx, "grant.delete"),
                    false => Error::not_found(),
                });
            }
            let revoked = Grant { revoked_at: Some(ctx.now), version: grant.version + 1, ..grant.clone() };
            let audit = Audit::done(ctx, &*self.ports.ids, "grant.revoked", "grant.delete", ("grant", id))
                .with_payload(json!({ "before": view(grant) }));
            Ok(Change::to(()).row(Row::Grant(revoked)).with([audit.into()]))
        };
        self.change_roster(ctx, "grant.delete", Reading::Subjects, revoke).await
    }
}
