//! `sso_links`: An account at a provider that signs in to an account here; `given` is a JSON document.

use sea_orm::entity::prelude::*;

#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "sso_links")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: Uuid,
    pub user_id: Uuid,
    pub tenant_id: Uuid,
    pub connection_id: Uuid,
    pub issuer: String,
    pub subject: String,
    pub email: Option<String>,
    pub given: String,
    pub created_at: DateTimeUtc,
    pub last_used_at: DateTimeUtc,
    pub removed_at: Option<DateTimeUtc>,
    pub version: i64,
}

impl ActiveModelBehavior for ActiveModel {}
