//! `purge_list`: What may be deleted or erased: a run with what hangs on it, or an audit row.

use sea_orm::entity::prelude::*;

#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "purge_list")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub subject_id: Uuid,
    pub tenant_id: Uuid,
    pub workspace_id: Uuid,
    pub created_at: DateTimeUtc,
}

impl ActiveModelBehavior for ActiveModel {}
