//! `steps`: A step of a run; closed once, then guarded by a trigger.

use sea_orm::entity::prelude::*;

#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "steps")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: Uuid,
    pub tenant_id: Uuid,
    pub workspace_id: Uuid,
    pub run_id: Uuid,
    pub seq: i64,
    pub parent_step_id: Option<Uuid>,
    pub call_id: Option<Uuid>,
    pub step_type: String,
    pub status: String,
    pub attempt_no: i64,
    pub effect: String,
    pub decision: String,
    pub request_digest: Option<String>,
    pub input_preview: Option<String>,
    pub input_chars: i64,
    pub output_preview: Option<String>,
    pub output_chars: i64,
    pub metrics: String,
    pub error_code: Option<String>,
    pub error_message: Option<String>,
    pub started_at: DateTimeUtc,
    pub outbound_at: Option<DateTimeUtc>,
    pub ended_at: Option<DateTimeUtc>,
    pub latency_ms: Option<i64>,
    pub ttft_ms: Option<i64>,
    pub created_at: DateTimeUtc,
    pub input_artifact_id: Option<Uuid>,
    pub output_artifact_id: Option<Uuid>,
}

impl ActiveModelBehavior for ActiveModel {}
