//! `sso_connections`

use entity::sso_connection::{ActiveModel, Model};
use kernel::record::{ClientSecret, SsoConnection};
use kernel::secret::Sealed;
use sea_orm::ActiveValue::Set;
use types::id::{SecretId, SsoConnectionId};

use super::{Corrupt, count, document, number, scope, small, text, word};

pub(crate) fn active(connection: &SsoConnection) -> Result<ActiveModel, Corrupt> {
    let secret = connection.secret.as_ref();
    Ok(ActiveModel {
        id: Set(connection.id.as_uuid()),
        tenant_id: Set(connection.scope.tenant_id.as_uuid()),
        workspace_id: Set(connection.scope.workspace_id.as_uuid()),
        label: Set(connection.label.to_string()),
        issuer: Set(connection.issuer.clone()),
        client_id: Set(connection.client_id.clone()),
        secret_id: Set(secret.map(|secret| secret.id.as_uuid())),
        secret_version: Set(secret.map(|secret| i64::from(secret.version))),
        key_id: Set(secret.map(|secret| secret.sealed.key_id.clone())),
        nonce: Set(secret.map(|secret| secret.sealed.nonce.clone())),
        ciphertext: Set(secret.map(|secret| secret.sealed.ciphertext.clone())),
        scopes: Set(text(&connection.scopes, "sso_connections.scopes")?),
        allowed_domains: Set(text(&connection.allowed_domains, "sso_connections.allowed_domains")?),
        group_claim: Set(connection.group_claim.clone()),
        mappings: Set(text(&connection.mappings, "sso_connections.mappings")?),
        jit: Set(connection.jit),
        jit_role: Set(connection.jit_role.to_string()),
        enforced: Set(connection.enforced),
        created_at: Set(connection.created_at),
        deleted_at: Set(connection.deleted_at),
        version: Set(number(connection.version)),
    })
}

pub(crate) fn record(row: Model) -> Result<SsoConnection, Corrupt> {
    Ok(SsoConnection {
        id: SsoConnectionId::from_uuid(row.id),
        scope: scope(row.tenant_id, row.workspace_id),
        label: word(&row.label, "sso_connections.label")?,
        issuer: row.issuer,
        client_id: row.client_id,
        secret: secret(
            row.secret_id.map(SecretId::from_uuid),
            row.secret_version,
            row.key_id,
            row.nonce,
            row.ciphertext,
        ),
        scopes: document(&row.scopes, "sso_connections.scopes")?,
        allowed_domains: document(&row.allowed_domains, "sso_connections.allowed_domains")?,
        group_claim: row.group_claim,
        mappings: document(&row.mappings, "sso_connections.mappings")?,
        jit: row.jit,
        jit_role: word(&row.jit_role, "sso_connections.jit_role")?,
        enforced: row.enforced,
        created_at: row.created_at,
        deleted_at: row.deleted_at,
        version: count(row.version),
    })
}

/// All of it or none: the schema checks that.
fn secret(
    id: Option<SecretId>,
    version: Option<i64>,
    key_id: Option<String>,
    nonce: Option<Vec<u8>>,
    ciphertext: Option<Vec<u8>>,
) -> Option<ClientSecret> {
    let sealed = Sealed { key_id: key_id?, nonce: nonce?, ciphertext: ciphertext? };
    Some(ClientSecret { id: id?, version: small(version?), sealed })
}
