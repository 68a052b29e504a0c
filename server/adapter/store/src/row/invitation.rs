//! `invitations`

use entity::invitation::{ActiveModel, Model};
use kernel::record::Invitation;
use sea_orm::ActiveValue::Set;
use types::id::{InvitationId, UserId};

use super::{Corrupt, count, digest, number, scope, word};

pub(crate) fn active(invitation: &Invitation) -> ActiveModel {
    ActiveModel {
        id: Set(invitation.id.as_uuid()),
        tenant_id: Set(invitation.scope.tenant_id.as_uuid()),
        workspace_id: Set(Some(invitation.scope.workspace_id.as_uuid())),
        email: Set(invitation.email.clone()),
        email_key: Set(invitation.email_key.clone()),
        role: Set(Some(invitation.role.to_string())),
        tenant_role: Set(invitation.tenant_role.to_string()),
        digest: Set(invitation.digest.0.to_vec()),
        invited_by: Set(invitation.invited_by.as_uuid()),
        created_at: Set(invitation.created_at),
        expires_at: Set(invitation.expires_at),
        accepted_at: Set(invitation.accepted.map(|(at, _)| at)),
        accepted_by: Set(invitation.accepted.map(|(_, by)| by.as_uuid())),
        revoked_at: Set(invitation.revoked_at),
        version: Set(number(invitation.version)),
    }
}

pub(crate) fn record(row: Model) -> Result<Invitation, Corrupt> {
    let workspace_id = row.workspace_id.ok_or_else(|| Corrupt::new("invitations.workspace_id", "no workspace"))?;
    Ok(Invitation {
        id: InvitationId::from_uuid(row.id),
        scope: scope(row.tenant_id, workspace_id),
        email: row.email,
        email_key: row.email_key,
        role: word(row.role.as_deref().unwrap_or_default(), "invitations.role")?,
        tenant_role: word(&row.tenant_role, "invitations.tenant_role")?,
        digest: digest(&row.digest, "invitations.digest")?,
        invited_by: UserId::from_uuid(row.invited_by),
        created_at: row.created_at,
        expires_at: row.expires_at,
        accepted: row.accepted_at.zip(row.accepted_by.map(UserId::from_uuid)),
        revoked_at: row.revoked_at,
        version: count(row.version),
    })
}
