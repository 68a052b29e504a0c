//! `deliveries`: What one consumer still has to do, or did, about one event.

use sea_orm::entity::prelude::*;

#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "deliveries")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub event_id: Uuid,
    #[sea_orm(primary_key, auto_increment = false)]
    pub consumer: String,
    pub tenant_id: Uuid,
    pub workspace_id: Uuid,
    pub subject: String,
    pub subject_seq: i64,
    pub status: String,
    pub attempts: i64,
    pub epoch: i64,
    pub due_at: DateTimeUtc,
    pub leased_by: Option<Uuid>,
    pub last_error: Option<String>,
    pub finished_at: Option<DateTimeUtc>,
    pub created_at: DateTimeUtc,
    pub after_dead: bool,
    pub redrives: i64,
    pub discard_reason: Option<String>,
    #[sea_orm(belongs_to, from = "event_id", to = "id")]
    pub event: BelongsTo<super::event::Entity>,
}

impl ActiveModelBehavior for ActiveModel {}
