//! `sso_sessions`: By which account of a provider a session was opened.

use sea_orm::entity::prelude::*;

#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "sso_sessions")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub session_id: Uuid,
    pub connection_id: Uuid,
    pub link_id: Uuid,
    pub sid: Option<String>,
    pub version: i64,
}

impl ActiveModelBehavior for ActiveModel {}
