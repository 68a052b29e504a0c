//! `models`: A model of a provider account; `capabilities` is a JSON list.

use sea_orm::entity::prelude::*;

#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "models")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: Uuid,
    pub tenant_id: Uuid,
    pub workspace_id: Uuid,
    pub provider_id: Uuid,
    pub model_id: String,
    pub model_ref: String,
    pub display_name: String,
    pub capabilities: String,
    pub context_window: Option<i64>,
    pub max_output_tokens: Option<i64>,
    pub enabled: bool,
    pub version: i64,
    pub created_at: DateTimeUtc,
    pub tokenizer: String,
}

impl ActiveModelBehavior for ActiveModel {}
