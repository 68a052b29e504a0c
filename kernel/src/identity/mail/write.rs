//! Writing a mail: its row, its event, the token of its link.

use std::sync::Arc;

use chrono::{DateTime, Utc};
use serde_json::json;
use types::account::{Language, MailKind};
use types::id::{InvitationId, MailId};
use types::problem::Code;

use crate::error::{Error, Result};
use crate::identity::token::{self, TokenKind};
use crate::identity::{Email, Identity, delta};
use crate::ledger::{Event, Op};
use crate::port::Mailer;
use crate::record::{Digest, Mail, Row};
use crate::secret::SecretString;

impl Identity {
    /// How mail leaves, or that it does not.
    pub(in crate::identity) fn mailer(&self) -> Result<&Arc<dyn Mailer>> {
        let detail = "this deployment sends no mail, ask whoever runs it";
        self.ports.mailer.as_ref().ok_or_else(|| Error::new(Code::NotConfigured, detail))
    }

    /// A mail to an address, about nobody yet.
    pub(in crate::identity) fn draft_mail(
        &self,
        kind: MailKind,
        to: &Email,
        language: Language,
        now: DateTime<Utc>,
    ) -> Mail {
        let id = self.ports.ids.mail();
        let life = match kind {
            MailKind::PasswordReset => self.settings.password_reset_life,
            _ => self.settings.email_link_life,
        };
        Mail {
            id,
            kind,
            user_id: None,
            invitation_id: None,
            email: to.as_str().to_owned(),
            email_key: to.key().to_owned(),
            language,
            digest: has_link(kind).then(|| self.link_token(id).1),
            applicant: None,
            created_at: now,
            expires_at: now + delta(life),
            used_at: None,
            version: 1,
        }
    }

    /// The token of a mail's link.
    pub(in crate::identity) fn link_token(&self, id: MailId) -> (SecretString, Digest) {
        token::derive(TokenKind::Link, self.ports.sealer.sign("mail-link", &[id.as_uuid().as_bytes()]))
    }

    /// The token of an invitation that is sent by mail.
    pub(in crate::identity) fn invitation_token(&self, id: InvitationId) -> (SecretString, Digest) {
        token::derive(TokenKind::Invitation, self.ports.sealer.sign("invitation-link", &[id.as_uuid().as_bytes()]))
    }

    /// What has a mail sent.
    pub(in crate::identity) fn send(&self, mail: Mail) -> [Op; 2] {
        let payload = json!({ "kind": mail.kind });
        let event = Event::new(&*self.ports.ids, "mail.requested", mail.id, payload, mail.created_at);
        [Op::RowPut(Arc::new(Row::Mail(mail))), event.into()]
    }
}

/// What marks a mail's link as used. What it would have made is forgotten.
pub(in crate::identity) fn used(mail: &Mail, now: DateTime<Utc>) -> Op {
    let used = Mail { used_at: Some(now), applicant: None, version: mail.version + 1, ..mail.clone() };
    Op::RowPut(Arc::new(Row::Mail(used)))
}

/// Whether a mail of its own link is of the kind. That of an invitation belongs to the invitation.
fn has_link(kind: MailKind) -> bool {
    match kind {
        MailKind::PasswordReset | MailKind::EmailVerification | MailKind::EmailChange | MailKind::Registration => true,
        MailKind::EmailChanged | MailKind::AccountExists | MailKind::Invitation => false,
    }
}
