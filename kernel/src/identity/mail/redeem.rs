//! Using the link of a mail: once, in its time, and only the newest of its kind.

use chrono::{DateTime, Utc};
use types::account::MailKind;
use types::problem::Code;

use crate::context::OpContext;
use crate::error::{Error, Result};
use crate::identity::login::home;
use crate::identity::token::{self, TokenKind};
use crate::identity::{Client, Identity};
use crate::port::{Account, Addressee};
use crate::record::Mail;

impl Identity {
    /// The mail whose link this is the token of, if the link is still good. A token that never was, and one for something
    /// else: the same answer.
    pub(in crate::identity) async fn redeem(
        &self,
        client: &Client,
        token: &str,
        kinds: &[MailKind],
        now: DateTime<Utc>,
    ) -> Result<Mail> {
        self.strangers.check(client.address, now)?;
        let found = match token::parse(token.trim()) {
            Some((TokenKind::Link, digest)) => self.ports.mails.find_mail_by_token(digest).await?,
            _ => None,
        };
        let Some(mail) = found.filter(|mail| kinds.contains(&mail.kind)) else {
            self.strangers.count(client.address, now);
            return Err(Error::not_found());
        };
        let newest = self.ports.mails.newest_mail(mail.kind, Addressee::of(&mail)).await?;
        let is_good = mail.used_at.is_none() && now < mail.expires_at && newest.is_some_and(|new| new.id == mail.id);
        if is_good { Ok(mail) } else { Err(link_expired()) }
    }

    /// The account of a mail, while it may act.
    pub(in crate::identity) async fn account_of(&self, mail: &Mail) -> Result<Account> {
        let account = match mail.user_id {
            Some(id) => self.ports.directory.find_account(id).await?,
            None => None,
        };
        account.filter(|account| account.user.status.may_act()).ok_or_else(link_expired)
    }

    /// The context of somebody whom a link proved: enough to say who did it, and from where.
    pub(in crate::identity) fn proved_by_link(
        &self,
        client: &Client,
        account: &Account,
        now: DateTime<Utc>,
    ) -> OpContext {
        OpContext {
            user_id: Some(account.user.id),
            address: client.address,
            entry: client.entry,
            trace_id: client.trace_id.clone(),
            ..OpContext::system("mail", home(account), client.request_id, now)
        }
    }
}

pub(in crate::identity) fn link_expired() -> Error {
    Error::new(Code::LinkExpired, "the link was used, replaced by a newer one, or its time is over, ask for a new one")
}
