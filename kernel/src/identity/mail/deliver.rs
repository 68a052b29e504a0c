//! The outbox consumer that sends mails.

use async_trait::async_trait;
use types::account::MailKind;
use types::id::MailId;
use types::member::InvitationStatus;
use types::problem::Code;

use super::letter::{Content, write};
use crate::error::{Error, Result};
use crate::identity::Identity;
use crate::identity::invitation;
use crate::outbox::{Consumer, MAIL};
use crate::port::{Addressee, Delivery, Letter, MailError};
use crate::record::Mail;
use crate::secret::SecretString;

#[async_trait]
impl Consumer for Identity {
    fn name(&self) -> &'static str {
        MAIL
    }

    /// Sends a mail that still is of use. Twice is no harm: both have the same id, and their link works once.
    async fn deliver(&self, delivery: &Delivery) -> Result<()> {
        let Ok(id) = delivery.subject.parse::<MailId>() else { return Ok(()) };
        let Some(mail) = self.ports.mails.find_mail(id).await? else { return Ok(()) };
        if mail.used_at.is_some() || mail.expires_at <= self.ports.clock.now() {
            return Ok(());
        }
        let Some(letter) = self.letter(delivery, &mail).await? else { return Ok(()) };
        match self.mailer()?.send(&letter).await {
            Ok(()) => Ok(()),
            // Another try would end alike. What was asked for can be asked for again.
            Err(error @ MailError::Refused(_)) => {
                tracing::warn!(mail.id = %id, mail.kind = %mail.kind, %error, "a mail cannot be sent");
                Ok(())
            }
            Err(error @ MailError::Unavailable(_)) => {
                Err(Error::new(Code::UpstreamError, error.to_string()).with_source(error))
            }
        }
    }
}

impl Identity {
    /// What is sent, unless nobody waits for it.
    async fn letter(&self, delivery: &Delivery, mail: &Mail) -> Result<Option<Letter>> {
        let links = &self.ports.links;
        let content = match mail.kind {
            MailKind::Invitation => return self.invitation_letter(delivery, mail).await,
            MailKind::EmailChanged => Content::EmailChanged { sign_in: &links.sign_in },
            MailKind::AccountExists => Content::AccountExists { sign_in: &links.sign_in },
            MailKind::PasswordReset | MailKind::EmailVerification | MailKind::EmailChange | MailKind::Registration => {
                let Some(token) = self.good_token(mail).await? else { return Ok(None) };
                let page =
                    if mail.kind == MailKind::PasswordReset { &links.reset_password } else { &links.confirm_email };
                let life = mail.expires_at - mail.created_at;
                return Ok(Some(write(mail, &Content::Link { link: link(page, &token), life })));
            }
        };
        Ok(Some(write(mail, &content)))
    }

    /// The token of a link that somebody waits for.
    async fn good_token(&self, mail: &Mail) -> Result<Option<SecretString>> {
        let is_wanted = match mail.kind {
            MailKind::Registration => mail.applicant.is_some(),
            _ => match self.account_of(mail).await {
                // Whoever has another address by now did not ask for this one.
                Ok(account) => mail.kind == MailKind::EmailChange || account.user.email_key == mail.email_key,
                Err(error) if error.code() == Code::LinkExpired => false,
                Err(error) => return Err(error),
            },
        };
        let newest = self.ports.mails.newest_mail(mail.kind, Addressee::of(mail)).await?;
        if !is_wanted || newest.is_some_and(|newest| newest.id != mail.id) {
            return Ok(None);
        }
        let (token, digest) = self.link_token(mail.id);
        if mail.digest != Some(digest) {
            tracing::warn!(mail.id = %mail.id, "a mail was written under another SECRET_KEY and is not sent");
            return Ok(None);
        }
        Ok(Some(token))
    }

    async fn invitation_letter(&self, delivery: &Delivery, mail: &Mail) -> Result<Option<Letter>> {
        let Some(id) = mail.invitation_id else { return Ok(None) };
        let (token, digest) = self.invitation_token(id);
        let Some(found) = self.ports.people.find_invitation(digest).await? else { return Ok(None) };
        let waits = invitation::status(&found, self.ports.clock.now()) == InvitationStatus::Pending;
        let Some(workspace) = self.ports.directory.find_workspace(delivery.scope).await?.filter(|_| waits) else {
            return Ok(None);
        };
        let link = link(&self.ports.links.invitation, &token);
        Ok(Some(write(mail, &Content::Invitation { link, workspace: workspace.name.as_str() })))
    }
}

fn link(page: &str, token: &SecretString) -> String {
    format!("{page}#{}", token.expose())
}
