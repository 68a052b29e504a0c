//! `providers`: A provider account.

use sea_orm::entity::prelude::*;

#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "providers")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: Uuid,
    pub tenant_id: Uuid,
    pub workspace_id: Uuid,
    pub name: String,
    pub slug: String,
    pub kind: String,
    pub base_url: String,
    pub secret_id: Option<Uuid>,
    pub status: String,
    pub max_concurrency: i64,
    pub max_retries: i64,
    pub timeout_ms: Option<i64>,
    pub archived: bool,
    pub version: i64,
    pub created_at: DateTimeUtc,
}

impl ActiveModelBehavior for ActiveModel {}
