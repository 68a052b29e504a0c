//! `api_keys`

use entity::api_key::{ActiveModel, Model};
use kernel::record::ApiKey;
use sea_orm::ActiveValue::Set;
use types::id::{ApiKeyId, ServicePrincipalId, UserId};

use super::{Corrupt, count, document, number, scope, small, text, word};

pub(crate) fn active(key: &ApiKey) -> Result<ActiveModel, Corrupt> {
    let networks = key.ip_allowlist.as_ref().map(|list| text(list, "api_keys.ip_allowlist")).transpose()?;
    let models = key.allowed_models.as_ref().map(|list| text(list, "api_keys.allowed_models")).transpose()?;
    let tools = key.allowed_tools.as_ref().map(|list| text(list, "api_keys.allowed_tools")).transpose()?;
    let labels = (!key.labels.is_empty()).then(|| text(&key.labels, "api_keys.labels")).transpose()?;
    Ok(ActiveModel {
        id: Set(key.id.as_uuid()),
        tenant_id: Set(key.scope.tenant_id.as_uuid()),
        workspace_id: Set(key.scope.workspace_id.as_uuid()),
        name: Set(key.name.to_string()),
        hint: Set(key.hint.clone()),
        scopes: Set(text(&key.scopes, "api_keys.scopes")?),
        created_by: Set(key.created_by.as_uuid()),
        created_at: Set(key.created_at),
        expires_at: Set(key.expires_at),
        revoked_at: Set(key.revoked_at),
        last_used_at: Set(key.last_used_at),
        rate_limit_per_minute: Set(key.rate_limit_per_minute.map(i64::from)),
        daily_request_quota: Set(key.daily_request_quota.map(number)),
        daily_token_quota: Set(key.daily_token_quota.map(number)),
        ip_allowlist: Set(networks),
        allowed_models: Set(models),
        version: Set(number(key.version)),
        content_capture: Set(key.content_capture.map(|capture| capture.to_string())),
        labels: Set(labels),
        principal_id: Set(key.principal_id.map(ServicePrincipalId::as_uuid)),
        allowed_tools: Set(tools),
        last_used_address: Set(key.last_used_address.clone()),
    })
}

pub(crate) fn record(row: Model) -> Result<ApiKey, Corrupt> {
    let networks = row.ip_allowlist.map(|list| document(&list, "api_keys.ip_allowlist")).transpose()?;
    let models = row.allowed_models.map(|list| document(&list, "api_keys.allowed_models")).transpose()?;
    let tools = row.allowed_tools.map(|list| document(&list, "api_keys.allowed_tools")).transpose()?;
    let labels = row.labels.map(|labels| document(&labels, "api_keys.labels")).transpose()?;
    let capture = row.content_capture.map(|capture| word(&capture, "api_keys.content_capture")).transpose()?;
    Ok(ApiKey {
        id: ApiKeyId::from_uuid(row.id),
        scope: scope(row.tenant_id, row.workspace_id),
        name: word(&row.name, "api_keys.name")?,
        hint: row.hint,
        scopes: document(&row.scopes, "api_keys.scopes")?,
        created_by: UserId::from_uuid(row.created_by),
        created_at: row.created_at,
        expires_at: row.expires_at,
        revoked_at: row.revoked_at,
        last_used_at: row.last_used_at,
        last_used_address: row.last_used_address,
        rate_limit_per_minute: row.rate_limit_per_minute.map(small),
        daily_request_quota: row.daily_request_quota.map(count),
        daily_token_quota: row.daily_token_quota.map(count),
        ip_allowlist: networks,
        allowed_models: models,
        allowed_tools: tools,
        content_capture: capture,
        labels: labels.unwrap_or_default(),
        principal_id: row.principal_id.map(ServicePrincipalId::from_uuid),
        version: count(row.version),
    })
}
