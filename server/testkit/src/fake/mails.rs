//! Reading mails.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use kernel::ledger::RowKey;
use kernel::port::{Addressee, Mails, StoreError};
use kernel::record::{Digest, Mail, Row};
use types::account::MailKind;
use types::id::MailId;

use super::store::{FakeStore, rows};

#[async_trait]
impl Mails for FakeStore {
    async fn find_mail(&self, id: MailId) -> Result<Option<Mail>, StoreError> {
        Ok(rows!(self.rows(), Mail).find(|mail| mail.id == id).cloned())
    }

    async fn find_mail_by_token(&self, digest: Digest) -> Result<Option<Mail>, StoreError> {
        Ok(rows!(self.rows(), Mail).find(|mail| mail.digest == Some(digest)).cloned())
    }

    async fn newest_mail(&self, kind: MailKind, to: Addressee<'_>) -> Result<Option<Mail>, StoreError> {
        let rows = self.rows();
        let theirs = rows!(rows, Mail).filter(|mail| mail.kind == kind && Addressee::of(mail) == to);
        Ok(theirs.max_by_key(|mail| (mail.created_at, mail.id)).cloned())
    }

    async fn prune_mails(&self, before: DateTime<Utc>, limit: u32) -> Result<u64, StoreError> {
        let mut rows = self.rows();
        let mut over: Vec<_> = rows!(rows, Mail)
            .filter(|mail| mail.expires_at < before)
            .map(|mail| (mail.expires_at, RowKey::of(&Row::Mail(mail.clone()))))
            .collect();
        over.sort();
        over.truncate(limit.try_into().unwrap_or(usize::MAX));
        for (_, key) in &over {
            rows.records.remove(key);
        }
        Ok(over.len() as u64)
    }
}
