//! Reading views: one's own and those others share.

use std::collections::{BTreeMap, BTreeSet};

use types::id::{UserId, ViewId};
use types::name::Name;
use types::view::{self, ViewPage};

use super::Views;
use crate::context::OpContext;
use crate::error::Result;
use crate::policy::guard::authorize_rows;
use crate::record::SavedView;

impl Views {
    /// The views the caller sees, of one list or of all, by name.
    pub async fn list_views(&self, ctx: &OpContext, page: Option<ViewPage>) -> Result<Vec<view::SavedView>> {
        authorize_rows(ctx, "view.list")?;
        let seen = self.see(ctx).await?;
        let mut wanted: Vec<&SavedView> = seen.views.iter().collect();
        wanted.retain(|view| page.is_none_or(|page| view.page == page));
        wanted.sort_by(|one, other| (&one.name_key, one.id).cmp(&(&other.name_key, other.id)));
        Ok(wanted.into_iter().map(|view| shown(view, seen.is_default(view), &seen.owners)).collect())
    }

    /// One view.
    pub async fn find_view(&self, ctx: &OpContext, id: ViewId) -> Result<view::SavedView> {
        authorize_rows(ctx, "view.read")?;
        let seen = self.see(ctx).await?;
        let view = seen.find(id)?;
        Ok(shown(view, seen.is_default(view), &seen.owners))
    }

    /// A view as its reader sees it.
    pub(super) async fn show(&self, view: &SavedView, is_default: bool) -> Result<view::SavedView> {
        let owners = self.owners([view.owner_id]).await?;
        Ok(shown(view, is_default, &owners))
    }

    /// The names of owners. Whoever sees a view may know whose it is: everybody sees who belongs to the workspace.
    async fn owners(&self, ids: impl IntoIterator<Item = UserId>) -> Result<BTreeMap<UserId, Name>> {
        let ids: BTreeSet<UserId> = ids.into_iter().collect();
        if ids.is_empty() {
            return Ok(BTreeMap::new());
        }
        let users = self.ports.directory.list_users(&ids).await?;
        Ok(users.into_iter().map(|user| (user.id, user.name)).collect())
    }
}

fn shown(view: &SavedView, is_default: bool, owners: &BTreeMap<UserId, Name>) -> view::SavedView {
    view::SavedView {
        id: view.id,
        page: view.page,
        name: view.name.clone(),
        query: view.query.clone(),
        shared: view.shared,
        default: is_default,
        owner_id: view.owner_id,
        owner: owners.get(&view.owner_id).cloned(),
        version: view.version,
    }
}
