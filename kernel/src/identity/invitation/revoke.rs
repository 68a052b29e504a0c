//! Taking an invitation back.

use std::sync::Arc;

use types::id::InvitationId;
use types::member::InvitationStatus;
use types::problem::Code;

use super::read::status;
use crate::context::OpContext;
use crate::error::{Error, Result};
use crate::identity::Identity;
use crate::identity::member::{Change, Reading, Seen};
use crate::ledger::{Audit, Op};
use crate::port::Ids;
use crate::record::{Invitation, Row};

impl Identity {
    /// Takes an invitation back. One that waits no more stays as it is; one that was accepted cannot be taken back.
    pub async fn revoke_invitation(&self, ctx: &OpContext, id: InvitationId) -> Result<()> {
        let revoke = |ctx: &OpContext, seen: &Seen| {
            let found = seen.invitations.iter().find(|invitation| invitation.id == id);
            let invitation = found.ok_or_else(Error::not_found)?;
            match status(invitation, ctx.now) {
                InvitationStatus::Accepted => {
                    Err(Error::new(Code::InvitationUsed, "somebody joined with it, remove the member instead"))
                }
                InvitationStatus::Expired | InvitationStatus::Revoked => Ok(Change::to(())),
                InvitationStatus::Pending => {
                    Ok(Change::to(()).with(revoked(ctx, &*self.ports.ids, invitation, "invitation.revoke")))
                }
            }
        };
        self.change_roster(ctx, "invitation.revoke", Reading::Invitations, revoke).await
    }
}

/// The operations that take an invitation back.
pub(super) fn revoked(ctx: &OpContext, ids: &dyn Ids, invitation: &Invitation, operation: &str) -> [Op; 2] {
    let after = Invitation { revoked_at: Some(ctx.now), version: invitation.version + 1, ..invitation.clone() };
    let audit = Audit::done(ctx, ids, "invitation.revoked", operation, ("invitation", invitation.id));
    [Op::RowPut(Arc::new(Row::Invitation(after))), audit.into()]
}
