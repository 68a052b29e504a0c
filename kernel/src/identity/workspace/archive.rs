//! Archiving a workspace, and bringing it back.

use types::identity;

use super::settings::view;
use crate::context::OpContext;
use crate::error::Result;
use crate::identity::Identity;
use crate::identity::member::{Change, Reading, Seen};
use crate::ledger::Audit;
use crate::record::{Row, Workspace};

impl Identity {
    /// Archives the workspace of the context: it is read and exported, no call in it starts and nothing in it changes.
    pub async fn archive_workspace(&self, ctx: &OpContext) -> Result<identity::Workspace> {
        self.set_archived(ctx, true, "workspace.archive", "workspace.archived").await
    }

    /// Brings an archived workspace back.
    pub async fn restore_workspace(&self, ctx: &OpContext) -> Result<identity::Workspace> {
        self.set_archived(ctx, false, "workspace.restore", "workspace.restored").await
    }

    async fn set_archived(
        &self,
        ctx: &OpContext,
        archived: bool,
        action: &'static str,
        event: &'static str,
    ) -> Result<identity::Workspace> {
        let set = |ctx: &OpContext, seen: &Seen| {
            let before = &seen.roster.workspace;
            if before.archived == archived {
                return Ok(Change::to(view(before)));
            }
            let after = Workspace { archived, version: before.version + 1, ..before.clone() };
            let audit = Audit::done(ctx, &*self.ports.ids, event, action, ("workspace", after.id));
            Ok(Change::to(view(&after)).row(Row::Workspace(after)).with([audit.into()]))
        };
        self.change_roster(ctx, action, Reading::Roster, set).await
    }
}
