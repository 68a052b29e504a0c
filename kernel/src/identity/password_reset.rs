//! A forgotten password: a link to the account's address sets a new one. It signs nobody in: whatever else a sign-in asks for,
//! it asks for afterwards.

use std::sync::Arc;

use types::account::{Language, MailKind, RequestPasswordReset, ResetPassword};
use types::problem::Code;

use super::commit::raise_epochs;
use super::mail::{link_expired, used};
use super::{Client, Email, Identity, password};
use crate::error::{Error, Result};
use crate::ledger::{Audit, Batch, Durability, LedgerError, Op, Refusal};
use crate::port::{Account, Addressee};
use crate::record::{Mail, Row, User};

/// How often it is written anew while others write the same rows.
const ATTEMPTS: usize = 5;

impl Identity {
    /// Has a link sent that sets a new password. Whether the address has an account is told to nobody.
    pub async fn request_password_reset(
        &self,
        client: &Client,
        language: Language,
        command: &RequestPasswordReset,
    ) -> Result<()> {
        let email = Email::parse(&command.email, "email")?;
        self.mailer()?;
        let draft = |account: Option<&Account>, now| {
            let mail = self.draft_mail(MailKind::PasswordReset, &email, language, now);
            match account {
                Some(account) => Mail { user_id: Some(account.user.id), email: account.user.email.clone(), ..mail },
                // It goes nowhere: of an address without an account nothing is kept.
                None => Mail { email: String::new(), email_key: String::new(), ..mail },
            }
        };
        self.request_mail(client, &email, "password.reset_requested", draft).await
    }

    /// Sets a new password with a link's token, and ends every session of the account.
    pub async fn reset_password(&self, client: &Client, command: &ResetPassword) -> Result<()> {
        let mut password_hash = None;
        for _ in 0..ATTEMPTS {
            let now = self.ports.clock.now();
            let mail = self.redeem(client, &command.token, &[MailKind::PasswordReset], now).await?;
            let account = self.account_of(&mail).await?;
            if account.user.email_key != mail.email_key {
                return Err(link_expired());
            }
            if password_hash.is_none() {
                let hints = [account.user.email.as_str(), account.user.name.as_str()];
                let chosen = password::chosen(&command.password, "password", &*self.ports.hasher, &hints)?;
                password_hash = Some(self.ports.hasher.hash(chosen).await?);
            }
            let ctx = self.proved_by_link(client, &account, now);
            let user = User {
                password_hash: password_hash.clone(),
                default_password: false,
                version: account.user.version + 1,
                ..account.user.clone()
            };
            let audit = Audit::done(&ctx, &*self.ports.ids, "password.reset", "auth.reset_password", ("user", user.id));
            // Who has proved to have the address has not to wait for what others tried.
            let email = Email::parse(&account.user.email, "email")?;
            let forgiven = self.forgive(client, &email).await?;
            let ended = self.end_others(&ctx, &account).await?;
            let unlinked = self.void_links(&account, now).await?;
            let batch = Batch::opening(ctx.scope, Durability::Power)
                .with([Op::RowPut(Arc::new(Row::User(user))), used(&mail, now), audit.into()])
                .with(forgiven)
                .with(ended)
                .with(unlinked)
                .with(raise_epochs(&account));
            match self.ports.ledger.commit(batch).await {
                Ok(_) => return Ok(()),
                // Used at the same moment, or the account or a session of it moved: all of it is read again.
                Err(LedgerError::Refused(Refusal::Version { .. })) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Err(Error::new(Code::Busy, "the account changes at the same time, try again").with_retry_after(1))
    }

    /// What makes links that were sent before void: whoever changes the password wants no other way in left.
    pub(super) async fn void_reset(&self, account: &Account) -> Result<Option<Op>> {
        let now = self.ports.clock.now();
        let newest = self.ports.mails.newest_mail(MailKind::PasswordReset, Addressee::Person(account.user.id)).await?;
        let good = newest.filter(|mail| mail.used_at.is_none() && now < mail.expires_at);
        Ok(good.map(|mail| used(&mail, now)))
    }
}
