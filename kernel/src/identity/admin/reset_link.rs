//! A link that sets a new password, for who cannot get one by mail.

use std::sync::Arc;

use serde_json::json;
use types::account::{Language, MailKind};
use types::problem::Code;

use super::ResetLink;
use crate::context::OpContext;
use crate::error::{Error, Result};
use crate::identity::{Email, Identity};
use crate::ledger::{Audit, Batch, Durability, Op};
use crate::record::{Mail, Row, User};

impl Identity {
    /// Makes a link that sets the password of an account. Links that were sent before are good no more.
    pub async fn make_reset_link(&self, email: &str) -> Result<ResetLink> {
        let (account, ctx) = self.named_account(email).await?;
        if !account.user.status.may_act() {
            return Err(Error::new(Code::SubjectDisabled, "the account is not active"));
        }
        let (link, ops) = self.reset_link_of(&ctx, &account.user)?;
        let audit = Audit::done(&ctx, &*self.ports.ids, "admin.cli", "admin.reset_link", ("user", account.user.id))
            .with_payload(json!({ "expires_at": link.expires_at }));
        let batch = Batch::opening(ctx.scope, Durability::Power).with(ops).with([audit.into()]);
        self.ports.ledger.commit(batch).await?;
        Ok(link)
    }

    /// A link for somebody, and what writes it. Nothing is sent.
    pub(super) fn reset_link_of(&self, ctx: &OpContext, user: &User) -> Result<(ResetLink, [Op; 1])> {
        let to = Email::parse(&user.email, "email")?;
        let draft = self.draft_mail(MailKind::PasswordReset, &to, Language::English, ctx.now);
        let mail = Mail { user_id: Some(user.id), ..draft };
        let (token, _) = self.link_token(mail.id);
        let link = ResetLink { user_id: user.id, token, expires_at: mail.expires_at };
        Ok((link, [Op::RowPut(Arc::new(Row::Mail(mail)))]))
    }
}
