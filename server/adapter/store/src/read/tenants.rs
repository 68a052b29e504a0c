//! Tenants as a whole, and the instance's accounts.

use async_trait::async_trait;
use entity::{tenant, tenant_member, user, workspace};
use kernel::context::Scope;
use kernel::port::{StoreError, TenantRoster, Tenants};
use kernel::record::{Tenant, User};
use sea_orm::sea_query::Query;
use sea_orm::{ColumnTrait, Condition, ConnectionTrait, DbErr, EntityTrait, QueryFilter, QueryOrder, QuerySelect};
use types::id::{TenantId, UserId, Uuid, WorkspaceId};

use super::joined::{columns, join, read};
use crate::dialect::contains;
use crate::error::reading;
use crate::row::{self, count};
use crate::store::Store;

#[async_trait]
impl Tenants for Store {
    async fn tenant_roster(&self, id: TenantId) -> Result<Option<TenantRoster>, StoreError> {
        let moment = self.database().snapshot().await.map_err(reading)?;
        roster(&moment, id).await.map_err(reading)
    }

    async fn list_tenants(&self, after: Option<TenantId>, limit: u32) -> Result<Vec<Tenant>, StoreError> {
        self.tenants(after, limit).await.map_err(reading)
    }

    async fn list_accounts(&self, q: Option<&str>, after: Option<UserId>, limit: u32) -> Result<Vec<User>, StoreError> {
        self.accounts_of(q, after, limit).await.map_err(reading)
    }

    async fn find_workspace_home(&self, id: WorkspaceId) -> Result<Option<Scope>, StoreError> {
        let row = workspace::Entity::find_by_id(id.as_uuid()).one(&self.database().reader()).await.map_err(reading)?;
        Ok(row.map(|row| row::scope(row.tenant_id, row.id)))
    }
}

async fn roster<C: ConnectionTrait>(db: &C, id: TenantId) -> Result<Option<TenantRoster>, DbErr> {
    let Some(tenant) = tenant::Entity::find_by_id(id.as_uuid()).filter(known()).one(db).await? else {
        return Ok(None);
    };
    let mut select = Query::select();
    columns::<tenant_member::Entity>(&mut select);
    columns::<user::Entity>(&mut select);
    select.from(tenant_member::Entity);
    join(&mut select, user::Entity, user::Column::Id, tenant_member::Column::UserId);
    select.and_where(tenant_member::Column::TenantId.eq(id.as_uuid()));
    let mut places = Vec::new();
    for row in &db.query_all(&select).await? {
        let member = row::member::in_tenant(&read::<tenant_member::Entity>(row)?)?;
        places.push((row::user::record(read::<user::Entity>(row)?)?, member));
    }
    places.sort_by_key(|(user, _)| user.id);
    let workspaces = workspace::Entity::find()
        .filter(workspace::Column::TenantId.eq(id.as_uuid()))
        .order_by_asc(workspace::Column::Id)
        .all(db)
        .await?;
    Ok(Some(TenantRoster {
        auth_epoch: count(tenant.auth_epoch),
        tenant: row::tenant::record(tenant)?,
        places,
        workspaces: workspaces.into_iter().map(row::workspace::record).collect::<Result<_, _>>()?,
    }))
}

/// Tenants that are there: neither deleted nor the instance's own.
fn known() -> Condition {
    Condition::all().add(tenant::Column::DeletedAt.is_null()).add(tenant::Column::Id.ne(Uuid::nil()))
}

impl Store {
    async fn tenants(&self, after: Option<TenantId>, limit: u32) -> Result<Vec<Tenant>, DbErr> {
        let rows = tenant::Entity::find()
            .filter(known().add_option(after.map(|id| tenant::Column::Id.gt(id.as_uuid()))))
            .order_by_asc(tenant::Column::Id)
            .limit(u64::from(limit))
            .all(&self.database().reader())
            .await?;
        Ok(rows.into_iter().map(row::tenant::record).collect::<Result<_, _>>()?)
    }

    async fn accounts_of(&self, q: Option<&str>, after: Option<UserId>, limit: u32) -> Result<Vec<User>, DbErr> {
        let holds = q.map(|q| contains(self.database().backend(), user::Column::EmailKey, q));
        let matching = Condition::all().add_option(holds).add_option(after.map(|id| user::Column::Id.gt(id.as_uuid())));
        let rows = user::Entity::find()
            .filter(matching)
            .order_by_asc(user::Column::Id)
            .limit(u64::from(limit))
            .all(&self.database().reader())
            .await?;
        Ok(rows.into_iter().map(row::user::record).collect::<Result<_, _>>()?)
    }
}
