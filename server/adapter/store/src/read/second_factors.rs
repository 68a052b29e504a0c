//! Second factors, and the questions for them.

use async_trait::async_trait;
use entity::{mfa_challenge, second_factor};
use kernel::ledger::Durability;
use kernel::port::{SecondFactors, StoreError};
use kernel::record::{Digest, MfaChallenge, SecondFactor};
use sea_orm::sea_query::{LockBehavior, LockType};
use sea_orm::{ColumnTrait, DbErr, EntityTrait, QueryFilter, QueryOrder, QuerySelect};
use types::id::{UserId, Uuid};

use super::process::clock;
use crate::error::reading;
use crate::row;
use crate::store::Store;

#[async_trait]
impl SecondFactors for Store {
    async fn find_second_factor(&self, user_id: UserId) -> Result<Option<SecondFactor>, StoreError> {
        self.second_factor(user_id).await.map_err(reading)
    }

    async fn find_challenge(&self, digest: Digest) -> Result<Option<MfaChallenge>, StoreError> {
        self.challenge(digest).await.map_err(reading)
    }

    async fn prune_challenges(&self, limit: u32) -> Result<u64, StoreError> {
        self.forget_challenges(limit).await.map_err(reading)
    }
}

impl Store {
    async fn second_factor(&self, user_id: UserId) -> Result<Option<SecondFactor>, DbErr> {
        let row = second_factor::Entity::find_by_id(user_id.as_uuid()).one(&self.database().reader()).await?;
        Ok(row.map(row::second_factor::record).transpose()?)
    }

    async fn challenge(&self, digest: Digest) -> Result<Option<MfaChallenge>, DbErr> {
        let digest = mfa_challenge::Column::Digest.eq(digest.0.to_vec());
        let row = mfa_challenge::Entity::find().filter(digest).one(&self.database().reader()).await?;
        Ok(row.map(row::mfa_challenge::record).transpose()?)
    }

    async fn forget_challenges(&self, limit: u32) -> Result<u64, DbErr> {
        use mfa_challenge::{Column, Entity};
        let transaction = self.database().begin(Durability::Process).await?;
        let db = transaction.session();
        let over: Vec<Uuid> = Entity::find()
            .select_only()
            .column(Column::Id)
            .filter(Column::ExpiresAt.lte(clock(db).await?))
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
