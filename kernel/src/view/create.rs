//! Saving a view.

use serde_json::json;
use types::problem::Code;
use types::view::{self, CreateView};

use super::Views;
use super::change::{Change, Seen};
use super::rules::{MOST_VIEWS, check_name, check_query, named, person, told};
use crate::context::OpContext;
use crate::error::{Error, Result};
use crate::ledger::Audit;
use crate::policy::guard::{authorize, authorize_rows};
use crate::record::{Row, SavedView};

impl Views {
    /// Saves a view of the caller's own. The same form sent again finds it, as it is by then.
    pub async fn create_view(&self, ctx: &OpContext, command: &CreateView) -> Result<view::SavedView> {
        authorize_rows(ctx, "view.save")?;
        check_query(&command.query)?;
        let (name, name_key) = named(&command.name)?;
        let draft = SavedView {
            id: ctx.new_id(&*self.ports.ids, "view.save", command)?,
            scope: ctx.scope,
            owner_id: person(ctx)?,
            page: command.page,
            name,
            name_key,
            query: command.query.clone(),
            shared: command.shared,
            created_at: ctx.now,
            updated_at: ctx.now,
            deleted_at: None,
            version: 1,
        };
        if ctx.form_key.is_some() {
            let made = self.ports.views.find_view(ctx.scope, draft.id).await?;
            if made.is_some_and(|view| view.deleted_at.is_some()) {
                return Err(Error::new(Code::NotFound, "the view of this form was deleted, save another"));
            }
        }
        let create = |ctx: &OpContext, seen: &Seen| self.decide_create(ctx, seen, &draft, command.default);
        let (view, is_default) = self.change(ctx, create).await?;
        self.show(&view, is_default).await
    }

    fn decide_create(
        &self,
        ctx: &OpContext,
        seen: &Seen,
        draft: &SavedView,
        is_default: bool,
    ) -> Result<Change<(SavedView, bool)>> {
        authorize_rows(ctx, "view.save")?;
        if draft.shared {
            authorize(ctx, "view.share")?;
        }
        if let Ok(made) = seen.find(draft.id) {
            return Ok(Change::to((made.clone(), seen.is_default(made))));
        }
        if seen.own().count() >= MOST_VIEWS {
            let detail = format!("you have {MOST_VIEWS} saved views in this workspace, delete one first");
            return Err(Error::new(Code::QuotaExceeded, detail));
        }
        check_name(seen, draft)?;
        let audit = Audit::done(ctx, &*self.ports.ids, "view.created", "view.save", ("view", draft.id))
            .with_payload(json!({ "after": told(draft) }));
        // Written also where no default changes: so that of two views saved at once the second is counted with the first.
        let default = if is_default { Some(draft.id) } else { seen.default_of(draft.page) };
        let defaults = seen.defaults_with(ctx, draft.page, default);
        let change = Change::to((draft.clone(), is_default));
        Ok(change.row(Row::SavedView(draft.clone())).row(defaults).op(audit.into()))
    }
}
