//! `usage_daily`: What was used on a day, by who used what.

use sea_orm::entity::prelude::*;

#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "usage_daily")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: Uuid,
    pub tenant_id: Uuid,
    pub workspace_id: Uuid,
    pub day: DateTimeUtc,
    pub source: String,
    pub entry: String,
    pub caller_kind: String,
    pub caller_id: String,
    pub api_key_id: Option<Uuid>,
    pub provider: Option<String>,
    pub model: Option<String>,
    pub operation: Option<String>,
    pub currency: Option<String>,
    pub labels: String,
    pub sandbox: bool,
    pub calls: i64,
    pub ended: i64,
    pub failed: i64,
    pub canceled: i64,
    pub refused: i64,
    pub latency_ms: i64,
    pub amount: i64,
    pub estimated: i64,
    pub estimated_amount: i64,
    pub unpriced: i64,
    pub input: i64,
    pub output: i64,
    pub cache_read: i64,
    pub cache_write: i64,
    pub cache_write_1h: i64,
    pub reasoning: i64,
    pub image_in: i64,
    pub audio_in: i64,
    pub audio_out: i64,
    pub images: i64,
    pub requests: i64,
    pub searches: i64,
    pub bytes_out: i64,
    pub bytes_in: i64,
    pub cpu_ms: i64,
    pub replayed: i64,
    pub cache_hits: i64,
}

impl ActiveModelBehavior for ActiveModel {}
