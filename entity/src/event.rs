//! `events`: An outbox event.

use sea_orm::entity::prelude::*;

#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "events")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: Uuid,
    pub tenant_id: Uuid,
    pub workspace_id: Uuid,
    pub event_type: String,
    pub subject: String,
    pub subject_seq: i64,
    pub run_id: Option<Uuid>,
    pub payload: String,
    pub occurred_at: DateTimeUtc,
    pub created_at: DateTimeUtc,
    #[sea_orm(has_many)]
    pub deliveries: HasMany<super::delivery::Entity>,
}

impl ActiveModelBehavior for ActiveModel {}
