//! A workspace's settings.

use serde_json::json;
use types::identity::{self, UpdateWorkspace};
use types::run::Capture;

use super::Identity;
use crate::check::{normal_name, same_version};
use crate::context::OpContext;
use crate::error::{Error, Result};
use crate::ledger::{Audit, Batch, Durability, Op};
use crate::policy::guard::authorize;
use crate::record::{Row, Workspace};

impl Identity {
    /// The workspace of the context.
    pub async fn find_workspace(&self, ctx: &OpContext) -> Result<identity::Workspace> {
        authorize(ctx, "workspace.read")?;
        let workspace = self.ports.directory.find_workspace(ctx.scope).await?.ok_or_else(Error::not_found)?;
        Ok(view(&workspace))
    }

    /// Changes a workspace that is still at `version`. Keeping more content than before is for the tenant to allow.
    pub async fn update_workspace(
        &self,
        ctx: &OpContext,
        version: Option<u64>,
        command: &UpdateWorkspace,
    ) -> Result<identity::Workspace> {
        authorize(ctx, "workspace.update")?;
        let before = self.ports.directory.find_workspace(ctx.scope).await?.ok_or_else(Error::not_found)?;
        let loosens =
            command.content_capture.is_some_and(|capture| strictness(capture) < strictness(before.content_capture));
        let decide = |ctx: &OpContext| {
            authorize(ctx, "workspace.update")?;
            if loosens { authorize(ctx, "tenant_ceiling.loosen_capture") } else { Ok(()) }
        };
        decide(ctx)?;
        same_version(version, before.version)?;
        let after = Workspace {
            name: command.name.as_ref().map_or_else(|| Ok(before.name.clone()), normal_name)?,
            unpriced_call_policy: command.unpriced_call_policy.unwrap_or(before.unpriced_call_policy),
            content_capture: command.content_capture.unwrap_or(before.content_capture),
            version: before.version + 1,
            ..before.clone()
        };
        let answer = view(&after);
        let audit =
            Audit::done(ctx, &*self.ports.ids, "workspace.updated", "workspace.update", ("workspace", after.id))
                .with_payload(json!({ "before": view(&before), "after": answer }));
        let batch = Batch::opening(ctx.scope, Durability::Power).with([
            Op::RowPut(Box::new(Row::Workspace(after))),
            audit.into(),
            Op::EpochRaise(ctx.scope.tenant_id),
        ]);
        self.commit(ctx, batch, decide).await?;
        Ok(answer)
    }
}

fn strictness(capture: Capture) -> u8 {
    match capture {
        Capture::Full => 0,
        Capture::Redacted => 1,
        Capture::MetadataOnly => 2,
    }
}

fn view(workspace: &Workspace) -> identity::Workspace {
    identity::Workspace {
        id: workspace.id,
        tenant_id: workspace.tenant_id,
        slug: workspace.slug.clone(),
        name: workspace.name.clone(),
        unpriced_call_policy: workspace.unpriced_call_policy,
        content_capture: workspace.content_capture,
        version: workspace.version,
    }
}
