//! `api_keys`: An API key without its secrets; `scopes`, `ip_allowlist`, `allowed_models` and
//! `allowed_tools` are JSON lists,
//! `labels` is a JSON object.

use sea_orm::entity::prelude::*;

#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "api_keys")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: Uuid,
    pub tenant_id: Uuid,
    pub workspace_id: Uuid,
    pub name: String,
    pub hint: String,
    pub scopes: String,
    pub created_by: Uuid,
    pub created_at: DateTimeUtc,
    pub expires_at: DateTimeUtc,
    pub revoked_at: Option<DateTimeUtc>,
    pub last_used_at: Option<DateTimeUtc>,
    pub rate_limit_per_minute: Option<i64>,
    pub daily_request_quota: Option<i64>,
    pub daily_token_quota: Option<i64>,
    pub ip_allowlist: Option<String>,
    pub allowed_models: Option<String>,
    pub version: i64,
    pub content_capture: Option<String>,
    pub labels: Option<String>,
    pub principal_id: Option<Uuid>,
    pub allowed_tools: Option<String>,
    pub last_used_address: Option<String>,
}

impl ActiveModelBehavior for ActiveModel {}
