//! `models`

use entity::model::{ActiveModel, Model as Row};
use kernel::context::Scope;
use sea_orm::ActiveValue::Set;
use types::id::{ModelId, ProviderId};
use types::modelhub::Model;

use super::{Corrupt, count, document, number, text, word};

pub(crate) fn active(scope: Scope, model: &Model) -> Result<ActiveModel, Corrupt> {
    Ok(ActiveModel {
        id: Set(model.id.as_uuid()),
        tenant_id: Set(scope.tenant_id.as_uuid()),
        workspace_id: Set(scope.workspace_id.as_uuid()),
        provider_id: Set(model.provider_id.as_uuid()),
        model_id: Set(model.model_id.clone()),
        model_ref: Set(model.model_ref.clone()),
        display_name: Set(model.display_name.clone()),
        capabilities: Set(text(&model.capabilities, "models.capabilities")?),
        context_window: Set(model.context_window.map(number)),
        max_output_tokens: Set(model.max_output_tokens.map(number)),
        enabled: Set(model.enabled),
        version: Set(number(model.version)),
        created_at: Set(model.created_at),
        tokenizer: Set(model.tokenizer.to_string()),
    })
}

pub(crate) fn record(row: Row) -> Result<Model, Corrupt> {
    Ok(Model {
        id: ModelId::from_uuid(row.id),
        provider_id: ProviderId::from_uuid(row.provider_id),
        model_id: row.model_id,
        model_ref: row.model_ref,
        display_name: row.display_name,
        capabilities: document(&row.capabilities, "models.capabilities")?,
        context_window: row.context_window.map(count),
        max_output_tokens: row.max_output_tokens.map(count),
        tokenizer: word(&row.tokenizer, "models.tokenizer")?,
        enabled: row.enabled,
        version: count(row.version),
        created_at: row.created_at,
    })
}
