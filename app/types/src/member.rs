//! People of a workspace, and those who are asked to join it.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use crate::id::{InvitationId, UserId, WorkspaceId};
use crate::identity::{Role, TenantRole, UserStatus};
use crate::name::{Name, Slug};
use crate::word::words;

/// A person's place in a workspace.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Member {
    /// The person.
    pub user_id: UserId,
    /// The address they sign in with.
    pub email: String,
    /// Their name.
    pub name: Name,
    /// Whether their account may act.
    pub status: UserStatus,
    /// Their role in the workspace.
    pub role: Role,
    /// Their role in its tenant.
    pub tenant_role: TenantRole,
    /// Since when they belong.
    pub joined_at: DateTime<Utc>,
    /// For `If-Match`.
    pub version: u64,
}

/// Gives a person of the tenant a place in the workspace. Who has no account yet is invited.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct AddMember {
    /// The person; this or `email`.
    #[serde(default)]
    pub user_id: Option<UserId>,
    /// Their address; this or `user_id`.
    #[serde(default)]
    pub email: Option<String>,
    /// Their role, none above one's own.
    #[serde(deserialize_with = "crate::word::any_case")]
    pub role: Role,
}

/// Changes a member's role.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct UpdateMember {
    /// The new role, none above one's own.
    #[serde(deserialize_with = "crate::word::any_case")]
    pub role: Role,
}

words! {
    /// Where an invitation stands.
    pub enum InvitationStatus {
        /// It waits.
        Pending = "pending",
        /// Somebody joined with it.
        Accepted = "accepted",
        /// Its time is over.
        Expired = "expired",
        /// It was taken back, or a newer one took its place.
        Revoked = "revoked",
    }
}

/// Somebody asked into a workspace.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Invitation {
    /// The invitation's id.
    pub id: InvitationId,
    /// The address it is for.
    pub email: String,
    /// The role it gives.
    pub role: Role,
    /// Where it stands.
    pub status: InvitationStatus,
    /// Who invited.
    pub invited_by: UserId,
    /// When.
    pub created_at: DateTime<Utc>,
    /// When its time is over.
    pub expires_at: DateTime<Utc>,
}

/// Invites somebody. An invitation of the same address that still waits is taken back.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct CreateInvitation {
    /// The address it is for.
    pub email: String,
    /// The role it gives, none above one's own.
    #[serde(deserialize_with = "crate::word::any_case")]
    pub role: Role,
}

/// An invitation and the link that accepts it, shown this once; where mail is set up, the link is sent instead.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct IssuedInvitation {
    /// The invitation.
    pub item: Invitation,
    /// Opens the page that accepts it; the token is behind the `#`, where no server and no log sees it. Absent where it
    /// was sent by mail.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub link: Option<String>,
}

impl std::fmt::Debug for IssuedInvitation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("IssuedInvitation").field("item", &self.item).finish_non_exhaustive()
    }
}

/// Accepts an invitation: signed in by its address, or by making the account.
#[derive(Clone, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct AcceptInvitation {
    /// `si_…`: what stands behind the `#` of the link.
    pub token: String,
    /// One's name, 1–80 characters; only where the account is made.
    #[serde(default)]
    pub name: Option<Name>,
    /// One's new password, 12–128 characters, hard to guess; only where the account is made.
    #[serde(default)]
    pub password: Option<String>,
}

impl std::fmt::Debug for AcceptInvitation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("AcceptInvitation").finish_non_exhaustive()
    }
}

/// Where an accepted invitation led.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct AcceptedInvitation {
    /// Who joined.
    pub user_id: UserId,
    /// The workspace.
    pub workspace_id: WorkspaceId,
    /// Its name in URLs.
    pub workspace_slug: Slug,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_role_is_read_in_any_case_and_written_in_one() {
        for word in ["owner", "Owner", "OWNER"] {
            let read: UpdateMember = serde_json::from_value(serde_json::json!({ "role": word })).expect("a role");
            assert_eq!(serde_json::to_value(read).expect("JSON"), serde_json::json!({ "role": "owner" }));
        }
        let refused = serde_json::from_str::<UpdateMember>(r#"{"role":"root"}"#).expect_err("no role");
        assert!(refused.to_string().starts_with("`root` is not one of `owner`"), "{refused}");
    }
}
