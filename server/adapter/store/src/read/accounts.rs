//! Accounts as a whole instance has them.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use entity::{tenant, tenant_member, user, workspace};
use kernel::context::Scope;
use kernel::port::{Accounts, StoreError};
use kernel::record::User;
use sea_orm::{ColumnTrait, DbErr, EntityTrait, QueryFilter, QueryOrder, QuerySelect};
use types::id::{TenantId, UserId, Uuid};
use types::identity::TenantRole;
use types::name::Slug;

use crate::error::reading;
use crate::purge::callers_held;
use crate::row;
use crate::store::Store;

#[async_trait]
impl Accounts for Store {
    async fn list_due_closures(&self, now: DateTime<Utc>, limit: u32) -> Result<Vec<UserId>, StoreError> {
        self.due_closures(now, limit).await.map_err(reading)
    }

    async fn list_tenant_owners(&self, tenant_id: TenantId) -> Result<Vec<User>, StoreError> {
        self.tenant_owners(tenant_id).await.map_err(reading)
    }

    async fn find_scope(&self, tenant: &Slug, workspace: &Slug) -> Result<Option<Scope>, StoreError> {
        self.workspace_of(tenant, workspace).await.map_err(reading)
    }
}

impl Store {
    /// Without those that a legal hold names: they are as they are until it is released.
    async fn due_closures(&self, now: DateTime<Utc>, limit: u32) -> Result<Vec<UserId>, DbErr> {
        let db = &self.database().reader();
        let held: Vec<Option<String>> = callers_held().into_tuple().all(db).await?;
        let held = held.iter().flatten().filter_map(|id| id.parse::<UserId>().ok());
        let ids: Vec<Uuid> = user::Entity::find()
            .select_only()
            .column(user::Column::Id)
            .filter(user::Column::ClosesAt.lte(now))
            .filter(user::Column::Id.is_not_in(held.map(|id| id.as_uuid())))
            .order_by_asc(user::Column::ClosesAt)
            .limit(u64::from(limit))
            .into_tuple()
            .all(db)
            .await?;
        Ok(ids.into_iter().map(UserId::from_uuid).collect())
    }

    async fn tenant_owners(&self, tenant_id: TenantId) -> Result<Vec<User>, DbErr> {
        let db = &self.database().reader();
        let ids: Vec<Uuid> = tenant_member::Entity::find()
            .select_only()
            .column(tenant_member::Column::UserId)
            .filter(tenant_member::Column::TenantId.eq(tenant_id.as_uuid()))
            .filter(tenant_member::Column::Role.eq(TenantRole::Owner.as_str()))
            .filter(tenant_member::Column::RemovedAt.is_null())
            .into_tuple()
            .all(db)
            .await?;
        let rows = user::Entity::find().filter(user::Column::Id.is_in(ids)).order_by_asc(user::Column::Id).all(db);
        Ok(rows.await?.into_iter().map(row::user::record).collect::<Result<_, _>>()?)
    }

    async fn workspace_of(&self, tenant: &Slug, workspace: &Slug) -> Result<Option<Scope>, DbErr> {
        let db = &self.database().reader();
        let Some(tenant) = tenant::Entity::find().filter(tenant::Column::Slug.eq(tenant.as_str())).one(db).await?
        else {
            return Ok(None);
        };
        let here = workspace::Entity::find().filter(workspace::Column::TenantId.eq(tenant.id));
        let row = here.filter(workspace::Column::Slug.eq(workspace.as_str())).one(db).await?;
        Ok(row.map(|row| row::scope(row.tenant_id, row.id)))
    }
}
