//! `chain_copiers`: Which process copies checkpoints to a place, and until when.

use sea_orm::entity::prelude::*;

#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "chain_copiers")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub sink: String,
    pub process_id: Uuid,
    pub until: DateTimeUtc,
}

impl ActiveModelBehavior for ActiveModel {}
