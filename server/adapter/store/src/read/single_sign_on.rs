//! Connections to identity providers, what is linked by them, and the sessions they opened.

use async_trait::async_trait;
use entity::{session, sso_connection, sso_link, sso_logout, sso_session, tenant, workspace};
use kernel::ledger::Durability;
use kernel::port::{SingleSignOn, StoreError};
use kernel::record::{Session, SsoConnection, SsoLink, Workspace};
use sea_orm::sea_query::{LockBehavior, LockType, Query};
use sea_orm::{ColumnTrait, DbErr, EntityTrait, QueryFilter, QueryOrder, QuerySelect, Select};
use types::id::{SsoConnectionId, SsoLinkId, TenantId, UserId, Uuid};

use super::process::clock;
use crate::error::reading;
use crate::row;
use crate::store::Store;

#[async_trait]
impl SingleSignOn for Store {
    async fn list_connections(&self, tenants: &[TenantId]) -> Result<Vec<SsoConnection>, StoreError> {
        let tenants = tenants.iter().map(|id| id.as_uuid());
        let select = sso_connection::Entity::find().filter(sso_connection::Column::TenantId.is_in(tenants));
        self.connections(select).await.map_err(reading)
    }

    async fn list_offered(&self, limit: u32) -> Result<Vec<SsoConnection>, StoreError> {
        let active = Query::select()
            .column(tenant::Column::Id)
            .from(tenant::Entity)
            .and_where(tenant::Column::Active.eq(true))
            .take();
        let select = sso_connection::Entity::find().filter(sso_connection::Column::TenantId.in_subquery(active));
        self.connections(select.limit(u64::from(limit))).await.map_err(reading)
    }

    async fn find_connection(&self, id: SsoConnectionId) -> Result<Option<SsoConnection>, StoreError> {
        let select = sso_connection::Entity::find_by_id(id.as_uuid());
        Ok(self.connections(select).await.map_err(reading)?.into_iter().next())
    }

    async fn list_tenant_workspaces(&self, tenant_id: TenantId) -> Result<Vec<Workspace>, StoreError> {
        self.active_workspaces(tenant_id).await.map_err(reading)
    }

    async fn find_link(&self, issuer: &str, subject: &str) -> Result<Option<SsoLink>, StoreError> {
        let select = sso_link::Entity::find()
            .filter(sso_link::Column::Issuer.eq(issuer))
            .filter(sso_link::Column::Subject.eq(subject));
        Ok(self.links(select).await.map_err(reading)?.into_iter().next())
    }

    async fn list_links(&self, user_id: UserId) -> Result<Vec<SsoLink>, StoreError> {
        let select = sso_link::Entity::find().filter(sso_link::Column::UserId.eq(user_id.as_uuid()));
        self.links(select).await.map_err(reading)
    }

    async fn list_opened(
        &self,
        connection_id: SsoConnectionId,
        link: Option<SsoLinkId>,
        sid: Option<&str>,
    ) -> Result<Vec<Session>, StoreError> {
        self.opened(connection_id, link, sid).await.map_err(reading)
    }

    async fn prune_logouts(&self, limit: u32) -> Result<u64, StoreError> {
        self.forget_logouts(limit).await.map_err(reading)
    }
}

impl Store {
    /// Those that were not deleted, oldest first.
    async fn connections(&self, select: Select<sso_connection::Entity>) -> Result<Vec<SsoConnection>, DbErr> {
        let rows = select
            .filter(sso_connection::Column::DeletedAt.is_null())
            .order_by_asc(sso_connection::Column::CreatedAt)
            .order_by_asc(sso_connection::Column::Id)
            .all(&self.database().reader())
            .await?;
        Ok(rows.into_iter().map(row::sso_connection::record).collect::<Result<_, _>>()?)
    }

    /// Those that were not removed, oldest first.
    async fn links(&self, select: Select<sso_link::Entity>) -> Result<Vec<SsoLink>, DbErr> {
        let rows = select
            .filter(sso_link::Column::RemovedAt.is_null())
            .order_by_asc(sso_link::Column::CreatedAt)
            .order_by_asc(sso_link::Column::Id)
            .all(&self.database().reader())
            .await?;
        Ok(rows.into_iter().map(row::sso_link::record).collect::<Result<_, _>>()?)
    }

    async fn active_workspaces(&self, tenant_id: TenantId) -> Result<Vec<Workspace>, DbErr> {
        let rows = workspace::Entity::find()
            .filter(workspace::Column::TenantId.eq(tenant_id.as_uuid()))
            .filter(workspace::Column::Archived.eq(false))
            .order_by_asc(workspace::Column::CreatedAt)
            .order_by_asc(workspace::Column::Id)
            .all(&self.database().reader())
            .await?;
        Ok(rows.into_iter().map(row::workspace::record).collect::<Result<_, _>>()?)
    }

    async fn opened(
        &self,
        connection_id: SsoConnectionId,
        link: Option<SsoLinkId>,
        sid: Option<&str>,
    ) -> Result<Vec<Session>, DbErr> {
        use sso_session::Column;
        let mut named = Query::select();
        named.column(Column::SessionId).from(sso_session::Entity);
        named.and_where(Column::ConnectionId.eq(connection_id.as_uuid()));
        if let Some(link) = link {
            named.and_where(Column::LinkId.eq(link.as_uuid()));
        }
        if let Some(sid) = sid {
            named.and_where(Column::Sid.eq(sid));
        }
        let rows = session::Entity::find()
            .filter(session::Column::Id.in_subquery(named))
            .filter(session::Column::EndedAt.is_null())
            .order_by_asc(session::Column::Id)
            .all(&self.database().reader())
            .await?;
        Ok(rows.into_iter().map(row::session::record).collect::<Result<_, _>>()?)
    }

    async fn forget_logouts(&self, limit: u32) -> Result<u64, DbErr> {
        use sso_logout::{Column, Entity};
        let transaction = self.database().begin(Durability::Process).await?;
        let db = transaction.session();
        let over: Vec<Uuid> = Entity::find()
            .select_only()
            .column(Column::Id)
            .filter(Column::ExpiresAt.lte(clock(db).await?))
            .order_by_asc(Column::ExpiresAt)
            .limit(u64::from(limit))
            .lock_with_behavior(LockType::Update, LockBehavior::SkipLocked)
            .into_tuple()
            .all(db)
            .await?;
        let forgotten = over.len() as u64;
        Entity::delete_many().filter(Column::Id.is_in(over)).exec(db).await?;
        transaction.commit().await?;
        Ok(forgotten)
    }
}
