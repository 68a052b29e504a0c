//! `second_factors`: What a person's authenticator app was set up with, and what is left of their recovery codes.

use sea_orm::entity::prelude::*;

#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "second_factors")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub user_id: Uuid,
    pub number: Option<i64>,
    pub key_id: Option<String>,
    pub nonce: Option<Vec<u8>>,
    pub ciphertext: Option<Vec<u8>>,
    pub active_since: Option<DateTimeUtc>,
    pub pending_number: Option<i64>,
    pub pending_key_id: Option<String>,
    pub pending_nonce: Option<Vec<u8>>,
    pub pending_ciphertext: Option<Vec<u8>>,
    pub seeds: i64,
    pub last_step: i64,
    pub recovery: String,
    pub version: i64,
}

impl ActiveModelBehavior for ActiveModel {}
