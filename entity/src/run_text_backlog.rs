//! `run_text_backlog`: How far runs of an earlier soit have their texts; one row while some have none.

use sea_orm::entity::prelude::*;

#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "run_text_backlog")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: i64,
    pub below: Uuid,
}

impl ActiveModelBehavior for ActiveModel {}
