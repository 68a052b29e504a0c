//! `signing_keys`: A key that signs checkpoints and evidence, sealed.

use sea_orm::entity::prelude::*;

#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "signing_keys")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub number: i64,
    pub key_id: String,
    pub sealed_key_id: String,
    pub nonce: Vec<u8>,
    pub ciphertext: Vec<u8>,
    pub created_at: DateTimeUtc,
    pub rotation: Option<String>,
}

impl ActiveModelBehavior for ActiveModel {}
