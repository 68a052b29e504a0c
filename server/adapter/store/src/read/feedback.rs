//! What people say of runs.

use async_trait::async_trait;
use entity::feedback::{Column, Entity};
use kernel::context::Scope;
use kernel::port::{Feedbacks, StoreError};
use kernel::record::Feedback;
use sea_orm::{ColumnTrait, DbErr, EntityTrait, QueryFilter, QueryOrder, Select};
use types::id::{RunId, UserId};

use crate::error::reading;
use crate::row;
use crate::store::Store;

#[async_trait]
impl Feedbacks for Store {
    async fn list_feedback(&self, scope: Scope, run_id: RunId) -> Result<Vec<Feedback>, StoreError> {
        let newest = of_run(scope, run_id).order_by_desc(Column::UpdatedAt).order_by_desc(Column::Id);
        self.feedback(newest).await.map_err(reading)
    }

    async fn find_feedback(&self, scope: Scope, run_id: RunId, by: UserId) -> Result<Option<Feedback>, StoreError> {
        let own = of_run(scope, run_id).filter(Column::UserId.eq(by.as_uuid()));
        Ok(self.feedback(own).await.map_err(reading)?.pop())
    }
}

impl Store {
    async fn feedback(&self, wanted: Select<Entity>) -> Result<Vec<Feedback>, DbErr> {
        let rows = wanted.all(&self.database().reader()).await?;
        Ok(rows.into_iter().map(row::feedback::record).collect::<Result<_, _>>()?)
    }
}

fn of_run(scope: Scope, run_id: RunId) -> Select<Entity> {
    Entity::find()
        .filter(Column::RunId.eq(run_id.as_uuid()))
        .filter(Column::TenantId.eq(scope.tenant_id.as_uuid()))
        .filter(Column::WorkspaceId.eq(scope.workspace_id.as_uuid()))
}
