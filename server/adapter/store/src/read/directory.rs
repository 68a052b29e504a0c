//! Identities.

use std::collections::BTreeSet;

use async_trait::async_trait;
use entity::{api_key, api_key_secret, login_throttle, session, tenant, tenant_member, user, workspace};
use kernel::context::Scope;
use kernel::port::{Account, Directory, KeyLookup, Named, NamedIds, SessionLookup, StoreError};
use kernel::record::{ApiKey, Digest, KeySecret, LoginThrottle, Session, Tenant, TenantMember, User, Workspace};
use sea_orm::sea_query::ExprTrait;
use sea_orm::{ColumnTrait, DbErr, EntityTrait, QueryFilter, QueryOrder, QuerySelect, SelectExt};
use types::id::{ApiKeyId, SessionId, TenantId, UserId, Uuid};

use super::{account, name};
use crate::dialect::now;
use crate::error::reading;
use crate::row;
use crate::store::Store;

#[async_trait]
impl Directory for Store {
    async fn find_key(&self, digest: Digest) -> Result<Option<KeyLookup>, StoreError> {
        account::find_key(&self.database().reader(), digest).await.map_err(reading)
    }

    async fn find_session(&self, token: Digest) -> Result<Option<SessionLookup>, StoreError> {
        let condition = session::Column::Token.eq(token.0.to_vec());
        account::find_session(&self.database().reader(), condition).await.map_err(reading)
    }

    async fn find_session_by_refresh(&self, refresh: Digest) -> Result<Option<SessionLookup>, StoreError> {
        let present = session::Column::Refresh.eq(refresh.0.to_vec());
        let condition = present.or(session::Column::SpentRefresh.eq(refresh.0.to_vec()));
        account::find_session(&self.database().reader(), condition).await.map_err(reading)
    }

    async fn find_account_by_email(&self, email_key: &str) -> Result<Option<Account>, StoreError> {
        account::find_user(&self.database().reader(), user::Column::EmailKey.eq(email_key)).await.map_err(reading)
    }

    async fn find_account(&self, id: UserId) -> Result<Option<Account>, StoreError> {
        account::find_user(&self.database().reader(), user::Column::Id.eq(id.as_uuid())).await.map_err(reading)
    }

    async fn list_users(&self, ids: &BTreeSet<UserId>) -> Result<Vec<User>, StoreError> {
        self.users(ids).await.map_err(reading)
    }

    async fn list_names(&self, scope: Scope, ids: &NamedIds) -> Result<Vec<Named>, StoreError> {
        name::names(&self.database().reader(), scope, ids).await.map_err(reading)
    }

    async fn is_empty(&self) -> Result<bool, StoreError> {
        let someone = user::Entity::find().exists(&self.database().reader()).await.map_err(reading)?;
        Ok(!someone)
    }

    async fn list_sessions(&self, user_id: UserId) -> Result<Vec<Session>, StoreError> {
        self.sessions(user_id).await.map_err(reading)
    }

    async fn find_user_session(&self, user_id: UserId, id: SessionId) -> Result<Option<Session>, StoreError> {
        self.user_session(user_id, id).await.map_err(reading)
    }

    async fn list_keys(&self, scope: Scope) -> Result<Vec<ApiKey>, StoreError> {
        self.keys(scope).await.map_err(reading)
    }

    async fn find_key_by_id(&self, scope: Scope, id: ApiKeyId) -> Result<Option<ApiKey>, StoreError> {
        self.key(scope, id).await.map_err(reading)
    }

    async fn list_key_secrets(&self, scope: Scope, id: ApiKeyId) -> Result<Vec<KeySecret>, StoreError> {
        self.key_secrets(scope, id).await.map_err(reading)
    }

    async fn find_workspace(&self, scope: Scope) -> Result<Option<Workspace>, StoreError> {
        self.workspace(scope).await.map_err(reading)
    }

    async fn find_tenant(&self, id: TenantId) -> Result<Option<Tenant>, StoreError> {
        let row = tenant::Entity::find_by_id(id.as_uuid()).one(&self.database().reader()).await.map_err(reading)?;
        row.map(row::tenant::record).transpose().map_err(|corrupt| reading(corrupt.into()))
    }

    async fn find_tenant_member(
        &self,
        tenant_id: TenantId,
        user_id: UserId,
    ) -> Result<Option<TenantMember>, StoreError> {
        self.tenant_member(tenant_id, user_id).await.map_err(reading)
    }

    async fn find_throttle(&self, key: &str) -> Result<Option<LoginThrottle>, StoreError> {
        let row = login_throttle::Entity::find_by_id(key.to_owned()).one(&self.database().reader()).await;
        Ok(row.map_err(reading)?.map(row::login_throttle::record))
    }

