//! `run_counts`: How many runs of a minute, an hour or a day were something.

use sea_orm::entity::prelude::*;

#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "run_counts")]
pub struct Model {
    pub tenant_id: Uuid,
    #[sea_orm(primary_key, auto_increment = false)]
    pub workspace_id: Uuid,
    #[sea_orm(primary_key, auto_increment = false)]
    pub starts_at: DateTimeUtc,
    #[sea_orm(primary_key, auto_increment = false)]
    pub seconds: i64,
    #[sea_orm(primary_key, auto_increment = false)]
    pub mode: String,
    #[sea_orm(primary_key, auto_increment = false)]
    pub source: String,
    #[sea_orm(primary_key, auto_increment = false)]
    pub entry: String,
    #[sea_orm(primary_key, auto_increment = false)]
    pub measure: String,
    pub n: i64,
}

impl ActiveModelBehavior for ActiveModel {}
