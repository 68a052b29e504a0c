//! Reading invitations.

use std::collections::BTreeSet;

use chrono::{DateTime, Utc};
use types::id::{InvitationId, UserId};
use types::member::{self, InvitationStatus};
use types::name::Name;

use crate::context::OpContext;
use crate::error::{Error, Result};
use crate::identity::Identity;
use crate::policy::guard::authorize;
use crate::record::Invitation;

impl Identity {
    /// The workspace's invitations, newest first, those included that wait no more.
    pub async fn list_invitations(&self, ctx: &OpContext) -> Result<Vec<member::Invitation>> {
        authorize(ctx, "invitation.list")?;
        let invitations = self.ports.people.list_invitations(ctx.scope).await?;
        Ok(invitations.iter().map(|invitation| view(invitation, ctx.now)).collect())
    }

    /// One of them.
    pub async fn find_invitation(&self, ctx: &OpContext, id: InvitationId) -> Result<member::Invitation> {
        let found = self.list_invitations(ctx).await?.into_iter().find(|invitation| invitation.id == id);
        found.ok_or_else(Error::not_found)
    }

    /// Who wrote these invitations, by name.
    pub async fn list_inviters(
        &self,
        ctx: &OpContext,
        invitations: &[member::Invitation],
    ) -> Result<Vec<(UserId, Name)>> {
        authorize(ctx, "invitation.list")?;
        let ids: BTreeSet<UserId> = invitations.iter().map(|invitation| invitation.invited_by).collect();
        self.names(ids).await
    }
}

/// An invitation as the outside sees it.
pub(super) fn view(invitation: &Invitation, now: DateTime<Utc>) -> member::Invitation {
    member::Invitation {
        id: invitation.id,
        email: invitation.email.clone(),
        role: invitation.role,
        status: status(invitation, now),
        invited_by: invitation.invited_by,
        created_at: invitation.created_at,
        expires_at: invitation.expires_at,
    }
}

/// Where an invitation stands.
pub(in crate::identity) fn status(invitation: &Invitation, now: DateTime<Utc>) -> InvitationStatus {
    if invitation.accepted.is_some() {
        InvitationStatus::Accepted
    } else if invitation.revoked_at.is_some() {
        InvitationStatus::Revoked
    } else if now >= invitation.expires_at {
        InvitationStatus::Expired
    } else {
        InvitationStatus::Pending
    }
}
