//! Reading saved views.

use async_trait::async_trait;
use kernel::context::Scope;
use kernel::port::{SeenViews, StoreError, Views};
use kernel::record::{Row, SavedView};
use types::id::{UserId, ViewId};

use super::store::{FakeStore, rows};

#[async_trait]
impl Views for FakeStore {
    async fn list_views(&self, scope: Scope, user_id: UserId) -> Result<SeenViews, StoreError> {
        let rows = self.rows();
        let own = |view: &&SavedView| view.scope == scope && (view.owner_id == user_id || view.shared);
        let views: Vec<SavedView> =
            rows!(rows, SavedView).filter(own).filter(|view| view.deleted_at.is_none()).cloned().collect();
        let defaults = rows!(rows, ViewDefaults).find(|row| (row.scope, row.user_id) == (scope, user_id)).cloned();
        let owns = |id: UserId| views.iter().any(|view| view.owner_id == id);
        let owners = rows!(rows, User).filter(|user| owns(user.id)).map(|user| (user.id, user.name.clone())).collect();
        Ok(SeenViews { defaults, views, owners })
    }

    async fn find_view(&self, scope: Scope, id: ViewId) -> Result<Option<SavedView>, StoreError> {
        Ok(rows!(self.rows(), SavedView).find(|view| view.scope == scope && view.id == id).cloned())
    }
}
