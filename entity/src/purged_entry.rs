//! `purged_entries`: Entries of a chain whose records are gone, and the purge that covers them.

use sea_orm::entity::prelude::*;

#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "purged_entries")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub workspace_id: Uuid,
    #[sea_orm(primary_key, auto_increment = false)]
    pub purge_seq: i64,
    #[sea_orm(primary_key, auto_increment = false)]
    pub first_seq: i64,
    pub tenant_id: Uuid,
    pub last_seq: i64,
}

impl ActiveModelBehavior for ActiveModel {}
