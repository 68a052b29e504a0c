//! Reading saved views of lists.

use async_trait::async_trait;
use types::id::{UserId, ViewId};

use super::StoreError;
use crate::context::Scope;
use crate::record::{SavedView, ViewDefaults};

/// The views somebody sees in a workspace.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SeenViews {
    /// With which their lists open. Read before the views: whoever saves one moves this row too.
    pub defaults: Option<ViewDefaults>,
    /// Their own views and the shared ones, in no order; none that was deleted.
    pub views: Vec<SavedView>,
}

/// Reads saved views. Writing goes through the ledger.
#[async_trait]
pub trait Views: Send + Sync {
    /// What somebody sees.
    async fn list_views(&self, scope: Scope, user_id: UserId) -> Result<SeenViews, StoreError>;
    /// One view, whoever's it is, a deleted one included.
    async fn find_view(&self, scope: Scope, id: ViewId) -> Result<Option<SavedView>, StoreError>;
}
