//! `run_events`: One stored event of a run's live stream; guarded by a trigger.

use sea_orm::entity::prelude::*;

#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "run_events")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub run_id: Uuid,
    #[sea_orm(primary_key, auto_increment = false)]
    pub offset: i64,
    pub tenant_id: Uuid,
    pub workspace_id: Uuid,
    pub event_type: String,
    pub step_id: Option<Uuid>,
    pub payload: String,
    pub occurred_at: DateTimeUtc,
    pub created_at: DateTimeUtc,
}

impl ActiveModelBehavior for ActiveModel {}
