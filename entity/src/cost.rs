//! `costs`: One metered attempt; guarded by a trigger.

use sea_orm::entity::prelude::*;

#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "costs")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: Uuid,
    pub tenant_id: Uuid,
    pub workspace_id: Uuid,
    pub run_id: Uuid,
    pub step_id: Uuid,
    pub kind: String,
    pub occurred_at: DateTimeUtc,
    pub source_ref: String,
    pub source_port: String,
    pub operation: String,
    pub provider: String,
    pub provider_id: Option<Uuid>,
    pub model_ref: String,
    pub target_ref: String,
    pub upstream_model: String,
    pub upstream_id: Option<String>,
    pub upstream_request_id: Option<String>,
    pub api_key_id: Option<Uuid>,
    pub usage: String,
    pub usage_basis: String,
    pub pricing_status: String,
    pub reason: Option<String>,
    pub currency: Option<String>,
    pub amount: Option<i64>,
    pub price_id: Option<Uuid>,
    pub snapshot: String,
    pub created_at: DateTimeUtc,
}

impl ActiveModelBehavior for ActiveModel {}
