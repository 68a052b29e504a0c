//! `sso_connections`: A connection of a tenant to an identity provider; lists are JSON.

use sea_orm::entity::prelude::*;

#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "sso_connections")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: Uuid,
    pub tenant_id: Uuid,
    pub workspace_id: Uuid,
    pub label: String,
    pub issuer: String,
    pub client_id: String,
    pub secret_id: Option<Uuid>,
    pub secret_version: Option<i64>,
    pub key_id: Option<String>,
    pub nonce: Option<Vec<u8>>,
    pub ciphertext: Option<Vec<u8>>,
    pub scopes: String,
    pub allowed_domains: String,
    pub group_claim: Option<String>,
    pub mappings: String,
    pub jit: bool,
    pub jit_role: String,
    pub enforced: bool,
    pub created_at: DateTimeUtc,
    pub deleted_at: Option<DateTimeUtc>,
    pub version: i64,
}

impl ActiveModelBehavior for ActiveModel {}
