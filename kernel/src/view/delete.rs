//! Deleting a view. Lists that opened with it open plainly.

use serde_json::json;
use types::id::ViewId;

use super::Views;
use super::change::{Change, Seen};
use super::rules::told;
use crate::context::OpContext;
use crate::error::Result;
use crate::ledger::Audit;
use crate::policy::guard::{authorize, authorize_rows};
use crate::record::{Row, SavedView};

impl Views {
    /// Deletes a view: one's own, or a shared one of somebody else, where one keeps the workspace in order.
    pub async fn delete_view(&self, ctx: &OpContext, id: ViewId) -> Result<()> {
        self.change(ctx, |ctx: &OpContext, seen: &Seen| self.decide_delete(ctx, seen, id)).await
    }

    fn decide_delete(&self, ctx: &OpContext, seen: &Seen, id: ViewId) -> Result<Change<()>> {
        authorize_rows(ctx, "view.save")?;
        let present = seen.find(id)?;
        let operation = if present.owner_id == seen.user_id { "view.save" } else { "view.share" };
        if operation == "view.share" {
            authorize(ctx, "workspace.update")?;
            authorize(ctx, operation)?;
        }
        let deleted = SavedView {
            updated_at: ctx.now,
            deleted_at: Some(ctx.now),
            version: present.version + 1,
            ..present.clone()
        };
        let audit = Audit::done(ctx, &*self.ports.ids, "view.deleted", operation, ("view", id))
            .with_payload(json!({ "before": told(present) }));
        Ok(Change::to(()).row(Row::SavedView(deleted)).op(audit.into()))
    }
}
