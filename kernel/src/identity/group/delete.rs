//! Deleting a group. What was granted to it ends with it.

use serde_json::json;
use types::id::GroupId;

use super::rules::{facts, find, present};
use crate::context::OpContext;
use crate::error::Result;
use crate::identity::Identity;
use crate::identity::member::{Change, Reading, Seen};
use crate::ledger::Audit;
use crate::record::{Group, Row};

impl Identity {
    /// Deletes a group: once this is answered, nothing is allowed by what was granted to it.
    pub async fn delete_group(&self, ctx: &OpContext, id: GroupId) -> Result<()> {
        let delete = |ctx: &OpContext, seen: &Seen| {
            let (group, members) = find(seen, id)?;
            let gone = Group { deleted_at: Some(ctx.now), version: group.version + 1, ..group.clone() };
            let audit = Audit::done(ctx, &*self.ports.ids, "group.deleted", "group.delete", ("group", id))
                .with_payload(json!({ "before": facts(group, &present(members).collect()) }));
            Ok(Change::to(()).row(Row::Group(gone)).with([audit.into()]))
        };
        self.change_roster(ctx, "group.delete", Reading::Subjects, delete).await
    }
}
