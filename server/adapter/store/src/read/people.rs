//! Who belongs to a workspace, and who is asked to.

use async_trait::async_trait;
use entity::{invitation, tenant, tenant_member, user, workspace, workspace_member};
use kernel::context::Scope;
use kernel::port::{People, Roster, Seat, StoreError};
use kernel::record::{Digest, Invitation};
use sea_orm::sea_query::{JoinType, Query};
use sea_orm::{ColumnTrait, ConnectionTrait, DbErr, EntityTrait, QueryFilter, QueryOrder};

use super::joined::{both, columns, join, on, read};
use crate::error::reading;
use crate::row::{self, count};
use crate::store::Store;

#[async_trait]
impl People for Store {
    async fn roster(&self, scope: Scope) -> Result<Option<Roster>, StoreError> {
        roster(&self.database().reader(), scope).await.map_err(reading)
    }

    async fn list_invitations(&self, scope: Scope) -> Result<Vec<Invitation>, StoreError> {
        self.invitations(scope).await.map_err(reading)
    }

    async fn find_invitation(&self, digest: Digest) -> Result<Option<Invitation>, StoreError> {
        self.invitation(digest).await.map_err(reading)
    }
}

/// One row a seat; workspace and tenant stand on each.
async fn roster<C: ConnectionTrait>(db: &C, scope: Scope) -> Result<Option<Roster>, DbErr> {
    let mut select = Query::select();
    columns::<workspace::Entity>(&mut select);
    columns::<tenant::Entity>(&mut select);
    columns::<workspace_member::Entity>(&mut select);
    columns::<user::Entity>(&mut select);
    columns::<tenant_member::Entity>(&mut select);
    select.from(workspace::Entity);
    join(&mut select, tenant::Entity, tenant::Column::Id, workspace::Column::TenantId);
    let seat = on(workspace_member::Column::WorkspaceId, workspace::Column::Id);
    select.join(JoinType::LeftJoin, workspace_member::Entity, seat);
    select.join(JoinType::LeftJoin, user::Entity, on(user::Column::Id, workspace_member::Column::UserId));
    let member = on(tenant_member::Column::TenantId, workspace_member::Column::TenantId)
        .add(on(tenant_member::Column::UserId, workspace_member::Column::UserId));
    select.join(JoinType::LeftJoin, tenant_member::Entity, member);
    select.and_where(workspace::Column::Id.eq(scope.workspace_id.as_uuid()));
    select.and_where(workspace::Column::TenantId.eq(scope.tenant_id.as_uuid()));
    let rows = db.query_all(&select).await?;
    let Some(first) = rows.first() else { return Ok(None) };
    let tenant = read::<tenant::Entity>(first)?;
    let auth_epoch = count(tenant.auth_epoch);
    let mut seats = Vec::with_capacity(rows.len());
    for row in &rows {
        let Some((member, user)) = both::<workspace_member::Entity, user::Entity>(row)? else { continue };
        let of_tenant = row::member::in_tenant(&read::<tenant_member::Entity>(row)?)?;
        let member = row::member::in_workspace(&member)?;
        seats.push(Seat { user: row::user::record(user)?, member, tenant_role: of_tenant.role });
    }
    seats.sort_by_key(|seat| seat.user.id);
    let workspace = row::workspace::record(read::<workspace::Entity>(first)?)?;
    Ok(Some(Roster { tenant: row::tenant::record(tenant)?, auth_epoch, workspace, seats }))
}

impl Store {
    async fn invitations(&self, scope: Scope) -> Result<Vec<Invitation>, DbErr> {
        let rows = invitation::Entity::find()
            .filter(invitation::Column::TenantId.eq(scope.tenant_id.as_uuid()))
            .filter(invitation::Column::WorkspaceId.eq(scope.workspace_id.as_uuid()))
            .order_by_desc(invitation::Column::CreatedAt)
            .order_by_desc(invitation::Column::Id)
            .all(&self.database().reader())
            .await?;
        Ok(rows.into_iter().map(row::invitation::record).collect::<Result<_, _>>()?)
    }

    async fn invitation(&self, digest: Digest) -> Result<Option<Invitation>, DbErr> {
        let row = invitation::Entity::find()
            .filter(invitation::Column::Digest.eq(digest.0.to_vec()))
            .one(&self.database().reader())
            .await?;
        Ok(row.map(row::invitation::record).transpose()?)
    }
}
