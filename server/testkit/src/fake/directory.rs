//! Reading identities.

use std::collections::BTreeSet;

use async_trait::async_trait;
use kernel::context::Scope;
use kernel::port::{Account, Directory, KeyLookup, Named, NamedIds, SessionLookup, StoreError};
use kernel::record::{ApiKey, Digest, KeySecret, LoginThrottle, Row, Session, Tenant, TenantMember, User, Workspace};
use types::id::{ApiKeyId, ServicePrincipalId, SessionId, TenantId, UserId};

use super::store::{FakeStore, Rows, rows};

#[async_trait]
impl Directory for FakeStore {
    async fn find_key(&self, digest: Digest) -> Result<Option<KeyLookup>, StoreError> {
        let rows = self.rows();
        let found = || {
            let secret = rows!(rows, KeySecret).find(|secret| secret.digest == digest)?;
            let key = rows!(rows, ApiKey).find(|key| key.id == secret.key_id)?;
            let principal = rows!(rows, ServicePrincipal).find(|principal| key.principal_id == Some(principal.id));
            let person = principal.map_or(key.created_by, |principal| principal.owner_id);
            let account = rows.account(|user| user.id == person)?;
            Some(KeyLookup { key: key.clone(), secret: secret.clone(), principal: principal.cloned(), account })
        };
        Ok(found())
    }

    async fn find_session(&self, token: Digest) -> Result<Option<SessionLookup>, StoreError> {
        Ok(self.rows().session(|session| session.token == token))
    }

    async fn find_session_by_refresh(&self, refresh: Digest) -> Result<Option<SessionLookup>, StoreError> {
        let has = |session: &Session| {
            session.refresh == Some(refresh) || session.spent_refresh.is_some_and(|(spent, _)| spent == refresh)
        };
        Ok(self.rows().session(has))
    }

    async fn find_account_by_email(&self, email_key: &str) -> Result<Option<Account>, StoreError> {
        Ok(self.rows().account(|user| user.email_key == email_key))
    }

    async fn find_account(&self, id: UserId) -> Result<Option<Account>, StoreError> {
        Ok(self.rows().account(|user| user.id == id))
    }

    async fn list_users(&self, ids: &BTreeSet<UserId>) -> Result<Vec<User>, StoreError> {
        Ok(rows!(self.rows(), User).filter(|user| ids.contains(&user.id)).cloned().collect())
    }

    async fn list_names(&self, scope: Scope, ids: &NamedIds) -> Result<Vec<Named>, StoreError> {
        let rows = self.rows();
        let belongs = |id: UserId| {
            rows!(rows, TenantMember).any(|member| (member.tenant_id, member.user_id) == (scope.tenant_id, id))
        };
        let users = rows!(rows, User).filter(|user| ids.users.contains(&user.id) && belongs(user.id));
        let users = users.map(|user| Named::User(user.id, user.name.clone()));
        let owner_of = |id: ServicePrincipalId| {
            rows!(rows, ServicePrincipal).find(|principal| principal.id == id).map(|principal| principal.owner_id)
        };
        let keys =
            rows!(rows, ApiKey).filter(|key| key.scope == scope && (ids.every_key || ids.keys.contains(&key.id)));
        let keys = keys.map(|key| Named::Key {
            id: key.id,
            name: key.name.clone(),
            owner_id: key.principal_id.and_then(owner_of).unwrap_or(key.created_by),
        });
        let principals = rows!(rows, ServicePrincipal)
            .filter(|principal| principal.scope == scope && ids.principals.contains(&principal.id));
        let principals = principals.filter_map(|principal| {
            let owner = rows!(rows, User).find(|user| user.id == principal.owner_id)?;
            Some(Named::Principal { id: principal.id, name: principal.name.clone(), owner: owner.name.clone() })
        });
        Ok(users.chain(keys).chain(principals).collect())
    }

    async fn is_empty(&self) -> Result<bool, StoreError> {
        Ok(rows!(self.rows(), User).next().is_none())
    }

    async fn list_sessions(&self, user_id: UserId) -> Result<Vec<Session>, StoreError> {
        let rows = self.rows();
        let now = rows.now();
        let live = |session: &&Session| session.ended_at.is_none() && session.expires_at > now;
        let mut sessions: Vec<Session> =
            rows!(rows, Session).filter(|session| session.user_id == user_id).filter(live).cloned().collect();
        sessions.sort_by_key(|session| std::cmp::Reverse((session.created_at, session.id)));
        Ok(sessions)
    }

    async fn find_user_session(&self, user_id: UserId, id: SessionId) -> Result<Option<Session>, StoreError> {
        let rows = self.rows();
        Ok(rows!(rows, Session).find(|session| session.user_id == user_id && session.id == id).cloned())
    }

