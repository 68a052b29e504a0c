//! `legal_hold_runs`: A run that a hold names.

use sea_orm::entity::prelude::*;

#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "legal_hold_runs")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub hold_id: Uuid,
    #[sea_orm(primary_key, auto_increment = false)]
    pub run_id: Uuid,
}

impl ActiveModelBehavior for ActiveModel {}
