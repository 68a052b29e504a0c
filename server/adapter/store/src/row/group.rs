//! `workspace_groups` and `workspace_group_members`

use entity::{workspace_group, workspace_group_member};
use kernel::record::{Group, GroupMember};
use sea_orm::ActiveValue::Set;
use types::id::{GroupId, UserId};

use super::{Corrupt, count, number, scope, word};

pub(crate) fn active(group: &Group) -> workspace_group::ActiveModel {
    workspace_group::ActiveModel {
        id: Set(group.id.as_uuid()),
        tenant_id: Set(group.scope.tenant_id.as_uuid()),
        workspace_id: Set(group.scope.workspace_id.as_uuid()),
        name: Set(group.name.to_string()),
        name_key: Set(group.name_key.clone()),
        created_at: Set(group.created_at),
        deleted_at: Set(group.deleted_at),
        version: Set(number(group.version)),
    }
}

pub(crate) fn record(row: workspace_group::Model) -> Result<Group, Corrupt> {
    Ok(Group {
        id: GroupId::from_uuid(row.id),
        scope: scope(row.tenant_id, row.workspace_id),
        name: word(&row.name, "workspace_groups.name")?,
        name_key: row.name_key,
        created_at: row.created_at,
        deleted_at: row.deleted_at,
        version: count(row.version),
    })
}

pub(crate) fn active_member(member: &GroupMember) -> workspace_group_member::ActiveModel {
    workspace_group_member::ActiveModel {
        group_id: Set(member.group_id.as_uuid()),
        user_id: Set(member.user_id.as_uuid()),
        tenant_id: Set(member.scope.tenant_id.as_uuid()),
        workspace_id: Set(member.scope.workspace_id.as_uuid()),
        removed_at: Set(member.removed_at),
        version: Set(number(member.version)),
    }
}

pub(crate) fn member(row: &workspace_group_member::Model) -> GroupMember {
    GroupMember {
        scope: scope(row.tenant_id, row.workspace_id),
        group_id: GroupId::from_uuid(row.group_id),
        user_id: UserId::from_uuid(row.user_id),
        removed_at: row.removed_at,
        version: count(row.version),
    }
}
