//! `workspaces`

use entity::workspace::{ActiveModel, Model};
use kernel::record::Workspace;
use sea_orm::ActiveValue::{NotSet, Set};
use types::id::{TenantId, WorkspaceId};

use super::{Corrupt, count, number, word};

pub(crate) fn active(workspace: &Workspace) -> ActiveModel {
    ActiveModel {
        id: Set(workspace.id.as_uuid()),
        tenant_id: Set(workspace.tenant_id.as_uuid()),
        name: Set(workspace.name.to_string()),
        slug: Set(workspace.slug.to_string()),
        archived: Set(workspace.archived),
        unpriced_call_policy: Set(workspace.unpriced_call_policy.to_string()),
        content_capture: Set(workspace.content_capture.to_string()),
        require_mfa_from: Set(workspace.require_mfa_from),
        version: Set(number(workspace.version)),
        created_at: NotSet,
    }
}

pub(crate) fn record(row: Model) -> Result<Workspace, Corrupt> {
    Ok(Workspace {
        id: WorkspaceId::from_uuid(row.id),
        tenant_id: TenantId::from_uuid(row.tenant_id),
        name: word(&row.name, "workspaces.name")?,
        slug: word(&row.slug, "workspaces.slug")?,
        archived: row.archived,
        unpriced_call_policy: word(&row.unpriced_call_policy, "workspaces.unpriced_call_policy")?,
        content_capture: word(&row.content_capture, "workspaces.content_capture")?,
        require_mfa_from: row.require_mfa_from,
        version: count(row.version),
    })
}
