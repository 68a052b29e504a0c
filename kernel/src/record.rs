//! The domain's rows that are not ledger rows: what a `RowPut` writes and a repository reads.
//!
//! Every record but users and tenants lies in a scope. `version` starts at 1 and grows by one with each write.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use ipnet::IpNet;
use types::budget::Budget;
use types::egress::EgressPolicy;
use types::id::{
    ApiKeyId, InvitationId, KeySecretId, ProviderId, RevisionId, SecretId, SessionId, TenantId, UserId, ViewId,
    WorkspaceId,
};
use types::identity::{Role, Scope as Reach, SessionKind, TenantRole, UnpricedPolicy, UserStatus};
use types::modelhub::{Model, Price, Provider};
use types::name::{Name, Slug};
use types::run::Capture;
use types::view::ViewPage;

use crate::context::Scope;
use crate::secret::Sealed;

/// A tenant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tenant {
    /// The tenant's id.
    pub id: TenantId,
    /// Its name.
    pub name: Name,
    /// Its short name.
    pub slug: Slug,
    /// Whether it may act.
    pub active: bool,
    /// Row version.
    pub version: u64,
}

/// A workspace and its settings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Workspace {
    /// The workspace's id.
    pub id: WorkspaceId,
    /// Its tenant.
    pub tenant_id: TenantId,
    /// Its name.
    pub name: Name,
    /// Its short name, unique in the tenant.
    pub slug: Slug,
    /// Whether it is archived.
    pub archived: bool,
    /// What happens to calls without a price.
    pub unpriced_call_policy: UnpricedPolicy,
    /// How much content is kept.
    pub content_capture: Capture,
    /// Row version.
    pub version: u64,
}

/// A person with an account. Instance-wide: memberships tie it to tenants and workspaces.
#[derive(Clone, PartialEq, Eq)]
pub struct User {
    /// The user's id.
    pub id: UserId,
    /// The address as given.
    pub email: String,
    /// The address as compared; unique in the instance.
    pub email_key: String,
    /// Their name.
    pub name: Name,
    /// Whether they may act.
    pub status: UserStatus,
    /// Whether they run the instance.
    pub is_operator: bool,
    /// PHC string of the password hash.
    pub password_hash: Option<String>,
    /// Whether the password is still the one soit came with.
    pub default_password: bool,
    /// When the account was made.
    pub created_at: DateTime<Utc>,
    /// Row version.
    pub version: u64,
}

impl std::fmt::Debug for User {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("User").field("id", &self.id).field("status", &self.status).finish_non_exhaustive()
    }
}

/// A person's place in a tenant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TenantMember {
    /// The tenant.
    pub tenant_id: TenantId,
    /// The person.
    pub user_id: UserId,
    /// Their role.
    pub role: TenantRole,
    /// When they left or were removed; the row stays, for what they did is still told by it.
    pub removed_at: Option<DateTime<Utc>>,
    /// Row version.
    pub version: u64,
}

/// A person's place in a workspace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorkspaceMember {
    /// Tenant and workspace.
    pub scope: Scope,
    /// The person.
    pub user_id: UserId,
    /// Their role.
    pub role: Role,
    /// Since when they belong.
    pub joined_at: DateTime<Utc>,
    /// When they left or were removed; who comes back takes the same row again.
    pub removed_at: Option<DateTime<Utc>>,
    /// Row version.
    pub version: u64,
}

/// Somebody asked into a workspace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Invitation {
    /// The invitation's id.
    pub id: InvitationId,
    /// Tenant and workspace.
    pub scope: Scope,
    /// The address as given.
    pub email: String,
    /// The address as compared.
    pub email_key: String,
    /// The role it gives in the workspace.
    pub role: Role,
    /// The role it gives in the tenant to who has none there.
    pub tenant_role: TenantRole,
    /// SHA-256 of its token; unique in the instance.
    pub digest: Digest,
    /// Who invited.
    pub invited_by: UserId,
    /// When.
    pub created_at: DateTime<Utc>,
    /// When its time is over.
    pub expires_at: DateTime<Utc>,
    /// When it was accepted, and by whom.
    pub accepted: Option<(DateTime<Utc>, UserId)>,
    /// When it was taken back, or a newer one took its place.
    pub revoked_at: Option<DateTime<Utc>>,
    /// Row version.
    pub version: u64,
}

/// SHA-256 of a credential's text: all that is ever stored of it.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Digest(pub [u8; 32]);

impl std::fmt::Debug for Digest {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Digest(…)")
    }
}

