//! Saved views of lists.

use async_trait::async_trait;
use entity::{saved_view, user, view_defaults};
use kernel::context::Scope;
use kernel::port::{SeenViews, StoreError, Views};
use kernel::record::SavedView;
use sea_orm::sea_query::{Alias, Expr, ExprTrait, JoinType, Query};
use sea_orm::{ColumnTrait, Condition, ConnectionTrait, DbErr, EntityTrait, QueryFilter, Select};
use types::id::{UserId, ViewId};
use types::name::Name;

use super::joined::{columns, maybe, on};
use crate::error::reading;
use crate::row;
use crate::store::Store;

/// The table of users a second time: the owners of views.
const OWNER: &str = "owner";
/// What an owner is called.
const OWNER_NAME: &str = "owner_name";

#[async_trait]
impl Views for Store {
    async fn list_views(&self, scope: Scope, user_id: UserId) -> Result<SeenViews, StoreError> {
        seen(&self.database().reader(), scope, user_id).await.map_err(reading)
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

/// By one statement, so at one moment: a row a view, and one without any where the reader sees none.
async fn seen<C: ConnectionTrait>(db: &C, scope: Scope, user_id: UserId) -> Result<SeenViews, DbErr> {
    let (tenant_id, workspace_id) = (scope.tenant_id.as_uuid(), scope.workspace_id.as_uuid());
    let owner = |column: user::Column| Expr::col((Alias::new(OWNER), column));
    let mut select = Query::select();
    columns::<view_defaults::Entity>(&mut select);
    columns::<saved_view::Entity>(&mut select);
    select.expr_as(owner(user::Column::Name), Alias::new(OWNER_NAME)).from(user::Entity);
    let of_reader = on(view_defaults::Column::UserId, user::Column::Id)
        .add(view_defaults::Column::TenantId.eq(tenant_id))
        .add(view_defaults::Column::WorkspaceId.eq(workspace_id));
    select.join(JoinType::LeftJoin, view_defaults::Entity, of_reader);
    let visible = Condition::any()
        .add(saved_view::Column::OwnerId.eq(user_id.as_uuid()))
        .add(saved_view::Column::Shared.eq(true));
    let living = Condition::all()
        .add(saved_view::Column::TenantId.eq(tenant_id))
        .add(saved_view::Column::WorkspaceId.eq(workspace_id))
        .add(saved_view::Column::DeletedAt.is_null())
        .add(visible);
    select.join(JoinType::LeftJoin, saved_view::Entity, living);
    let of_view = owner(user::Column::Id).equals(saved_view::Column::OwnerId.as_column_ref());
    select.join_as(JoinType::LeftJoin, user::Entity, Alias::new(OWNER), of_view);
    select.and_where(user::Column::Id.eq(user_id.as_uuid()));
    let mut seen = SeenViews::default();
    for row in db.query_all(&select).await? {
        let defaults = maybe::<view_defaults::Entity>(&row)?;
        seen.defaults = defaults.map(row::view_defaults::record).transpose()?;
        let Some(view) = maybe::<saved_view::Entity>(&row)? else { continue };
        let view = row::saved_view::record(view)?;
        if let Some(name) = row.try_get::<Option<String>>("", OWNER_NAME)? {
            seen.owners.insert(view.owner_id, row::word::<Name>(&name, "users.name")?);
        }
        seen.views.push(view);
    }
    Ok(seen)
}

impl Store {
    async fn saved_view(&self, scope: Scope, id: ViewId) -> Result<Option<SavedView>, DbErr> {
        let id = saved_view::Column::Id.eq(id.as_uuid());
        let row = within(scope).filter(id).one(&self.database().reader()).await?;
        Ok(row.map(row::saved_view::record).transpose()?)
    }
}
