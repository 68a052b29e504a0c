//! `egress_layers`: The egress layer of a workspace in force; `policy` is JSON.

use sea_orm::entity::prelude::*;

#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "egress_layers")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub workspace_id: Uuid,
    pub tenant_id: Uuid,
    pub revision_id: Uuid,
    pub policy: String,
    pub version: i64,
    pub created_at: DateTimeUtc,
}

impl ActiveModelBehavior for ActiveModel {}
