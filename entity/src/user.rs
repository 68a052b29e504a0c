//! `users`: A person with an account, instance-wide.

use sea_orm::entity::prelude::*;

#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "users")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: Uuid,
    pub email: String,
    pub email_key: String,
    pub name: String,
    pub status: String,
    pub is_operator: bool,
    pub password_hash: Option<String>,
    pub default_password: bool,
    pub version: i64,
    pub created_at: DateTimeUtc,
    pub email_verified_at: Option<DateTimeUtc>,
    pub closes_at: Option<DateTimeUtc>,
}

impl ActiveModelBehavior for ActiveModel {}
