//! Changing what a view is, which is its owner's; and whether a list opens with it, which everybody says for themselves.

use serde_json::{Value, json};
use types::id::ViewId;
use types::view::{self, UpdateView};

use super::Views;
use super::change::{Change, Seen};
use super::rules::{check_name, check_query, facts, named, not_the_owner, told};
use crate::context::OpContext;
use crate::error::Result;
use crate::ledger::Audit;
use crate::policy::guard::{authorize, authorize_rows};
use crate::record::{Row, SavedView};

impl Views {
    /// Changes a view that is still at `version`. Who only says with which view a list opens need not have seen one: that is
    /// no part of the view.
    pub async fn update_view(
        &self,
        ctx: &OpContext,
        id: ViewId,
        version: Option<u64>,
        command: &UpdateView,
    ) -> Result<view::SavedView> {
        let update = |ctx: &OpContext, seen: &Seen| self.decide_update(ctx, seen, id, version, command);
        let (view, is_default) = self.change(ctx, update).await?;
        self.show(&view, is_default).await
    }

    fn decide_update(
        &self,
        ctx: &OpContext,
        seen: &Seen,
        id: ViewId,
        version: Option<u64>,
        command: &UpdateView,
    ) -> Result<Change<(SavedView, bool)>> {
        authorize_rows(ctx, "view.save")?;
        let present = seen.find(id)?;
        let was_default = seen.is_default(present);
        let is_default = command.default.unwrap_or(was_default);
        let changes_view = command.name.is_some() || command.query.is_some() || command.shared.is_some();
        if changes_view && present.owner_id != seen.user_id {
            return Err(not_the_owner());
        }
        let wish = changed(ctx, present, command)?;
        let (before, after) = (facts(present), facts(&wish));
        if changes_view || version.is_some() {
            let (seen, asked) = (json!([before, was_default]), json!([after, is_default]));
            if !ctx.must_change(version, present.version, &seen, &asked)? {
                return Ok(Change::to((present.clone(), was_default)));
            }
        }
        let mut change = Change::to((if before == after { present.clone() } else { wish.clone() }, is_default));
        if is_default != was_default {
            change = change.row(seen.defaults_with(ctx, present.page, is_default.then_some(id)));
        }
        if before == after {
            return Ok(change);
        }
        // What everybody sees is changed by who may show them something.
        if wish.shared {
            authorize(ctx, "view.share")?;
        }
        check_name(seen, &wish)?;
        let payload = if present.shared || wish.shared {
            json!({ "before": told(present), "after": told(&wish) })
        } else {
            json!({ "page": wish.page, "shared": false, "changed": differing(&before, &after) })
        };
        let audit = Audit::done(ctx, &*self.ports.ids, "view.updated", "view.save", ("view", id)).with_payload(payload);
        Ok(change.row(Row::SavedView(wish)).op(audit.into()))
    }
}

/// The view after a command.
fn changed(ctx: &OpContext, present: &SavedView, command: &UpdateView) -> Result<SavedView> {
    let mut wish = SavedView { updated_at: ctx.now, version: present.version + 1, ..present.clone() };
    if let Some(name) = &command.name {
        (wish.name, wish.name_key) = named(name)?;
    }
    if let Some(query) = &command.query {
        check_query(query)?;
        wish.query.clone_from(query);
    }
    wish.shared = command.shared.unwrap_or(present.shared);
    Ok(wish)
}

/// Which members of two documents differ.
fn differing(before: &Value, after: &Value) -> Vec<String> {
    let members = before.as_object().into_iter().flatten();
    members.filter(|(name, value)| after.get(name.as_str()) != Some(value)).map(|(name, _)| name.clone()).collect()
}
