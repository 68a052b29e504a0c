//! `tasks`: Work that outlives its request. What stands before `status` never changes, what follows moves.

use sea_orm::entity::prelude::*;

#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "tasks")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: Uuid,
    pub tenant_id: Uuid,
    pub workspace_id: Uuid,
    pub task_type: String,
    pub max_attempts: i64,
    pub subject_kind: String,
    pub subject_id: String,
    pub caller_kind: String,
    pub caller_id: String,
    pub user_id: Option<Uuid>,
    pub run_id: Option<Uuid>,
    pub params: String,
    pub input_artifact_id: Option<Uuid>,
    pub status: String,
    pub epoch: i64,
    pub attempts: i64,
    pub redrives: i64,
    pub available_at: DateTimeUtc,
    pub lease_owner: Option<Uuid>,
    pub lease_until: Option<DateTimeUtc>,
    pub progress: Option<String>,
    pub error_code: Option<String>,
    pub error_message: Option<String>,
    pub error_step_id: Option<Uuid>,
    pub output_artifact_id: Option<Uuid>,
    pub discard_reason: Option<String>,
    pub finished_at: Option<DateTimeUtc>,
    pub created_at: DateTimeUtc,
    pub changed_at: DateTimeUtc,
}

impl ActiveModelBehavior for ActiveModel {}
