//! `retention`: How long a workspace keeps what; no days: for good.

use sea_orm::entity::prelude::*;

#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "retention")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub workspace_id: Uuid,
    pub tenant_id: Uuid,
    pub content_days: Option<i64>,
    pub runs_days: Option<i64>,
    pub costs_days: Option<i64>,
    pub audit_days: Option<i64>,
    pub events_days: Option<i64>,
    pub updated_at: DateTimeUtc,
    pub version: i64,
}

impl ActiveModelBehavior for ActiveModel {}
