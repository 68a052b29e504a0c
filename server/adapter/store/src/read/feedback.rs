//! What people say of runs.

use async_trait::async_trait;
use entity::feedback::{Column, Entity};
use entity::user;
use kernel::context::Scope;
use kernel::port::{Feedbacks, Said, StoreError};
use kernel::record::Feedback;
use sea_orm::sea_query::{JoinType, Order, Query};
use sea_orm::{ColumnTrait, ConnectionTrait, DbErr, EntityTrait, QueryFilter, QueryResult, Select};
use types::id::{RunId, UserId};

use super::joined::{columns, maybe, on, read};
use crate::error::reading;
use crate::row;
use crate::store::Store;

#[async_trait]
impl Feedbacks for Store {
    async fn list_feedback(&self, scope: Scope, run_id: RunId) -> Result<Vec<Said>, StoreError> {
        said(&self.database().reader(), scope, run_id).await.map_err(reading)
    }

    async fn find_feedback(&self, scope: Scope, run_id: RunId, by: UserId) -> Result<Option<Feedback>, StoreError> {
        let own = of_run(scope, run_id).filter(Column::UserId.eq(by.as_uuid()));
        let row = own.one(&self.database().reader()).await.map_err(reading)?;
        row.map(row::feedback::record).transpose().map_err(|corrupt| reading(corrupt.into()))
    }
}

/// Newest first, each with the name of who says it.
async fn said<C: ConnectionTrait>(db: &C, scope: Scope, run_id: RunId) -> Result<Vec<Said>, DbErr> {
    let mut select = Query::select();
    columns::<Entity>(&mut select);
    columns::<user::Entity>(&mut select);
    select
        .from(Entity)
        .join(JoinType::LeftJoin, user::Entity, on(user::Column::Id, Column::UserId))
        .and_where(Column::RunId.eq(run_id.as_uuid()))
        .and_where(Column::TenantId.eq(scope.tenant_id.as_uuid()))
        .and_where(Column::WorkspaceId.eq(scope.workspace_id.as_uuid()))
        .order_by(Column::UpdatedAt.as_column_ref(), Order::Desc)
        .order_by(Column::Id.as_column_ref(), Order::Desc);
    let one = |row: QueryResult| {
        let user = maybe::<user::Entity>(&row)?.map(row::user::record).transpose()?;
        Ok(Said { feedback: row::feedback::record(read::<Entity>(&row)?)?, user: user.map(|user| user.name) })
    };
    db.query_all(&select).await?.into_iter().map(one).collect()
}

fn of_run(scope: Scope, run_id: RunId) -> Select<Entity> {
    Entity::find()
        .filter(Column::RunId.eq(run_id.as_uuid()))
        .filter(Column::TenantId.eq(scope.tenant_id.as_uuid()))
        .filter(Column::WorkspaceId.eq(scope.workspace_id.as_uuid()))
}
