//! `chains`: Where a workspace's hash chain ends.

use sea_orm::entity::prelude::*;

#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "chains")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub workspace_id: Uuid,
    pub tenant_id: Uuid,
    pub seq: i64,
    pub hash: Vec<u8>,
    pub sealed_seq: i64,
}

impl ActiveModelBehavior for ActiveModel {}
