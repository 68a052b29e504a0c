//! Server functions of members and invitations.

use leptos::prelude::*;
use types::id::{FormKey, InvitationId, UserId};
use types::member::{Invitation, Member};
use types::name::Slug;

use super::{Seen, ask, change, submit};
use crate::backend::access::InvitationView;
use crate::backend::keys::Reveal;
use crate::backend::{List, redirect, redirect_as_post};
use crate::error::{AppError, Typed};
use crate::form::{InvitationForm, MemberForm};
use crate::route::At;

/// One page of the members.
#[server(prefix = "/ui/fn", endpoint = "list_members")]
pub(crate) async fn list_members(workspace: Slug, after: Option<String>) -> Result<List<Member>, AppError> {
    ask(|backend| async move { backend.access.list_members(&workspace, after).await }).await
}

/// Gives a member another role.
#[server(prefix = "/ui/fn", endpoint = "update_member")]
pub(crate) async fn update_member(
    workspace: Slug,
    id: UserId,
    version: u64,
    form: MemberForm,
    seen: Option<Typed>,
) -> Result<Member, AppError> {
    let seen = Seen { id: Some(id.to_string()), version, fields: seen };
    change(&form, seen, form.read(), |backend, command| async move {
        backend.access.update_member(&workspace, id, version, command).await
    })
    .await
}

/// Removes a member.
#[server(prefix = "/ui/fn", endpoint = "remove_member")]
pub(crate) async fn remove_member(workspace: Slug, id: UserId) -> Result<(), AppError> {
    let at = At::workspace(&workspace);
    ask(|backend| async move { backend.access.remove_member(&workspace, id).await }).await?;
    redirect(&at.access());
    Ok(())
}

/// One page of the invitations.
#[server(prefix = "/ui/fn", endpoint = "list_invitations")]
pub(crate) async fn list_invitations(workspace: Slug, after: Option<String>) -> Result<List<InvitationView>, AppError> {
    ask(|backend| async move { backend.access.list_invitations(&workspace, after).await }).await
}

/// Invites somebody and leads to the one reveal of the link.
#[server(prefix = "/ui/fn", endpoint = "create_invitation")]
pub(crate) async fn create_invitation(
    workspace: Slug,
    form_key: Option<FormKey>,
    form: InvitationForm,
) -> Result<Invitation, AppError> {
    let at = At::workspace(&workspace);
    let invitation = submit(&form, form.read(), |backend, command| async move {
        backend.access.create_invitation(&workspace, form_key, command).await
    })
    .await?;
    redirect_as_post(&at.invitation_reveal(invitation.id));
    Ok(invitation)
}

/// Takes an invitation back.
#[server(prefix = "/ui/fn", endpoint = "revoke_invitation")]
pub(crate) async fn revoke_invitation(workspace: Slug, id: InvitationId) -> Result<(), AppError> {
    let at = At::workspace(&workspace);
    ask(|backend| async move { backend.access.revoke_invitation(&workspace, id).await }).await?;
    redirect(&at.invitations());
    Ok(())
}

/// The link of a new invitation, once.
#[server(prefix = "/ui/fn", endpoint = "take_link")]
pub(crate) async fn take_link(workspace: Slug, id: InvitationId) -> Result<(Invitation, Reveal), AppError> {
    ask(|backend| async move { backend.access.take_link(&workspace, id).await }).await
}
