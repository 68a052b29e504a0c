//! `idempotency_keys`: What was done under a caller's key.

use sea_orm::entity::prelude::*;

#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "idempotency_keys")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub tenant_id: Uuid,
    #[sea_orm(primary_key, auto_increment = false)]
    pub key: String,
    pub workspace_id: Uuid,
    pub status: String,
    pub fingerprint: Vec<u8>,
    pub holder: Uuid,
    pub run_id: Option<Uuid>,
    pub first_run_id: Option<Uuid>,
    pub attempts: i64,
    pub owner_process_id: Uuid,
    pub owner_epoch: i64,
    pub claimed_at: DateTimeUtc,
    pub expires_at: Option<DateTimeUtc>,
    pub outcome: Option<String>,
    pub body: Option<Vec<u8>>,
    pub body_key_id: Option<String>,
    pub body_nonce: Option<Vec<u8>>,
    pub created_at: DateTimeUtc,
    pub body_artifact_id: Option<Uuid>,
}

impl ActiveModelBehavior for ActiveModel {}
