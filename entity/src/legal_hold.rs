//! `legal_holds`: What is kept whatever its age.

use sea_orm::entity::prelude::*;

#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "legal_holds")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: Uuid,
    pub tenant_id: Uuid,
    pub workspace_id: Uuid,
    pub name: String,
    pub reason: String,
    pub by_runs: bool,
    pub caller_id: Option<String>,
    pub starts_from: Option<DateTimeUtc>,
    pub starts_before: Option<DateTimeUtc>,
    pub created_by: String,
    pub created_at: DateTimeUtc,
    pub released_at: Option<DateTimeUtc>,
    pub released_by: Option<String>,
    pub release_reason: Option<String>,
    pub version: i64,
}

impl ActiveModelBehavior for ActiveModel {}
