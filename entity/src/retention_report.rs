//! `retention_reports`: What a purge of a workspace did; one that is not over is its claim.

use sea_orm::entity::prelude::*;

#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "retention_reports")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: Uuid,
    pub tenant_id: Uuid,
    pub workspace_id: Uuid,
    pub started_at: DateTimeUtc,
    pub finished_at: Option<DateTimeUtc>,
    pub claimed_by: Uuid,
    pub claimed_until: DateTimeUtc,
    pub purged: String,
    pub version: i64,
}

impl ActiveModelBehavior for ActiveModel {}