/// A signed-in session. Belongs to a person, not to a workspace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Session {
    /// The session's id.
    pub id: SessionId,
    /// The person.
    pub user_id: UserId,
    /// Console or API.
    pub kind: SessionKind,
    /// Console: digest of the cookie's id. API: digest of the present access token.
    pub token: Digest,
    /// API: digest of the present refresh token.
    pub refresh: Option<Digest>,
    /// API: digest of the refresh token before, and when it was spent.
    pub spent_refresh: Option<(Digest, DateTime<Utc>)>,
    /// The workspace used when a request names none.
    pub workspace_id: Option<WorkspaceId>,
    /// The client as it named itself, at most 200 characters.
    pub client: String,
    /// From where it signed in.
    pub address: String,
    /// Until when the proof of identity is fresh.
    pub elevated_until: Option<DateTime<Utc>>,
    /// When it signed in.
    pub created_at: DateTime<Utc>,
    /// When it was last seen.
    pub last_seen_at: DateTime<Utc>,
    /// Console: end of idle time. API: end of the access token.
    pub token_expires_at: DateTime<Utc>,
    /// The end of all: nothing extends it.
    pub expires_at: DateTime<Utc>,
    /// When it was ended.
    pub ended_at: Option<DateTime<Utc>>,
    /// Row version.
    pub version: u64,
}

/// An API key. Its secrets are rows of their own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ApiKey {
    /// The key's id; rotation keeps it.
    pub id: ApiKeyId,
    /// Tenant and workspace.
    pub scope: Scope,
    /// Its name.
    pub name: Name,
    /// First 7 and last 4 characters of the newest secret.
    pub hint: String,
    /// Not empty.
    pub scopes: Vec<Reach>,
    /// Who made it and is answered for.
    pub created_by: UserId,
    /// When.
    pub created_at: DateTime<Utc>,
    /// When its time is over.
    pub expires_at: DateTime<Utc>,
    /// When it was revoked.
    pub revoked_at: Option<DateTime<Utc>>,
    /// When it was last used, to the minute.
    pub last_used_at: Option<DateTime<Utc>>,
    /// Calls a minute.
    pub rate_limit_per_minute: Option<u32>,
    /// Calls a UTC day.
    pub daily_request_quota: Option<u64>,
    /// Tokens a UTC day.
    pub daily_token_quota: Option<u64>,
    /// Networks it may be used from; `None` any, empty none.
    pub ip_allowlist: Option<Vec<IpNet>>,
    /// Models it may call; `None` any, empty none.
    pub allowed_models: Option<Vec<String>>,
    /// Row version.
    pub version: u64,
}

/// One secret of an API key; at most two are live.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeySecret {
    /// The row's id.
    pub id: KeySecretId,
    /// Tenant and workspace.
    pub scope: Scope,
    /// The key it opens.
    pub key_id: ApiKeyId,
    /// SHA-256 of its text; unique in the instance.
    pub digest: Digest,
    /// When it stops working, if before the key.
    pub expires_at: Option<DateTime<Utc>>,
    /// Row version.
    pub version: u64,
}

/// A sealed secret.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Secret {
    /// The secret's id.
    pub id: SecretId,
    /// Tenant and workspace.
    pub scope: Scope,
    /// Unique in the workspace.
    pub name: String,
    /// Ciphertext.
    pub sealed: Sealed,
    /// Counts the values it had; bound into the ciphertext.
    pub value_version: u32,
    /// The provider account it is released to.
    pub released_to: Option<ProviderId>,
    /// Row version.
    pub version: u64,
}

/// The egress layer of a workspace in force.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EgressLayer {
    /// Tenant and workspace.
    pub scope: Scope,
    /// The revision's id.
    pub revision_id: RevisionId,
    /// Rules and private networks.
    pub policy: EgressPolicy,
    /// Row version.
    pub version: u64,
}

/// Failed sign-ins of an account or address, shared by all processes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoginThrottle {
    /// Keyed hash of what is throttled.
    pub key: String,
    /// Failures in the window.
    pub failures: u32,
    /// When the window began.
    pub window_start: DateTime<Utc>,
    /// Until when nothing is tried.
    pub blocked_until: Option<DateTime<Utc>>,
    /// Row version.
    pub version: u64,
}

/// A saved view of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SavedView {
    /// The view's id.
    pub id: ViewId,
    /// Tenant and workspace.
    pub scope: Scope,
    /// Whose it is.
    pub owner_id: UserId,
    /// The list it is of.
    pub page: ViewPage,
    /// Its name as given.
    pub name: Name,
    /// Its name as compared; unique among the living views of an owner and list.
    pub name_key: String,
    /// What stands behind the `?` of the list's address.
    pub query: String,
    /// Whether everybody of the workspace sees it.
    pub shared: bool,
    /// When it was saved.
    pub created_at: DateTime<Utc>,
    /// When it was last changed.
    pub updated_at: DateTime<Utc>,
    /// When it was deleted; the row stays.
    pub deleted_at: Option<DateTime<Utc>>,
    /// Row version.
    pub version: u64,
}

/// With which views the lists of a workspace open for a person.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ViewDefaults {
    /// Tenant and workspace.
    pub scope: Scope,
    /// The person.
    pub user_id: UserId,
    /// At most one of each list. One that was deleted, or is not shared any more, counts as none.
    pub views: BTreeMap<ViewPage, ViewId>,
    /// Row version; moves also with each view the person saves.
    pub version: u64,
}

