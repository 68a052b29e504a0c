//! `mails`: A mail to be sent, with the SHA-256 of the token of its link.

use sea_orm::entity::prelude::*;

#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "mails")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: Uuid,
    pub kind: String,
    pub user_id: Option<Uuid>,
    pub invitation_id: Option<Uuid>,
    pub email: String,
    pub email_key: String,
    pub language: String,
    pub digest: Option<Vec<u8>>,
    pub name: Option<String>,
    pub password_hash: Option<String>,
    pub created_at: DateTimeUtc,
    pub expires_at: DateTimeUtc,
    pub used_at: Option<DateTimeUtc>,
    pub version: i64,
}

impl ActiveModelBehavior for ActiveModel {}
