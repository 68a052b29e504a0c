//! `api_key_secrets`

use entity::api_key_secret::{ActiveModel, Model};
use kernel::record::KeySecret;
use sea_orm::ActiveValue::{NotSet, Set};
use types::id::{ApiKeyId, KeySecretId};

use super::{Corrupt, count, digest, number, scope};

pub(crate) fn active(secret: &KeySecret) -> ActiveModel {
    ActiveModel {
        id: Set(secret.id.as_uuid()),
        tenant_id: Set(secret.scope.tenant_id.as_uuid()),
        workspace_id: Set(secret.scope.workspace_id.as_uuid()),
        key_id: Set(secret.key_id.as_uuid()),
        digest: Set(secret.digest.0.to_vec()),
        expires_at: Set(secret.expires_at),
        version: Set(number(secret.version)),
        created_at: NotSet,
    }
}

pub(crate) fn record(row: &Model) -> Result<KeySecret, Corrupt> {
    Ok(KeySecret {
        id: KeySecretId::from_uuid(row.id),
        scope: scope(row.tenant_id, row.workspace_id),
        key_id: ApiKeyId::from_uuid(row.key_id),
        digest: digest(&row.digest, "api_key_secrets.digest")?,
        expires_at: row.expires_at,
        version: count(row.version),
    })
}
