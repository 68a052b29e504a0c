//! `artifacts`: Content that is kept whole, in the row or in the artifact store.

use sea_orm::entity::prelude::*;

#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "artifacts")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: Uuid,
    pub tenant_id: Uuid,
    pub workspace_id: Uuid,
    pub run_id: Option<Uuid>,
    pub step_id: Option<Uuid>,
    pub kind: String,
    pub mime: String,
    pub size: i64,
    pub sha256: Vec<u8>,
    pub content: Option<Vec<u8>>,
    pub storage_key: Option<String>,
    pub expires_at: Option<DateTimeUtc>,
    pub created_at: DateTimeUtc,
}

impl ActiveModelBehavior for ActiveModel {}
