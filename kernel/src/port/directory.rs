//! Reading identities: what a credential stands for.

use std::collections::BTreeSet;

use async_trait::async_trait;
use types::id::{ApiKeyId, ServicePrincipalId, SessionId, TenantId, UserId};
use types::identity::TenantRole;
use types::name::Name;

use super::StoreError;
use crate::context::Scope;
use crate::record::{
    ApiKey, Digest, KeySecret, LoginThrottle, ServicePrincipal, Session, Tenant, TenantMember, User, Workspace,
    WorkspaceMember,
};

/// A person with everything their power follows from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Account {
    /// The person.
    pub user: User,
    /// Their tenants: the tenant, their role there, its present epoch.
    pub tenants: Vec<(Tenant, TenantRole, u64)>,
    /// Their workspaces.
    pub workspaces: Vec<(Workspace, WorkspaceMember)>,
    /// Whether signing in asks them for a second factor.
    pub second_factor: bool,
}

/// A key found by its secret.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyLookup {
    /// The key.
    pub key: ApiKey,
    /// The secret that was used.
    pub secret: KeySecret,
    /// The service principal that acts with it, if one does.
    pub principal: Option<ServicePrincipal>,
    /// Whose present power counts: the owner of the principal, else the key's issuer.
    pub account: Account,
}

/// A session found by one of its tokens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionLookup {
    /// The session.
    pub session: Session,
    /// The tenant whose identity provider opened it, if one did: for others it vouches for nothing.
    pub vouched_by: Option<TenantId>,
    /// Its person.
    pub account: Account,
}

/// Whose names are asked for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NamedIds {
    /// People.
    pub users: BTreeSet<UserId>,
    /// Keys.
    pub keys: BTreeSet<ApiKeyId>,
    /// Every key there is, besides.
    pub every_key: bool,
    /// Service principals.
    pub principals: BTreeSet<ServicePrincipalId>,
}

impl NamedIds {
    /// Asks for one more, if it is the id of something that has a name here.
    pub fn note(&mut self, id: &str) {
        if let Ok(id) = id.parse() {
            self.users.insert(id);
        } else if let Ok(id) = id.parse() {
            self.keys.insert(id);
        } else if let Ok(id) = id.parse() {
            self.principals.insert(id);
        }
    }

    /// Whether none is asked for.
    pub fn is_empty(&self) -> bool {
        self.users.is_empty() && self.keys.is_empty() && !self.every_key && self.principals.is_empty()
    }
}

/// Something and its name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Named {
    /// A person.
    User(UserId, Name),
    /// A key.
    Key {
        /// Its id.
        id: ApiKeyId,
        /// Its name.
        name: Name,
        /// Who made it; of a service principal's key who answers for that.
        owner_id: UserId,
    },
    /// A service principal.
    Principal {
        /// Its id.
        id: ServicePrincipalId,
        /// Its name.
        name: Name,
        /// The name of who answers for it.
        owner: Name,
    },
}

/// Reads identities. Writing goes through the ledger.
#[async_trait]
pub trait Directory: Send + Sync {
    /// The key whose secret has this digest, revoked and expired ones included.
    async fn find_key(&self, digest: Digest) -> Result<Option<KeyLookup>, StoreError>;
    /// The session whose present token has this digest, ended ones included.
    async fn find_session(&self, token: Digest) -> Result<Option<SessionLookup>, StoreError>;
    /// The API session whose present or last spent refresh token has this digest.
    async fn find_session_by_refresh(&self, refresh: Digest) -> Result<Option<SessionLookup>, StoreError>;
    /// A person by their compared address.
    async fn find_account_by_email(&self, email_key: &str) -> Result<Option<Account>, StoreError>;
    /// A person by id.
    async fn find_account(&self, id: UserId) -> Result<Option<Account>, StoreError>;
    /// The people of these ids; those that are gone are left out.
    async fn list_users(&self, ids: &BTreeSet<UserId>) -> Result<Vec<User>, StoreError>;
    /// The names of these, in no order: of keys and service principals of the scope, and of people who belong or belonged to
    /// its tenant. All others are left out.
    async fn list_names(&self, scope: Scope, ids: &NamedIds) -> Result<Vec<Named>, StoreError>;
    /// Whether nobody has an account yet.
    async fn is_empty(&self) -> Result<bool, StoreError>;
    /// A person's live sessions, newest first.
    async fn list_sessions(&self, user_id: UserId) -> Result<Vec<Session>, StoreError>;
    /// One of a person's sessions.
    async fn find_user_session(&self, user_id: UserId, id: SessionId) -> Result<Option<Session>, StoreError>;
    /// The workspace's keys, newest first, revoked ones included.
    async fn list_keys(&self, scope: Scope) -> Result<Vec<ApiKey>, StoreError>;
    /// One key.
    async fn find_key_by_id(&self, scope: Scope, id: ApiKeyId) -> Result<Option<ApiKey>, StoreError>;
    /// The secrets of a key, newest first.
    async fn list_key_secrets(&self, scope: Scope, id: ApiKeyId) -> Result<Vec<KeySecret>, StoreError>;
    /// A workspace of a person's tenant.
    async fn find_workspace(&self, scope: Scope) -> Result<Option<Workspace>, StoreError>;
    /// A tenant, a deleted one included.
    async fn find_tenant(&self, id: TenantId) -> Result<Option<Tenant>, StoreError>;
    /// A person's role in a tenant.
    async fn find_tenant_member(
        &self,
        tenant_id: TenantId,
        user_id: UserId,
    ) -> Result<Option<TenantMember>, StoreError>;
    /// Failed sign-ins under a key.
    async fn find_throttle(&self, key: &str) -> Result<Option<LoginThrottle>, StoreError>;
    /// Present epochs of the given tenants, for caches.
    async fn epochs(&self, tenants: &[TenantId]) -> Result<Vec<(TenantId, u64)>, StoreError>;
}
