//! `budgets`: A budget; `amount` is in nano-units, `thresholds` a JSON list.

use sea_orm::entity::prelude::*;

#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "budgets")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: Uuid,
    pub tenant_id: Uuid,
    pub workspace_id: Uuid,
    pub name: String,
    pub status: String,
    pub scope_kind: String,
    pub scope_id: Option<String>,
    pub period: String,
    pub currency: String,
    pub amount: i64,
    pub hard_stop: bool,
    pub thresholds: String,
    pub archived: bool,
    pub version: i64,
    pub created_at: DateTimeUtc,
}

impl ActiveModelBehavior for ActiveModel {}
