//! `invitations`: Somebody asked into a workspace, with the SHA-256 of the link's token.

use sea_orm::entity::prelude::*;

#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "invitations")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: Uuid,
    pub tenant_id: Uuid,
    pub workspace_id: Option<Uuid>,
    pub email: String,
    pub email_key: String,
    pub role: Option<String>,
    pub tenant_role: String,
    pub digest: Vec<u8>,
    pub invited_by: Uuid,
    pub created_at: DateTimeUtc,
    pub expires_at: DateTimeUtc,
    pub accepted_at: Option<DateTimeUtc>,
    pub accepted_by: Option<Uuid>,
    pub revoked_at: Option<DateTimeUtc>,
    pub version: i64,
}

impl ActiveModelBehavior for ActiveModel {}
