//! `resource_grants`

use entity::resource_grant::{ActiveModel, Model};
use kernel::record::Grant;
use sea_orm::ActiveValue::Set;
use types::access::GrantSubject;
use types::id::{GrantId, GroupId, ServicePrincipalId, UserId};

use super::{Corrupt, count, document, number, scope, text, word};

pub(crate) fn active(grant: &Grant) -> Result<ActiveModel, Corrupt> {
    let (user_id, group_id, principal_id) = match grant.subject {
        GrantSubject::User(id) => (Some(id.as_uuid()), None, None),
        GrantSubject::Group(id) => (None, Some(id.as_uuid()), None),
        GrantSubject::Principal(id) => (None, None, Some(id.as_uuid())),
    };
    Ok(ActiveModel {
        id: Set(grant.id.as_uuid()),
        tenant_id: Set(grant.scope.tenant_id.as_uuid()),
        workspace_id: Set(grant.scope.workspace_id.as_uuid()),
        user_id: Set(user_id),
        group_id: Set(group_id),
        principal_id: Set(principal_id),
        resource_type: Set(grant.resource_type.to_string()),
        resource_id: Set(grant.resource_id.clone()),
        actions: Set(text(&grant.actions, "resource_grants.actions")?),
        expires_at: Set(grant.expires_at),
        granted_by: Set(grant.granted_by.as_uuid()),
        created_at: Set(grant.created_at),
        revoked_at: Set(grant.revoked_at),
        version: Set(number(grant.version)),
    })
}

pub(crate) fn record(row: Model) -> Result<Grant, Corrupt> {
    let subject = match (row.user_id, row.group_id, row.principal_id) {
        (Some(id), None, None) => GrantSubject::User(UserId::from_uuid(id)),
        (None, Some(id), None) => GrantSubject::Group(GroupId::from_uuid(id)),
        (None, None, Some(id)) => GrantSubject::Principal(ServicePrincipalId::from_uuid(id)),
        _ => return Err(Corrupt::new("resource_grants.user_id", "not one subject")),
    };
    Ok(Grant {
        id: GrantId::from_uuid(row.id),
        scope: scope(row.tenant_id, row.workspace_id),
        subject,
        resource_type: word(&row.resource_type, "resource_grants.resource_type")?,
        resource_id: row.resource_id,
        actions: document(&row.actions, "resource_grants.actions")?,
        expires_at: row.expires_at,
        granted_by: UserId::from_uuid(row.granted_by),
        created_at: row.created_at,
        revoked_at: row.revoked_at,
        version: count(row.version),
    })
}
