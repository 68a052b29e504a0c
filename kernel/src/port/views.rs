//! Reading saved views of lists.

use std::collections::BTreeMap;

use async_trait::async_trait;
use types::id::{UserId, ViewId};
use types::name::Name;

use super::StoreError;
use crate::context::Scope;
use crate::record::{SavedView, ViewDefaults};

/// The views somebody sees in a workspace.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SeenViews {
    /// With which their lists open, as it stood when the views were read.
    pub defaults: Option<ViewDefaults>,
    /// Their own views and the shared ones, in no order; none that was deleted.
    pub views: Vec<SavedView>,
    /// What their owners are called.
    pub owners: BTreeMap<UserId, Name>,
}

/// Reads saved views. Writing goes through the ledger.
#[async_trait]
pub trait Views: Send + Sync {
    /// What somebody sees, read at one moment: whoever decides on views and defaults overlooks none.
    async fn list_views(&self, scope: Scope, user_id: UserId) -> Result<SeenViews, StoreError>;
    /// One view, whoever's it is, a deleted one included.
    async fn find_view(&self, scope: Scope, id: ViewId) -> Result<Option<SavedView>, StoreError>;
}
