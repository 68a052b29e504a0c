//! Inviting.

use serde_json::json;
use types::account::{Language, MailKind};
use types::id::InvitationId;
use types::identity::TenantRole;
use types::member::{self, CreateInvitation, InvitationStatus};
use types::problem::Code;

use super::read::{status, view};
use super::revoke::revoked;
use crate::context::OpContext;
use crate::error::{Error, Result};
use crate::identity::member::{Change, Reading, Seen, check_may_set};
use crate::identity::token::{self, TokenKind};
use crate::identity::{Email, Identity, delta};
use crate::ledger::Audit;
use crate::record::{Digest, Invitation, Mail, Row};
use crate::secret::SecretString;

/// An invitation with its token, which is kept nowhere.
#[derive(Debug)]
pub struct Invited {
    /// The invitation.
    pub item: member::Invitation,
    /// The token; none where the same form was answered before, or where it is sent.
    pub token: Option<SecretString>,
    /// Whether the link is sent by mail.
    pub by_mail: bool,
}

impl Invited {
    /// The token, to be shown; none where the link is sent by mail.
    pub fn shown(self) -> Result<(member::Invitation, Option<SecretString>)> {
        if self.by_mail {
            return Ok((self.item, None));
        }
        let token = self.token.ok_or_else(|| {
            Error::new(Code::AlreadyExists, "its link was shown before, invite the address again to have a new one")
        })?;
        Ok((self.item, Some(token)))
    }
}

impl Identity {
    /// Invites an address. The link is sent there, or else shown this once. An invitation of the same address that still waits is taken back.
    pub async fn create_invitation(&self, ctx: &OpContext, command: &CreateInvitation) -> Result<Invited> {
        let email = Email::parse(&command.email, "email")?;
        let id = ctx.new_id(&*self.ports.ids, "invitation.create", command)?;
        let by_mail = self.ports.mailer.is_some();
        let (token, digest) = match by_mail {
            true => self.invitation_token(id),
            false => token::mint(TokenKind::Invitation, &*self.ports.ids),
        };
        let create = |ctx: &OpContext, seen: &Seen| self.decide_invitation(ctx, seen, command, &email, (id, digest));
        let (item, is_new) = self.change_roster(ctx, "invitation.create", Reading::Invitations, create).await?;
        Ok(Invited { item, token: (is_new && !by_mail).then_some(token), by_mail })
    }

    fn decide_invitation(
        &self,
        ctx: &OpContext,
        seen: &Seen,
        command: &CreateInvitation,
        email: &Email,
        (id, digest): (InvitationId, Digest),
    ) -> Result<Change<(member::Invitation, bool)>> {
        check_may_set(ctx, "invitation.create", None, Some(command.role))?;
        if let Some(made) = seen.invitations.iter().find(|invitation| invitation.id == id) {
            return Ok(Change::to((view(made, ctx.now), false)));
        }
        if seen.roster.members().any(|seat| seat.user.email_key == email.key()) {
            return Err(Error::new(Code::AlreadyExists, "the person belongs to the workspace already")
                .with_field("email", "is the address of a member"));
        }
        let invitation = Invitation {
            id,
            scope: ctx.scope,
            email: email.as_str().to_owned(),
            email_key: email.key().to_owned(),
            role: command.role,
            tenant_role: TenantRole::Member,
            digest,
            invited_by: ctx.user_id.ok_or_else(Error::not_found)?,
            created_at: ctx.now,
            expires_at: ctx.now + delta(self.settings.invitation_life),
            accepted: None,
            revoked_at: None,
            version: 1,
        };
        let item = view(&invitation, ctx.now);
        let mail = self.ports.mailer.is_some().then(|| {
            let draft = self.draft_mail(MailKind::Invitation, email, Language::English, ctx.now);
            self.send(Mail { invitation_id: Some(id), expires_at: invitation.expires_at, ..draft })
        });
        let audit = Audit::done(ctx, &*self.ports.ids, "invitation.created", "invitation.create", ("invitation", id))
            .with_payload(json!({ "after": item }));
        let waits =
            |other: &&Invitation| other.email_key == email.key() && status(other, ctx.now) == InvitationStatus::Pending;
        let superseded = seen.invitations.iter().filter(waits);
        let superseded = superseded.flat_map(|other| revoked(ctx, &*self.ports.ids, other, "invitation.create"));
        Ok(Change::to((item, true))
            .with(superseded)
            .row(Row::Invitation(invitation))
            .with([audit.into()])
            .with(mail.into_iter().flatten()))
    }
}
