//! `sessions`: A signed-in session; tokens are kept as SHA-256 only.

use sea_orm::entity::prelude::*;

#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "sessions")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: Uuid,
    pub user_id: Uuid,
    pub kind: String,
    pub token: Vec<u8>,
    pub refresh: Option<Vec<u8>>,
    pub spent_refresh: Option<Vec<u8>>,
    pub spent_refresh_at: Option<DateTimeUtc>,
    pub workspace_id: Option<Uuid>,
    pub client: String,
    pub address: String,
    pub mfa: String,
    pub elevated_until: Option<DateTimeUtc>,
    pub view_as: Option<String>,
    pub created_at: DateTimeUtc,
    pub last_seen_at: DateTimeUtc,
    pub token_expires_at: DateTimeUtc,
    pub expires_at: DateTimeUtc,
    pub ended_at: Option<DateTimeUtc>,
    pub version: i64,
}

impl ActiveModelBehavior for ActiveModel {}
