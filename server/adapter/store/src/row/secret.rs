//! `secrets`

use entity::secret::{ActiveModel, Model};
use kernel::record::Secret;
use kernel::secret::Sealed;
use sea_orm::ActiveValue::{NotSet, Set};
use types::id::{ProviderId, SecretId};

use super::{count, number, scope, small};

pub(crate) fn active(secret: &Secret) -> ActiveModel {
    ActiveModel {
        id: Set(secret.id.as_uuid()),
        tenant_id: Set(secret.scope.tenant_id.as_uuid()),
        workspace_id: Set(secret.scope.workspace_id.as_uuid()),
        name: Set(secret.name.clone()),
        key_id: Set(secret.sealed.key_id.clone()),
        nonce: Set(secret.sealed.nonce.clone()),
        ciphertext: Set(secret.sealed.ciphertext.clone()),
        value_version: Set(i64::from(secret.value_version)),
        released_to: Set(secret.released_to.map(ProviderId::as_uuid)),
        version: Set(number(secret.version)),
        created_at: NotSet,
    }
}

pub(crate) fn record(row: Model) -> Secret {
    Secret {
        id: SecretId::from_uuid(row.id),
        scope: scope(row.tenant_id, row.workspace_id),
        name: row.name,
        sealed: Sealed { key_id: row.key_id, nonce: row.nonce, ciphertext: row.ciphertext },
        value_version: small(row.value_version),
        released_to: row.released_to.map(ProviderId::from_uuid),
        version: count(row.version),
    }
}
