//! Keys that sign checkpoints and evidence, as they are kept: sealed.

use entity::signing_key::{Column, Entity};
use kernel::chain::SealedKey;
use kernel::ledger::Durability;
use kernel::port::StoreError;
use sea_orm::sea_query::OnConflict;
use sea_orm::{DbErr, EntityTrait, QueryOrder};

use crate::error::reading;
use crate::row::signing_key;
use crate::store::Store;

impl Store {
    /// Every signing key, the one that signs first.
    pub async fn signing_keys(&self) -> Result<Vec<SealedKey>, StoreError> {
        let rows = Entity::find().order_by_desc(Column::Number).all(&self.database().reader()).await;
        Ok(rows.map_err(reading)?.into_iter().map(signing_key::record).collect())
    }

    /// Keeps a signing key, unless another of its number is kept already: then that one counts.
    pub async fn keep_signing_key(&self, key: &SealedKey) -> Result<(), StoreError> {
        self.insert_signing_key(key).await.map_err(reading)
    }

    async fn insert_signing_key(&self, key: &SealedKey) -> Result<(), DbErr> {
        let transaction = self.database().begin(Durability::Power).await?;
        let absent = OnConflict::column(Column::Number).do_nothing().to_owned();
        let insert = Entity::insert(signing_key::active(key)).on_conflict(absent);
        match insert.exec_without_returning(transaction.session()).await {
            Ok(_) | Err(DbErr::RecordNotInserted) => {}
            Err(error) => return Err(error),
        }
        transaction.commit().await
    }
}
