//! The one row that every process of a database must agree on.

use entity::instance::{ActiveModel, Column, Entity};
use kernel::ledger::Durability;
use kernel::port::StoreError;
use sea_orm::ActiveValue::{NotSet, Set};
use sea_orm::sea_query::OnConflict;
use sea_orm::{DbErr, EntityTrait};

use crate::error::reading;
use crate::store::Store;

/// The row's only id.
const ID: i64 = 1;

impl Store {
    /// What this database remembers of the key its secrets are sealed with; a fresh one remembers the given value.
    pub async fn remember_key_check(&self, check: &[u8]) -> Result<Vec<u8>, StoreError> {
        self.find_or_remember(check).await.map_err(reading)
    }

    async fn find_or_remember(&self, check: &[u8]) -> Result<Vec<u8>, DbErr> {
        if let Some(row) = Entity::find_by_id(ID).one(&self.database().reader()).await? {
            return Ok(row.key_check);
        }
        let transaction = self.database().begin(Durability::Power).await?;
        let row = ActiveModel { id: Set(ID), key_check: Set(check.to_vec()), created_at: NotSet };
        let insert = Entity::insert(row).on_conflict(OnConflict::column(Column::Id).do_nothing().to_owned());
        match insert.exec_without_returning(transaction.session()).await {
            // Another process was faster: what it wrote counts.
            Ok(_) | Err(DbErr::RecordNotInserted) => {}
            Err(error) => return Err(error),
        }
        transaction.commit().await?;
        let row = Entity::find_by_id(ID).one(&self.database().reader()).await?;
        row.map(|row| row.key_check).ok_or_else(|| DbErr::Custom("the instance row is gone".to_owned()))
    }
}
