//! `run_texts`: What a run is found by, in one case; what is erased of the run, a trigger takes out. SQLite has a number more.

use sea_orm::entity::prelude::*;

#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "run_texts")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub run_id: Uuid,
    pub tenant_id: Uuid,
    pub workspace_id: Uuid,
    pub is_over: bool,
    pub facts: String,
    pub labels: Option<String>,
    pub input: Option<String>,
    pub output: Option<String>,
    pub error: Option<String>,
}

impl ActiveModelBehavior for ActiveModel {}
