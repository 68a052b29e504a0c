//! `service_principals`

use entity::service_principal::{ActiveModel, Model};
use kernel::record::ServicePrincipal;
use sea_orm::ActiveValue::Set;
use types::id::{ServicePrincipalId, UserId};

use super::{Corrupt, count, number, scope, word};

pub(crate) fn active(principal: &ServicePrincipal) -> ActiveModel {
    ActiveModel {
        id: Set(principal.id.as_uuid()),
        tenant_id: Set(principal.scope.tenant_id.as_uuid()),
        workspace_id: Set(principal.scope.workspace_id.as_uuid()),
        name: Set(principal.name.to_string()),
        name_key: Set(principal.name_key.clone()),
        owner_id: Set(principal.owner_id.as_uuid()),
        role: Set(principal.role.to_string()),
        status: Set(principal.status.to_string()),
        created_by: Set(principal.created_by.as_uuid()),
        created_at: Set(principal.created_at),
        version: Set(number(principal.version)),
    }
}

pub(crate) fn record(row: Model) -> Result<ServicePrincipal, Corrupt> {
    Ok(ServicePrincipal {
        id: ServicePrincipalId::from_uuid(row.id),
        scope: scope(row.tenant_id, row.workspace_id),
        name: word(&row.name, "service_principals.name")?,
        name_key: row.name_key,
        owner_id: UserId::from_uuid(row.owner_id),
        role: word(&row.role, "service_principals.role")?,
        status: word(&row.status, "service_principals.status")?,
        created_by: UserId::from_uuid(row.created_by),
        created_at: row.created_at,
        version: count(row.version),
    })
}
