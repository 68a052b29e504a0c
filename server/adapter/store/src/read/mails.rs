//! Mails and the tokens of their links.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use entity::mail::{Column, Entity};
use kernel::ledger::Durability;
use kernel::port::{Addressee, Mails, StoreError};
use kernel::record::{Digest, Mail};
use sea_orm::sea_query::{LockBehavior, LockType};
use sea_orm::{ColumnTrait, DbErr, EntityTrait, QueryFilter, QueryOrder, QuerySelect, Select};
use types::account::MailKind;
use types::id::{MailId, Uuid};

use crate::error::reading;
use crate::row;
use crate::store::Store;

#[async_trait]
impl Mails for Store {
    async fn find_mail(&self, id: MailId) -> Result<Option<Mail>, StoreError> {
        self.mail(Entity::find_by_id(id.as_uuid())).await.map_err(reading)
    }

    async fn find_mail_by_token(&self, digest: Digest) -> Result<Option<Mail>, StoreError> {
        self.mail(Entity::find().filter(Column::Digest.eq(digest.0.to_vec()))).await.map_err(reading)
    }

    async fn newest_mail(&self, kind: MailKind, to: Addressee<'_>) -> Result<Option<Mail>, StoreError> {
        let of_kind = Entity::find().filter(Column::Kind.eq(kind.as_str()));
        let theirs = match to {
            Addressee::Person(id) => of_kind.filter(Column::UserId.eq(id.as_uuid())),
            Addressee::Address(key) => of_kind.filter(Column::UserId.is_null()).filter(Column::EmailKey.eq(key)),
        };
        self.mail(theirs.order_by_desc(Column::CreatedAt).order_by_desc(Column::Id)).await.map_err(reading)
    }

    async fn prune_mails(&self, before: DateTime<Utc>, limit: u32) -> Result<u64, StoreError> {
        self.forget_mails(before, limit).await.map_err(reading)
    }
}

impl Store {
    async fn mail(&self, select: Select<Entity>) -> Result<Option<Mail>, DbErr> {
        let row = select.one(&self.database().reader()).await?;
        Ok(row.map(row::mail::record).transpose()?)
    }

    async fn forget_mails(&self, before: DateTime<Utc>, limit: u32) -> Result<u64, DbErr> {
        let transaction = self.database().begin(Durability::Process).await?;
        let db = transaction.session();
        let over: Vec<Uuid> = Entity::find()
            .select_only()
            .column(Column::Id)
            .filter(Column::ExpiresAt.lt(before))
            .order_by_asc(Column::ExpiresAt)
            .limit(u64::from(limit))
            .lock_with_behavior(LockType::Update, LockBehavior::SkipLocked)
            .into_tuple()
            .all(db)
            .await?;
        let forgotten = over.len() as u64;
        Entity::delete_many().filter(Column::Id.is_in(over)).exec(db).await?;
        transaction.commit().await?;
        Ok(forgotten)
    }
}
