//! `chain_copies`: How far the checkpoints of a chain are copied to a place.

use sea_orm::entity::prelude::*;

#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "chain_copies")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub sink: String,
    #[sea_orm(primary_key, auto_increment = false)]
    pub workspace_id: Uuid,
    pub tenant_id: Uuid,
    pub number: i64,
    pub copied_at: DateTimeUtc,
}

impl ActiveModelBehavior for ActiveModel {}
