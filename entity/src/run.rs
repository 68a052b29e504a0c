//! `runs`: A run. What stands before `status` never changes, what follows moves while the run is open.

use sea_orm::entity::prelude::*;

#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "runs")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: Uuid,
    pub tenant_id: Uuid,
    pub workspace_id: Uuid,
    pub mode: String,
    pub source: String,
    pub entry: String,
    pub caller_kind: String,
    pub caller_id: String,
    pub user_id: Option<Uuid>,
    pub api_key_id: Option<Uuid>,
    pub root_run_id: Uuid,
    pub parent_run_id: Option<Uuid>,
    pub source_run_id: Option<Uuid>,
    pub attempt_no: i64,
    pub capture: String,
    pub trace_id: String,
    pub request_id: Option<Uuid>,
    pub policy_revision: String,
    pub sandbox: bool,
    pub model_ref: Option<String>,
    pub input_preview: Option<String>,
    pub input_chars: i64,
    pub labels: String,
    pub owner_process_id: Option<Uuid>,
    pub owner_epoch: Option<i64>,
    pub started_at: DateTimeUtc,
    pub status: String,
    pub steps: i64,
    pub events: i64,
    pub emitted: i64,
    pub open_steps: i64,
    pub open_holds: i64,
    pub totals: String,
    pub ended_at: Option<DateTimeUtc>,
    pub duration_ms: Option<i64>,
    pub error_code: Option<String>,
    pub error_message: Option<String>,
    pub error_step_id: Option<Uuid>,
    pub output_preview: Option<String>,
    pub output_chars: i64,
    pub delivered: Option<bool>,
    pub flags: String,
    pub refusals: i64,
    pub created_at: DateTimeUtc,
    pub changed_at: DateTimeUtc,
    pub input_artifact_id: Option<Uuid>,
    pub output_artifact_id: Option<Uuid>,
    pub salt: Option<Vec<u8>>,
}

impl ActiveModelBehavior for ActiveModel {}