    async fn list_keys(&self, scope: Scope) -> Result<Vec<ApiKey>, StoreError> {
        let mut keys: Vec<ApiKey> = rows!(self.rows(), ApiKey).filter(|key| key.scope == scope).cloned().collect();
        keys.sort_by_key(|key| std::cmp::Reverse((key.created_at, key.id)));
        Ok(keys)
    }

    async fn find_key_by_id(&self, scope: Scope, id: ApiKeyId) -> Result<Option<ApiKey>, StoreError> {
        Ok(rows!(self.rows(), ApiKey).find(|key| key.scope == scope && key.id == id).cloned())
    }

    async fn list_key_secrets(&self, scope: Scope, id: ApiKeyId) -> Result<Vec<KeySecret>, StoreError> {
        let rows = self.rows();
        let mut secrets: Vec<KeySecret> =
            rows!(rows, KeySecret).filter(|secret| secret.scope == scope && secret.key_id == id).cloned().collect();
        secrets.sort_by_key(|secret| std::cmp::Reverse(secret.id));
        Ok(secrets)
    }

    async fn find_workspace(&self, scope: Scope) -> Result<Option<Workspace>, StoreError> {
        Ok(self.rows().workspace(scope).cloned())
    }

    async fn find_tenant(&self, id: TenantId) -> Result<Option<Tenant>, StoreError> {
        Ok(rows!(self.rows(), Tenant).find(|tenant| tenant.id == id).cloned())
    }

    async fn find_tenant_member(
        &self,
        tenant_id: TenantId,
        user_id: UserId,
    ) -> Result<Option<TenantMember>, StoreError> {
        let rows = self.rows();
        let found = rows!(rows, TenantMember).find(|member| (member.tenant_id, member.user_id) == (tenant_id, user_id));
        Ok(found.cloned())
    }

    async fn find_throttle(&self, key: &str) -> Result<Option<LoginThrottle>, StoreError> {
        Ok(rows!(self.rows(), LoginThrottle).find(|throttle| throttle.key == key).cloned())
    }

    async fn epochs(&self, tenants: &[TenantId]) -> Result<Vec<(TenantId, u64)>, StoreError> {
        let rows = self.rows();
        let known = rows!(rows, Tenant).map(|tenant| tenant.id).filter(|id| tenants.contains(id));
        Ok(known.map(|id| (id, rows.epoch(id))).collect())
    }
}

impl Rows {
    pub(super) fn epoch(&self, id: TenantId) -> u64 {
        self.state.epochs.get(&id).copied().unwrap_or_default()
    }

    pub(super) fn workspace(&self, scope: Scope) -> Option<&Workspace> {
        rows!(self, Workspace)
            .find(|workspace| (workspace.tenant_id, workspace.id) == (scope.tenant_id, scope.workspace_id))
    }

    fn session(&self, has: impl Fn(&Session) -> bool) -> Option<SessionLookup> {
        let session = rows!(self, Session).find(|session| has(session))?;
        let account = self.account(|user| user.id == session.user_id)?;
        let opened = rows!(self, SsoSession).find(|opened| opened.session_id == session.id);
        let connection = |id| rows!(self, SsoConnection).find(|connection| connection.id == id);
        let vouched_by = opened.and_then(|opened| Some(connection(opened.connection_id)?.scope.tenant_id));
        Some(SessionLookup { session: session.clone(), vouched_by, account })
    }

    fn account(&self, is: impl Fn(&User) -> bool) -> Option<Account> {
        let user = rows!(self, User).find(|user| is(user))?;
        let belongs = |member: &&TenantMember| member.user_id == user.id && member.removed_at.is_none();
        let tenants: Vec<_> = rows!(self, TenantMember)
            .filter(belongs)
            .filter_map(|member| {
                let tenant =
                    rows!(self, Tenant).find(|tenant| tenant.id == member.tenant_id && tenant.deleted_at.is_none())?;
                Some((tenant.clone(), member.role, self.epoch(tenant.id)))
            })
            .collect();
        let in_tenant = |scope: Scope| tenants.iter().any(|(tenant, ..)| tenant.id == scope.tenant_id);
        let workspaces = rows!(self, WorkspaceMember)
            .filter(|member| member.user_id == user.id && member.removed_at.is_none() && in_tenant(member.scope))
            .filter_map(|member| Some((self.workspace(member.scope)?.clone(), member.clone())))
            .collect();
        let second_factor =
            rows!(self, SecondFactor).any(|factor| factor.user_id == user.id && factor.active.is_some());
        Some(Account { user: user.clone(), tenants, workspaces, second_factor })
    }
}
