//! `providers`

use entity::provider::{ActiveModel, Model};
use kernel::context::Scope;
use sea_orm::ActiveValue::Set;
use types::id::{ProviderId, SecretId};
use types::modelhub::Provider;

use super::{Corrupt, count, number, small, word};

pub(crate) fn active(scope: Scope, provider: &Provider, archived: bool) -> ActiveModel {
    ActiveModel {
        id: Set(provider.id.as_uuid()),
        tenant_id: Set(scope.tenant_id.as_uuid()),
        workspace_id: Set(scope.workspace_id.as_uuid()),
        name: Set(provider.name.to_string()),
        slug: Set(provider.slug.to_string()),
        kind: Set(provider.kind.to_string()),
        base_url: Set(provider.base_url.clone()),
        secret_id: Set(provider.secret_id.map(SecretId::as_uuid)),
        status: Set(provider.status.to_string()),
        max_concurrency: Set(i64::from(provider.max_concurrency)),
        max_retries: Set(i64::from(provider.max_retries)),
        timeout_ms: Set(provider.timeout_ms.map(number)),
        archived: Set(archived),
        version: Set(number(provider.version)),
        created_at: Set(provider.created_at),
    }
}

pub(crate) fn record(row: Model) -> Result<Provider, Corrupt> {
    Ok(Provider {
        id: ProviderId::from_uuid(row.id),
        name: word(&row.name, "providers.name")?,
        slug: word(&row.slug, "providers.slug")?,
        kind: word(&row.kind, "providers.kind")?,
        base_url: row.base_url,
        secret_id: row.secret_id.map(SecretId::from_uuid),
        status: word(&row.status, "providers.status")?,
        max_concurrency: small(row.max_concurrency),
        max_retries: small(row.max_retries),
        timeout_ms: row.timeout_ms.map(count),
        version: count(row.version),
        created_at: row.created_at,
    })
}
