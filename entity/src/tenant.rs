//! `tenants`: A tenant; `auth_epoch` rises with every change of access rules.

use sea_orm::entity::prelude::*;

#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "tenants")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: Uuid,
    pub name: String,
    pub slug: String,
    pub active: bool,
    pub auth_epoch: i64,
    pub version: i64,
    pub created_at: DateTimeUtc,
    pub retention_bounds: String,
    pub content_capture: String,
    pub deleted_at: Option<DateTimeUtc>,
}

impl ActiveModelBehavior for ActiveModel {}
