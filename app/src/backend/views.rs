//! Saved views of lists.

use async_trait::async_trait;
use types::id::{FormKey, ViewId};
use types::name::Slug;
use types::view::{CreateView, SavedView, UpdateView, ViewPage};

use super::Answer;

/// Saved views of lists, one's own and those others share.
#[async_trait]
pub trait Views: Send + Sync {
    /// Those of one list, by name.
    async fn list_views(&self, workspace: &Slug, page: ViewPage) -> Answer<Vec<SavedView>>;

    /// Saves one.
    async fn create_view(&self, workspace: &Slug, form_key: Option<FormKey>, command: CreateView) -> Answer<SavedView>;

    /// Changes one that is still at `version`; without one, as it is.
    async fn update_view(
        &self,
        workspace: &Slug,
        id: ViewId,
        version: Option<u64>,
        command: UpdateView,
    ) -> Answer<SavedView>;

    /// Deletes one.
    async fn delete_view(&self, workspace: &Slug, id: ViewId) -> Answer<()>;
}
