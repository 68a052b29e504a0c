//! Making a workspace.

use serde_json::json;
use types::id::WorkspaceId;
use types::identity::{self, Role, UnpricedPolicy};
use types::problem::Code;
use types::run::Capture;
use types::tenant::CreateWorkspace;

use super::settings::view;
use crate::check::normal_name;
use crate::context::{OpContext, Scope};
use crate::error::{Error, Result};
use crate::identity::Identity;
use crate::identity::member::Change;
use crate::ledger::Audit;
use crate::port::TenantRoster;
use crate::record::{Row, Workspace, WorkspaceMember};

/// Workspaces of a tenant at most, archived ones included.
const MOST: usize = 1_000;

impl Identity {
    /// Makes a workspace of a tenant; who makes it owns it. The same form sent again finds it.
    pub async fn create_workspace(&self, ctx: &OpContext, command: &CreateWorkspace) -> Result<identity::Workspace> {
        let ctx = self.enter_tenant(ctx, command.tenant_id).await?;
        let owner = ctx.user_id.ok_or_else(Error::not_found)?;
        let name = normal_name(&command.name)?;
        let id: WorkspaceId = ctx.new_id(&*self.ports.ids, "workspace.create", command)?;
        let create = |ctx: &OpContext, seen: &TenantRoster| {
            if let Some(made) = seen.workspaces.iter().find(|workspace| workspace.id == id) {
                return Ok(Change::to(view(made)));
            }
            if seen.workspaces.len() >= MOST {
                let detail = format!("the tenant has {MOST} workspaces, archived ones included");
                return Err(Error::new(Code::QuotaExceeded, detail));
            }
            let workspace = Workspace {
                id,
                tenant_id: seen.tenant.id,
                name: name.clone(),
                slug: command.slug.clone(),
                archived: false,
                unpriced_call_policy: UnpricedPolicy::RefuseWhenBudgeted,
                content_capture: Capture::Full,
                require_mfa_from: None,
                version: 1,
            };
            let place = WorkspaceMember {
                scope: Scope { tenant_id: seen.tenant.id, workspace_id: id },
                user_id: owner,
                role: Role::Owner,
                joined_at: ctx.now,
                removed_at: None,
                version: 1,
            };
            let done = ("workspace", id);
            let audit = Audit::done(ctx, &*self.ports.ids, "workspace.created", "workspace.create", done).with_payload(
                json!({ "after": { "name": workspace.name, "slug": workspace.slug, "owner_id": owner } }),
            );
            let change = Change::to(view(&workspace)).row(Row::Workspace(workspace));
            Ok(change.row(Row::WorkspaceMember(place)).with([audit.into()]))
        };
        self.change_tenant(&ctx, "workspace.create", create).await
    }
}
