//! Seeing the console as a weaker role: for what is shown and for what is allowed.
//!
//! The role is kept on the session's own row and applied where a context is resolved, so no door and no browser can leave it
//! out. Invariant: it only ever lowers, and ends with the session.

use std::sync::Arc;

use serde_json::json;
use types::identity::{Role, SessionKind};
use types::problem::Code;

use super::Identity;
use super::commit::raise_epochs;
use crate::context::OpContext;
use crate::error::{Error, Result};
use crate::ledger::{Audit, Batch, Durability, Op};
use crate::policy::guard::authorize;
use crate::record::{Row, Session};

const ACTION: &str = "me.view_as";
/// How often it is written anew while others write the session.
const ATTEMPTS: usize = 5;

impl Identity {
    /// Lowers the present session to a role below one's own in the workspace, until that is stopped or the session ends.
    pub async fn start_view_as(&self, ctx: &OpContext, role: Role) -> Result<()> {
        self.set_view_as(ctx, Some(role)).await
    }

    /// Gives the present session its person's own power back.
    pub async fn stop_view_as(&self, ctx: &OpContext) -> Result<()> {
        self.set_view_as(ctx, None).await
    }

    async fn set_view_as(&self, ctx: &OpContext, role: Option<Role>) -> Result<()> {
        authorize(ctx, ACTION)?;
        for _ in 0..ATTEMPTS {
            let (account, session) = self.own_session(ctx).await?;
            if session.kind != SessionKind::Console {
                let detail = "only a session of the console is seen as another role";
                return Err(Error::new(Code::NotSupported, detail));
            }
            if let Some(role) = role {
                // The present role may be lowered already: asked is for the person's own.
                let place = account.workspaces.iter().find(|(_, member)| member.scope == ctx.scope);
                let own = place.map(|(_, member)| member.role).ok_or_else(Error::not_found)?;
                if role <= own {
                    return Err(Error::invalid("role", format!("must be below your own, which is `{own}`")));
                }
            }
            let before = session.view_as;
            if before == role {
                return Ok(());
            }
            let audit = Audit::done(ctx, &*self.ports.ids, "view_as", ACTION, ("session", session.id))
                .with_payload(json!({ "before": { "role": before }, "after": { "role": role } }));
            let changed = Session { view_as: role, version: session.version + 1, ..session };
            let batch = Batch::opening(ctx.scope, Durability::Power)
                .with([Op::RowPut(Arc::new(Row::Session(changed))), audit.into()])
                .with(raise_epochs(&account));
            match self.commit(ctx, batch, |ctx| authorize(ctx, ACTION)).await {
                Ok(_) => return Ok(()),
                // Overtaken: the session was written meanwhile.
                Err(error) if error.code() == Code::PreconditionFailed => {}
                Err(error) => return Err(error),
            }
        }
        Err(Error::new(Code::Busy, "the session is written by others at once, try again").with_retry_after(1))
    }
}
