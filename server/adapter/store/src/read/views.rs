//! Saved views of lists.

use async_trait::async_trait;
use entity::{saved_view, view_defaults};
use kernel::context::Scope;
use kernel::port::{SeenViews, StoreError, Views};
use kernel::record::{SavedView, ViewDefaults};
use sea_orm::{ColumnTrait, Condition, DbErr, EntityTrait, QueryFilter, Select};
use types::id::{UserId, ViewId};

use crate::error::reading;
use crate::row;
use crate::store::Store;

#[async_trait]
impl Views for Store {
    async fn list_views(&self, scope: Scope, user_id: UserId) -> Result<SeenViews, StoreError> {
        // In this order: whoever saves a view moves the defaults too, so none is overlooked by who decides on both.
        let defaults = self.view_defaults(scope, user_id).await.map_err(reading)?;
        let views = self.seen_views(scope, user_id).await.map_err(reading)?;
        Ok(SeenViews { defaults, views })
    }

    async fn find_view(&self, scope: Scope, id: ViewId) -> Result<Option<SavedView>, StoreError> {
        self.saved_view(scope, id).await.map_err(reading)
    }
}

/// Views of a workspace.
fn within(scope: Scope) -> Select<saved_view::Entity> {
    saved_view::Entity::find()
        .filter(saved_view::Column::TenantId.eq(scope.tenant_id.as_uuid()))
        .filter(saved_view::Column::WorkspaceId.eq(scope.workspace_id.as_uuid()))
}

impl Store {
    async fn view_defaults(&self, scope: Scope, user_id: UserId) -> Result<Option<ViewDefaults>, DbErr> {
        let row = view_defaults::Entity::find()
            .filter(view_defaults::Column::TenantId.eq(scope.tenant_id.as_uuid()))
            .filter(view_defaults::Column::WorkspaceId.eq(scope.workspace_id.as_uuid()))
            .filter(view_defaults::Column::UserId.eq(user_id.as_uuid()))
            .one(&self.database().reader())
            .await?;
        Ok(row.map(row::view_defaults::record).transpose()?)
    }

    async fn seen_views(&self, scope: Scope, user_id: UserId) -> Result<Vec<SavedView>, DbErr> {
        let seen = Condition::any()
            .add(saved_view::Column::OwnerId.eq(user_id.as_uuid()))
            .add(saved_view::Column::Shared.eq(true));
        let living = saved_view::Column::DeletedAt.is_null();
        let rows = within(scope).filter(living).filter(seen).all(&self.database().reader()).await?;
        Ok(rows.into_iter().map(row::saved_view::record).collect::<Result<_, _>>()?)
    }

    async fn saved_view(&self, scope: Scope, id: ViewId) -> Result<Option<SavedView>, DbErr> {
        let id = saved_view::Column::Id.eq(id.as_uuid());
        let row = within(scope).filter(id).one(&self.database().reader()).await?;
        Ok(row.map(row::saved_view::record).transpose()?)
    }
}
