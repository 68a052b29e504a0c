//! Making one's own account, where the deployment lets anybody: with a tenant and a workspace of its own. It joins no other.

use std::sync::Arc;

use chrono::{DateTime, Utc};
use types::account::{Language, MailKind, Register};
use types::identity::{AuthCapabilities, UserStatus};

use super::found::Founding;
use super::mail::{link_expired, used};
use super::{Client, Email, Identity, password};
use crate::check::normal_name;
use crate::context::OpContext;
use crate::error::{Error, Result};
use crate::ledger::{Audit, Batch, Durability, Op};
use crate::port::Account;
use crate::record::{Applicant, Mail, Row, User};

impl Identity {
    /// How people get in here.
    pub fn capabilities(&self) -> AuthCapabilities {
        let has_mail = self.ports.mailer.is_some();
        AuthCapabilities {
            registration: has_mail && self.settings.registration,
            password_reset: has_mail,
            email_verification: has_mail,
            password_login: true,
            ..AuthCapabilities::default()
        }
    }

    /// Has a link sent that makes the account. An address that has one is told so by mail; the answer tells nothing.
    pub async fn register(&self, client: &Client, language: Language, command: &Register) -> Result<()> {
        if !self.capabilities().registration {
            return Err(Error::not_found());
        }
        let email = Email::parse(&command.email, "email")?;
        let name = normal_name(&command.name)?;
        let hints = [email.as_str(), name.as_str()];
        let chosen = password::chosen(&command.password, "password", &*self.ports.hasher, &hints)?;
        // Hashed whether or not there is an account: both take as long.
        let password_hash = self.ports.hasher.hash(chosen).await?;
        let draft = |account: Option<&Account>, now| match account {
            Some(account) => Mail {
                user_id: Some(account.user.id),
                ..self.draft_mail(MailKind::AccountExists, &email, language, now)
            },
            None => Mail {
                applicant: Some(Applicant { name: name.clone(), password_hash: password_hash.clone() }),
                ..self.draft_mail(MailKind::Registration, &email, language, now)
            },
        };
        self.request_mail(client, &email, "user.registration_requested", draft).await
    }

    /// What makes the account of a registration.
    pub(super) fn registering(&self, client: &Client, mail: &Mail, now: DateTime<Utc>) -> Result<Batch> {
        let applicant = mail.applicant.as_ref().ok_or_else(link_expired)?;
        let user = User {
            id: self.ports.ids.user(),
            email: mail.email.clone(),
            email_key: mail.email_key.clone(),
            name: applicant.name.clone(),
            status: UserStatus::Active,
            is_operator: false,
            password_hash: Some(applicant.password_hash.clone()),
            default_password: false,
            created_at: now,
            email_verified_at: Some(now),
            closes_at: None,
            version: 1,
        };
        let Founding { scope, rows } = self.founding(&user)?;
        let ctx = OpContext {
            user_id: Some(user.id),
            address: client.address,
            ..OpContext::system("mail", scope, client.request_id, now)
        };
        let audit = Audit::done(&ctx, &*self.ports.ids, "user.registered", "auth.confirm_email", ("user", user.id));
        Ok(Batch::opening(scope, Durability::Power)
            .with([Op::RowPut(Arc::new(Row::User(user)))])
            .with(rows.map(|row| Op::RowPut(Arc::new(row))))
            .with([used(mail, now), audit.into()]))
    }
}
