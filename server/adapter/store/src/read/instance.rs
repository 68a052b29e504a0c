//! What every process of a database must agree on: the key, the schema, the server's connections.

use entity::instance::{ActiveModel, Column, Entity, Model};
use kernel::ledger::Durability;
use kernel::port::StoreError;
use sea_orm::ActiveValue::{NotSet, Set};
use sea_orm::sea_query::{OnConflict, Query};
use sea_orm::{ConnectionTrait, DbErr, EntityTrait};

use crate::error::{OpenError, reading};
use crate::store::Store;

/// The row's only id.
const ID: i64 = 1;

impl Store {
    /// What this database remembers of the key its secrets are sealed with; a fresh one remembers the given value.
    pub async fn remember_key_check(&self, check: &[u8]) -> Result<Vec<u8>, StoreError> {
        self.find_or_remember(check).await.map_err(reading)
    }

    /// What no other database has, once the key check is remembered: for names in what several of them share.
    pub async fn instance_mark(&self) -> Result<Vec<u8>, StoreError> {
        let row = Entity::find_by_id(ID).one(&self.database().reader()).await.map_err(reading)?;
        let mark = |row: Model| [row.key_check, row.created_at.timestamp_micros().to_be_bytes().to_vec()].concat();
        row.map(mark).ok_or_else(|| reading(DbErr::Custom("the instance row is gone".to_owned())))
    }

    /// Names of the migrations this database has seen, sorted.
    pub async fn migrations(&self) -> Result<Vec<String>, StoreError> {
        let asking = Query::select().column("version").from("seaql_migrations").to_owned();
        let rows = self.database().reader().query_all(&asking).await.map_err(reading)?;
        let names: Result<Vec<String>, DbErr> = rows.iter().map(|row| row.try_get_by_index(0)).collect();
        let mut names = names.map_err(reading)?;
        names.sort_unstable();
        Ok(names)
    }

    /// How many connections the server gives to all its clients; none for a file.
    pub async fn most_connections(&self) -> Result<Option<u32>, OpenError> {
        self.database().most_connections().await
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
