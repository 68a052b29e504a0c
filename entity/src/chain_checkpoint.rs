//! `chain_checkpoints`: A signed statement about a stretch of a hash chain; guarded by a trigger.

use sea_orm::entity::prelude::*;

#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "chain_checkpoints")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub workspace_id: Uuid,
    #[sea_orm(primary_key, auto_increment = false)]
    pub number: i64,
    pub tenant_id: Uuid,
    pub first_seq: i64,
    pub last_seq: i64,
    pub root: Vec<u8>,
    pub head: Vec<u8>,
    pub previous: Vec<u8>,
    pub sealed_at: DateTimeUtc,
    pub key_id: String,
    pub signature: Vec<u8>,
    pub created_at: DateTimeUtc,
}

impl ActiveModelBehavior for ActiveModel {}
