//! `mfa_challenges`: The question for a second factor, between the two steps of a sign-in.

use sea_orm::entity::prelude::*;

#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "mfa_challenges")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: Uuid,
    pub user_id: Uuid,
    pub kind: String,
    pub digest: Vec<u8>,
    pub wrong: i64,
    pub created_at: DateTimeUtc,
    pub expires_at: DateTimeUtc,
    pub spent_at: Option<DateTimeUtc>,
    pub version: i64,
}

impl ActiveModelBehavior for ActiveModel {}
