//! `resource_grants`: What a member, a group or a service principal may do with one thing; `actions` is a JSON list.

use sea_orm::entity::prelude::*;

#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "resource_grants")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: Uuid,
    pub tenant_id: Uuid,
    pub workspace_id: Uuid,
    pub user_id: Option<Uuid>,
    pub group_id: Option<Uuid>,
    pub principal_id: Option<Uuid>,
    pub resource_type: String,
    pub resource_id: String,
    pub actions: String,
    pub expires_at: Option<DateTimeUtc>,
    pub granted_by: Uuid,
    pub created_at: DateTimeUtc,
    pub revoked_at: Option<DateTimeUtc>,
    pub version: i64,
}

impl ActiveModelBehavior for ActiveModel {}
