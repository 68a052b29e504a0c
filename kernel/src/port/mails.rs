//! Reading mails and the tokens of their links.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use types::account::MailKind;
use types::id::{MailId, UserId};

use super::StoreError;
use crate::record::{Digest, Mail};

/// Whose mails: of a kind, the newest one's link is the only good one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Addressee<'a> {
    /// Those about a person.
    Person(UserId),
    /// Those to an address, as compared, that are about nobody yet.
    Address(&'a str),
}

impl<'a> Addressee<'a> {
    /// The one of a mail.
    pub fn of(mail: &'a Mail) -> Self {
        mail.user_id.map_or(Self::Address(&mail.email_key), Self::Person)
    }
}

/// Reads mails. Writing goes through the ledger.
#[async_trait]
pub trait Mails: Send + Sync {
    /// One mail.
    async fn find_mail(&self, id: MailId) -> Result<Option<Mail>, StoreError>;
    /// The mail whose link's token has this digest.
    async fn find_mail_by_token(&self, digest: Digest) -> Result<Option<Mail>, StoreError>;
    /// The newest mail of a kind.
    async fn newest_mail(&self, kind: MailKind, to: Addressee<'_>) -> Result<Option<Mail>, StoreError>;
    /// Deletes mails whose time was over before a moment, at most `limit`; returns how many.
    async fn prune_mails(&self, before: DateTime<Utc>, limit: u32) -> Result<u64, StoreError>;
}
