//! `tenant_members` and `workspace_members`

use entity::{tenant_member, workspace_member};
use kernel::record::{TenantMember, WorkspaceMember};
use sea_orm::ActiveValue::{NotSet, Set};
use types::id::{TenantId, UserId};

use super::{Corrupt, count, number, scope, word};

pub(crate) fn active_in_tenant(member: &TenantMember) -> tenant_member::ActiveModel {
    tenant_member::ActiveModel {
        tenant_id: Set(member.tenant_id.as_uuid()),
        user_id: Set(member.user_id.as_uuid()),
        role: Set(member.role.to_string()),
        removed_at: Set(member.removed_at),
        version: Set(number(member.version)),
        created_at: NotSet,
    }
}

pub(crate) fn in_tenant(row: &tenant_member::Model) -> Result<TenantMember, Corrupt> {
    Ok(TenantMember {
        tenant_id: TenantId::from_uuid(row.tenant_id),
        user_id: UserId::from_uuid(row.user_id),
        role: word(&row.role, "tenant_members.role")?,
        removed_at: row.removed_at,
        version: count(row.version),
    })
}

pub(crate) fn active_in_workspace(member: &WorkspaceMember) -> workspace_member::ActiveModel {
    workspace_member::ActiveModel {
        workspace_id: Set(member.scope.workspace_id.as_uuid()),
        user_id: Set(member.user_id.as_uuid()),
        tenant_id: Set(member.scope.tenant_id.as_uuid()),
        role: Set(member.role.to_string()),
        removed_at: Set(member.removed_at),
        version: Set(number(member.version)),
        created_at: Set(member.joined_at),
    }
}

pub(crate) fn in_workspace(row: &workspace_member::Model) -> Result<WorkspaceMember, Corrupt> {
    Ok(WorkspaceMember {
        scope: scope(row.tenant_id, row.workspace_id),
        user_id: UserId::from_uuid(row.user_id),
        role: word(&row.role, "workspace_members.role")?,
        joined_at: row.created_at,
        removed_at: row.removed_at,
        version: count(row.version),
    })
}