/// A row to write. The variant says the table.
#[derive(Clone, Debug, PartialEq)]
pub enum Row {
    /// `tenants`
    Tenant(Tenant),
    /// `workspaces`
    Workspace(Workspace),
    /// `users`
    User(User),
    /// `tenant_members`
    TenantMember(TenantMember),
    /// `workspace_members`
    WorkspaceMember(WorkspaceMember),
    /// `invitations`
    Invitation(Invitation),
    /// `sessions`
    Session(Session),
    /// `api_keys`
    ApiKey(ApiKey),
    /// `api_key_secrets`
    KeySecret(KeySecret),
    /// `secrets`
    Secret(Secret),
    /// `providers`; archived ones stay as rows, and their models with them: the catalog shows neither, and the slug is
    /// free again
    Provider {
        /// Tenant and workspace.
        scope: Scope,
        /// The account.
        provider: Provider,
        /// Deleted by a person; runs and costs still name it.
        archived: bool,
    },
    /// `models`
    Model(Scope, Model),
    /// `prices` (immutable: inserted only)
    Price(Scope, Price),
    /// `budgets`; `archived` ones stay as rows
    Budget {
        /// Tenant and workspace.
        scope: Scope,
        /// The budget.
        budget: Budget,
        /// Deleted by a person; its counters stay.
        archived: bool,
    },
    /// `egress_layers`
    EgressLayer(EgressLayer),
    /// `login_throttles`
    LoginThrottle(LoginThrottle),
    /// `saved_views`; deleted ones stay as rows, their names are free again
    SavedView(SavedView),
    /// `view_defaults`
    ViewDefaults(ViewDefaults),
}

impl Row {
    /// The version the row will have once written; the store demands `version - 1` to be there (0: none).
    pub fn version(&self) -> u64 {
        match self {
            Self::Tenant(row) => row.version,
            Self::Workspace(row) => row.version,
            Self::User(row) => row.version,
            Self::TenantMember(row) => row.version,
            Self::WorkspaceMember(row) => row.version,
            Self::Invitation(row) => row.version,
            Self::Session(row) => row.version,
            Self::ApiKey(row) => row.version,
            Self::KeySecret(row) => row.version,
            Self::Secret(row) => row.version,
            Self::Provider { provider, .. } => provider.version,
            Self::Model(_, row) => row.version,
            Self::Price(..) => 1,
            Self::Budget { budget, .. } => budget.version,
            Self::EgressLayer(row) => row.version,
            Self::LoginThrottle(row) => row.version,
            Self::SavedView(row) => row.version,
            Self::ViewDefaults(row) => row.version,
        }
    }

    /// The table's name.
    pub fn table(&self) -> &'static str {
        match self {
            Self::Tenant(_) => "tenant",
            Self::Workspace(_) => "workspace",
            Self::User(_) => "user",
            Self::TenantMember(_) => "tenant member",
            Self::WorkspaceMember(_) => "workspace member",
            Self::Invitation(_) => "invitation",
            Self::Session(_) => "session",
            Self::ApiKey(_) => "api key",
            Self::KeySecret(_) => "api key secret",
            Self::Secret(_) => "secret",
            Self::Provider { .. } => "provider",
            Self::Model(..) => "model",
            Self::Price(..) => "price",
            Self::Budget { .. } => "budget",
            Self::EgressLayer(_) => "egress policy",
            Self::LoginThrottle(_) => "login throttle",
            Self::SavedView(_) => "saved view",
            Self::ViewDefaults(_) => "view defaults",
        }
    }

    /// What tells the row from others of its table.
    pub fn key(&self) -> String {
        match self {
            Self::Tenant(row) => row.id.to_string(),
            Self::Workspace(row) => row.id.to_string(),
            Self::User(row) => row.id.to_string(),
            Self::TenantMember(row) => format!("{}/{}", row.tenant_id, row.user_id),
            Self::WorkspaceMember(row) => format!("{}/{}", row.scope.workspace_id, row.user_id),
            Self::Invitation(row) => row.id.to_string(),
            Self::Session(row) => row.id.to_string(),
            Self::ApiKey(row) => row.id.to_string(),
            Self::KeySecret(row) => row.id.to_string(),
            Self::Secret(row) => row.id.to_string(),
            Self::Provider { provider, .. } => provider.id.to_string(),
            Self::Model(_, row) => row.id.to_string(),
            Self::Price(_, row) => row.id.to_string(),
            Self::Budget { budget, .. } => budget.id.to_string(),
            Self::EgressLayer(row) => row.scope.workspace_id.to_string(),
            Self::LoginThrottle(row) => row.key.clone(),
            Self::SavedView(row) => row.id.to_string(),
            Self::ViewDefaults(row) => format!("{}/{}", row.scope.workspace_id, row.user_id),
        }
    }
}
