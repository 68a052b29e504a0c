//! Signing in with an identity provider: a tenant's connections, linked accounts, the sessions they opened.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use types::id::{
    GroupId, SecretId, SessionId, SsoConnectionId, SsoLinkId, SsoLogoutId, TenantId, UserId, Uuid, WorkspaceId,
};
use types::identity::Role;
use types::name::Name;
use types::sso::SsoMapping;

use crate::context::Scope;
use crate::secret::Sealed;

/// A connection of a tenant to an identity provider.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SsoConnection {
    /// The connection's id.
    pub id: SsoConnectionId,
    /// The tenant, and the workspace where new accounts begin and where what happens is recorded.
    pub scope: Scope,
    /// What its button says.
    pub label: Name,
    /// Who the provider is, exactly as its tokens say it.
    pub issuer: String,
    /// How the provider calls soit.
    pub client_id: String,
    /// What soit proves itself with there.
    pub secret: Option<ClientSecret>,
    /// What is asked for.
    pub scopes: Vec<String>,
    /// Domains of addresses that may make an account, in ASCII.
    pub allowed_domains: Vec<String>,
    /// The claim that names groups.
    pub group_claim: Option<String>,
    /// What they give; each names its workspace.
    pub mappings: Vec<SsoMapping>,
    /// Whether who comes first gets an account.
    pub jit: bool,
    /// The role it gets, never owner.
    pub jit_role: Role,
    /// Whether members of the tenant sign in only so.
    pub enforced: bool,
    /// When it was made.
    pub created_at: DateTime<Utc>,
    /// When it was deleted; the row stays, for links and audit rows name it.
    pub deleted_at: Option<DateTime<Utc>>,
    /// Row version.
    pub version: u64,
}

/// The sealed secret of a connection. It belongs to the tenant, not to a workspace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClientSecret {
    /// Its id.
    pub id: SecretId,
    /// Counts the values it had; bound into the ciphertext.
    pub version: u32,
    /// Ciphertext.
    pub sealed: Sealed,
}

impl ClientSecret {
    /// Where the secrets of a tenant's connections are sealed.
    pub const fn scope(tenant_id: TenantId) -> Scope {
        Scope { tenant_id, workspace_id: WorkspaceId::from_uuid(Uuid::nil()) }
    }
}

/// An account at a provider that signs in to an account here. Issuer and subject are unique among the living.
#[derive(Clone, PartialEq, Eq)]
pub struct SsoLink {
    /// The link's id.
    pub id: SsoLinkId,
    /// Who signs in by it.
    pub user_id: UserId,
    /// The tenant whose connection it was made by.
    pub tenant_id: TenantId,
    /// That connection.
    pub connection_id: SsoConnectionId,
    /// Who the provider is.
    pub issuer: String,
    /// The account there.
    pub subject: String,
    /// The address it told at the last sign-in.
    pub email: Option<String>,
    /// What its groups gave at the last sign-in.
    pub given: SsoGiven,
    /// When it was made.
    pub created_at: DateTime<Utc>,
    /// When somebody last signed in by it.
    pub last_used_at: DateTime<Utc>,
    /// When it was taken away.
    pub removed_at: Option<DateTime<Utc>>,
    /// Row version.
    pub version: u64,
}

impl std::fmt::Debug for SsoLink {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SsoLink").field("id", &self.id).field("user_id", &self.user_id).finish_non_exhaustive()
    }
}

/// What the groups of a provider gave: at the next sign-in what is not given any more ends.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SsoGiven {
    /// Roles, each in its workspace; one a workspace.
    pub roles: Vec<(WorkspaceId, Role)>,
    /// Places in groups.
    pub groups: Vec<(WorkspaceId, GroupId)>,
}

/// By which account of a provider a session was opened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SsoSession {
    /// The session.
    pub session_id: SessionId,
    /// The connection it came through.
    pub connection_id: SsoConnectionId,
    /// The account of the provider.
    pub link_id: SsoLinkId,
    /// The provider's own session, if it told one.
    pub sid: Option<String>,
    /// Row version.
    pub version: u64,
}

/// A sign-out that a provider told of, so that it is told once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SsoLogout {
    /// Follows from the connection and the token's own id.
    pub id: SsoLogoutId,
    /// The connection.
    pub connection_id: SsoConnectionId,
    /// When its token is too old to be believed anyway.
    pub expires_at: DateTime<Utc>,
    /// Row version.
    pub version: u64,
}
