//! A workspace's settings.

use std::sync::Arc;

use serde_json::{Value, json};
use types::identity::{self, UpdateWorkspace};
use types::problem::Code;
use types::run::Capture;

use crate::check::normal_name;
use crate::context::OpContext;
use crate::error::{Error, Result};
use crate::identity::Identity;
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
        let require_mfa_from = command.require_mfa_from.unwrap_or(before.require_mfa_from);
        if require_mfa_from.is_some()
            && require_mfa_from != before.require_mfa_from
            && !self.resolved_of(ctx).await?.account.second_factor
        {
            return Err(Error::invalid(
                "require_mfa_from",
                "would lock you out: set up a second factor of your own first",
            ));
        }
        let after = Workspace {
            name: command.name.as_ref().map_or_else(|| Ok(before.name.clone()), normal_name)?,
            slug: command.slug.clone().unwrap_or_else(|| before.slug.clone()),
            unpriced_call_policy: command.unpriced_call_policy.unwrap_or(before.unpriced_call_policy),
            content_capture: command.content_capture.unwrap_or(before.content_capture),
            require_mfa_from,
            version: before.version + 1,
            ..before.clone()
        };
        let answer = view(&after);
        let wish = settings(&after);
        if !ctx.must_change(version, before.version, &settings(&before), &wish)? {
            return Ok(view(&before));
        }
        let audit =
            Audit::done(ctx, &*self.ports.ids, "workspace.updated", "workspace.update", ("workspace", after.id))
                .with_payload(json!({ "before": view(&before), "after": answer }));
        let batch = Batch::opening(ctx.scope, Durability::Power).with([
            Op::RowPut(Arc::new(Row::Workspace(after))),
            audit.into(),
            Op::EpochRaise(ctx.scope.tenant_id),
        ]);
        match self.commit(ctx, batch, decide).await {
            Ok(_) => Ok(answer),
            Err(error) if error.code() == Code::PreconditionFailed => {
                // Somebody was faster: the same form, sent twice, or another one.
                let present = self.ports.directory.find_workspace(ctx.scope).await?.ok_or_else(Error::not_found)?;
                match ctx.must_change(version, present.version, &settings(&present), &wish)? {
                    true => Err(error),
                    false => Ok(view(&present)),
                }
            }
            Err(error) => Err(error),
        }
    }
}

fn strictness(capture: Capture) -> u8 {
    match capture {
        Capture::Full => 0,
        Capture::Redacted => 1,
        Capture::MetadataOnly => 2,
    }
}

/// What can be changed.
fn settings(workspace: &Workspace) -> Value {
    let Workspace { name, slug, unpriced_call_policy, content_capture, require_mfa_from, .. } = workspace;
    json!([name, slug, unpriced_call_policy, content_capture, require_mfa_from])
}

/// A workspace as the outside sees it.
pub(super) fn view(workspace: &Workspace) -> identity::Workspace {
    identity::Workspace {
        id: workspace.id,
        tenant_id: workspace.tenant_id,
        slug: workspace.slug.clone(),
        name: workspace.name.clone(),
        status: workspace.status(),
        unpriced_call_policy: workspace.unpriced_call_policy,
        content_capture: workspace.content_capture,
        require_mfa_from: workspace.require_mfa_from,
        version: workspace.version,
    }
}
