//! Members and invitations.

use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use types::id::{FormKey, InvitationId, UserId};
use types::member::{CreateInvitation, Invitation, Member, UpdateMember};
use types::name::Slug;

use super::keys::Reveal;
use super::{Answer, List};

/// An invitation as the list shows it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct InvitationView {
    /// The invitation.
    pub invitation: Invitation,
    /// Who invited, by name.
    pub inviter: Option<String>,
}

/// Members and invitations.
///
/// The link of a new invitation travels like the secret of a new key: it is kept for the session that made it, and handed out
/// once, in the answer to a POST.
#[async_trait]
pub trait Access: Send + Sync {
    /// Everybody who belongs, in the order they joined, after a cursor.
    async fn list_members(&self, workspace: &Slug, after: Option<String>) -> Answer<List<Member>>;

    /// Gives a member who is still at `version` another role.
    async fn update_member(&self, workspace: &Slug, id: UserId, version: u64, command: UpdateMember) -> Answer<Member>;

    /// Removes a member; oneself, one leaves.
    async fn remove_member(&self, workspace: &Slug, id: UserId) -> Answer<()>;

    /// The invitations, newest first, after a cursor.
    async fn list_invitations(&self, workspace: &Slug, after: Option<String>) -> Answer<List<InvitationView>>;

    /// Invites somebody and keeps the link for one reveal.
    async fn create_invitation(
        &self,
        workspace: &Slug,
        form_key: Option<FormKey>,
        command: CreateInvitation,
    ) -> Answer<Invitation>;

    /// Takes an invitation back.
    async fn revoke_invitation(&self, workspace: &Slug, id: InvitationId) -> Answer<()>;

    /// The invitation, and its kept link the first time a POST of the session that made it asks for it.
    async fn take_link(&self, workspace: &Slug, id: InvitationId) -> Answer<(Invitation, Reveal)>;
}
