//! `audit`: One audit row; guarded by a trigger.

use sea_orm::entity::prelude::*;

#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "audit")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: Uuid,
    pub tenant_id: Uuid,
    pub workspace_id: Uuid,
    pub seq: i64,
    pub event_type: String,
    pub operation: String,
    pub outcome: String,
    pub resource_type: String,
    pub resource_id: String,
    pub actor_kind: String,
    pub actor_id: String,
    pub run_id: Option<Uuid>,
    pub address: Option<String>,
    pub credential_id: Option<String>,
    pub payload: String,
    pub occurred_at: DateTimeUtc,
    pub created_at: DateTimeUtc,
}

impl ActiveModelBehavior for ActiveModel {}