    async fn epochs(&self, tenants: &[TenantId]) -> Result<Vec<(TenantId, u64)>, StoreError> {
        let rows: Vec<(Uuid, i64)> = tenant::Entity::find()
            .select_only()
            .columns([tenant::Column::Id, tenant::Column::AuthEpoch])
            .filter(tenant::Column::Id.is_in(tenants.iter().map(|id| id.as_uuid())))
            .into_tuple()
            .all(&self.database().reader())
            .await
            .map_err(reading)?;
        Ok(rows.into_iter().map(|(id, epoch)| (TenantId::from_uuid(id), row::count(epoch))).collect())
    }
}

impl Store {
    async fn sessions(&self, user_id: UserId) -> Result<Vec<Session>, DbErr> {
        let rows = session::Entity::find()
            .filter(session::Column::UserId.eq(user_id.as_uuid()))
            .filter(session::Column::EndedAt.is_null())
            .filter(session::Column::ExpiresAt.into_expr().gt(now(self.database().backend())))
            .order_by_desc(session::Column::CreatedAt)
            .order_by_desc(session::Column::Id)
            .all(&self.database().reader())
            .await?;
        Ok(rows.into_iter().map(row::session::record).collect::<Result<_, _>>()?)
    }

    async fn user_session(&self, user_id: UserId, id: SessionId) -> Result<Option<Session>, DbErr> {
        let row = session::Entity::find_by_id(id.as_uuid())
            .filter(session::Column::UserId.eq(user_id.as_uuid()))
            .one(&self.database().reader())
            .await?;
        Ok(row.map(row::session::record).transpose()?)
    }

    async fn users(&self, ids: &BTreeSet<UserId>) -> Result<Vec<User>, DbErr> {
        let ids = ids.iter().map(|id| id.as_uuid());
        let rows = user::Entity::find().filter(user::Column::Id.is_in(ids)).all(&self.database().reader()).await?;
        Ok(rows.into_iter().map(row::user::record).collect::<Result<_, _>>()?)
    }

    async fn keys(&self, scope: Scope) -> Result<Vec<ApiKey>, DbErr> {
        let rows = api_key::Entity::find()
            .filter(api_key::Column::TenantId.eq(scope.tenant_id.as_uuid()))
            .filter(api_key::Column::WorkspaceId.eq(scope.workspace_id.as_uuid()))
            .order_by_desc(api_key::Column::CreatedAt)
            .order_by_desc(api_key::Column::Id)
            .all(&self.database().reader())
            .await?;
        Ok(rows.into_iter().map(row::api_key::record).collect::<Result<_, _>>()?)
    }

    async fn key(&self, scope: Scope, id: ApiKeyId) -> Result<Option<ApiKey>, DbErr> {
        let row = api_key::Entity::find_by_id(id.as_uuid())
            .filter(api_key::Column::TenantId.eq(scope.tenant_id.as_uuid()))
            .filter(api_key::Column::WorkspaceId.eq(scope.workspace_id.as_uuid()))
            .one(&self.database().reader())
            .await?;
        Ok(row.map(row::api_key::record).transpose()?)
    }

    async fn key_secrets(&self, scope: Scope, id: ApiKeyId) -> Result<Vec<KeySecret>, DbErr> {
        let rows = api_key_secret::Entity::find()
            .filter(api_key_secret::Column::KeyId.eq(id.as_uuid()))
            .filter(api_key_secret::Column::TenantId.eq(scope.tenant_id.as_uuid()))
            .filter(api_key_secret::Column::WorkspaceId.eq(scope.workspace_id.as_uuid()))
            .order_by_desc(api_key_secret::Column::Id)
            .all(&self.database().reader())
            .await?;
        Ok(rows.iter().map(row::api_key_secret::record).collect::<Result<_, _>>()?)
    }

    async fn workspace(&self, scope: Scope) -> Result<Option<Workspace>, DbErr> {
        let row = workspace::Entity::find_by_id(scope.workspace_id.as_uuid())
            .filter(workspace::Column::TenantId.eq(scope.tenant_id.as_uuid()))
            .one(&self.database().reader())
            .await?;
        Ok(row.map(row::workspace::record).transpose()?)
    }

    async fn tenant_member(&self, tenant_id: TenantId, user_id: UserId) -> Result<Option<TenantMember>, DbErr> {
        let row = tenant_member::Entity::find_by_id((tenant_id.as_uuid(), user_id.as_uuid()))
            .one(&self.database().reader())
            .await?;
        Ok(row.as_ref().map(row::member::in_tenant).transpose()?)
    }
}
