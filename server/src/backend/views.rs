//! Saved views of lists.

use app::backend::{Answer, Views};
use async_trait::async_trait;
use types::id::{FormKey, ViewId};
use types::name::Slug;
use types::view::{CreateView, SavedView, UpdateView, ViewPage};

use super::{Visitor, gone};

#[async_trait]
impl Views for Visitor {
    async fn list_views(&self, workspace: &Slug, page: ViewPage) -> Answer<Vec<SavedView>> {
        let listed = async { self.app.views.list_views(&self.enter(workspace).await?, Some(page)).await };
        self.answer(listed.await)
    }

    async fn create_view(&self, workspace: &Slug, form_key: Option<FormKey>, command: CreateView) -> Answer<SavedView> {
        let created = async {
            let ctx = self.enter_with(workspace, form_key).await?;
            self.app.views.create_view(&ctx, &command).await
        };
        self.answer(created.await)
    }

    async fn update_view(
        &self,
        workspace: &Slug,
        id: ViewId,
        version: Option<u64>,
        command: UpdateView,
    ) -> Answer<SavedView> {
        let updated = async {
            let ctx = self.enter(workspace).await?;
            let version = match version {
                Some(version) => version,
                None => self.app.views.find_view(&ctx, id).await?.version,
            };
            self.app.views.update_view(&ctx, id, Some(version), &command).await
        };
        self.answer(updated.await)
    }

    async fn delete_view(&self, workspace: &Slug, id: ViewId) -> Answer<()> {
        let deleted = async {
            let ctx = self.enter(workspace).await?;
            gone(self.app.views.delete_view(&ctx, id).await)
        };
        self.answer(deleted.await)
    }
}
