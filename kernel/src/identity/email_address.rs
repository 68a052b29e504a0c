//! The address of an account: proved, and changed once the new one is proved.

use std::sync::Arc;

use serde_json::json;
use types::account::{ConfirmEmail, Language, MailKind, VerifyEmail};
use types::problem::Code;

use super::commit::raise_epochs;
use super::mail::{link_expired, used};
use super::{Client, Email, Identity};
use crate::context::OpContext;
use crate::error::{Error, Result};
use crate::ledger::{Audit, Batch, Durability, LedgerError, Op, Refusal};
use crate::policy::guard::authorize;
use crate::port::Account;
use crate::record::{Mail, Row, User};

/// How often it is written anew while others write the same rows.
const ATTEMPTS: usize = 5;

impl Identity {
    /// Has a link sent that proves one's address, or another one that the account is to have. That one may belong to somebody
    /// else: only its mailbox is told.
    pub async fn verify_email(
        &self,
        ctx: &OpContext,
        client: &Client,
        language: Language,
        command: &VerifyEmail,
    ) -> Result<()> {
        let wanted = command.email.as_deref().map(|text| Email::parse(text, "email")).transpose()?;
        let action = if wanted.is_some() { "me.change_email" } else { "me.verify_email" };
        authorize(ctx, action)?;
        self.mailer()?;
        for _ in 0..ATTEMPTS {
            let (account, _) = self.own_session(ctx).await?;
            let own = Email::parse(&account.user.email, "email")?;
            let to = wanted.as_ref().unwrap_or(&own);
            let Some(counts) = self.count_mail(client, to, ctx.now).await? else { return Ok(()) };
            let (kind, event) = if to.key() == own.key() {
                (MailKind::EmailVerification, "email.verification_requested")
            } else if self.ports.directory.find_account_by_email(to.key()).await?.is_some() {
                (MailKind::AccountExists, "email.change_requested")
            } else {
                (MailKind::EmailChange, "email.change_requested")
            };
            let user_id = Some(account.user.id).filter(|_| kind != MailKind::AccountExists);
            let mail = Mail { user_id, ..self.draft_mail(kind, to, language, ctx.now) };
            let audit = Audit::done(ctx, &*self.ports.ids, event, action, ("user", account.user.id));
            let batch =
                Batch::opening(ctx.scope, Durability::Power).with(counts).with(self.send(mail)).with([audit.into()]);
            match self.commit(ctx, batch, |ctx| authorize(ctx, action)).await {
                Err(error) if error.code() == Code::PreconditionFailed => {}
                outcome => return outcome.map(|_| ()),
            }
        }
        Err(Error::new(Code::Busy, "too many such requests at once, try again").with_retry_after(1))
    }

    /// Does what the link of a mail was sent for: proves an address, gives it to an account, or makes an account with it.
    pub async fn confirm_email(&self, client: &Client, command: &ConfirmEmail) -> Result<()> {
        const KINDS: [MailKind; 3] = [MailKind::EmailVerification, MailKind::EmailChange, MailKind::Registration];
        for _ in 0..ATTEMPTS {
            let now = self.ports.clock.now();
            let mail = self.redeem(client, &command.token, &KINDS, now).await?;
            let batch = match mail.kind {
                MailKind::Registration => self.registering(client, &mail, now)?,
                _ => {
                    let account = self.account_of(&mail).await?;
                    self.proving(&self.proved_by_link(client, &account, now), &account, &mail)?
                }
            };
            match self.ports.ledger.commit(batch).await {
                Ok(_) => return Ok(()),
                // Somebody else has the address by now.
                Err(LedgerError::Refused(Refusal::Unique { .. })) => return Err(link_expired()),
                Err(LedgerError::Refused(Refusal::Version { .. })) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Err(Error::new(Code::Busy, "the account changes at the same time, try again").with_retry_after(1))
    }

    /// What proving the address of an account writes. Its former address is told that it is none any more.
    fn proving(&self, ctx: &OpContext, account: &Account, mail: &Mail) -> Result<Batch> {
        let is_change = mail.kind == MailKind::EmailChange;
        if !is_change && account.user.email_key != mail.email_key {
            return Err(link_expired());
        }
        let user = User {
            email: mail.email.clone(),
            email_key: mail.email_key.clone(),
            email_verified_at: Some(ctx.now),
            version: account.user.version + 1,
            ..account.user.clone()
        };
        let event = if is_change { "email.changed" } else { "email.verified" };
        let audit = Audit::done(ctx, &*self.ports.ids, event, "auth.confirm_email", ("user", user.id))
            .with_payload(json!({ "mail_id": mail.id }));
        let mut batch = Batch::opening(ctx.scope, Durability::Power)
            .with([Op::RowPut(Arc::new(Row::User(user))), used(mail, ctx.now), audit.into()])
            .with(raise_epochs(account));
        if is_change {
            let former = Email::parse(&account.user.email, "email")?;
            let notice = self.draft_mail(MailKind::EmailChanged, &former, mail.language, ctx.now);
            batch = batch.with(self.send(Mail { user_id: Some(account.user.id), ..notice }));
        }
        Ok(batch)
    }
}
