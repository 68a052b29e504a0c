//! People, roles and sessions as the doors speak of them.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use crate::id::{ServicePrincipalId, SessionId, TenantId, UserId, WorkspaceId};
use crate::mfa::MfaLevel;
use crate::name::{Name, Slug};
use crate::run::Capture;
use crate::tenant::WorkspaceStatus;
use crate::word::words;

words! {
    /// A role in a workspace, strongest first.
    pub enum Role {
        /// Everything.
        Owner = "owner",
        /// Everything but ownership.
        Admin = "admin",
        /// Builds and calls.
        Dev = "dev",
        /// Reads.
        Viewer = "viewer",
    }
}
words! {
    /// A role in a tenant, strongest first.
    pub enum TenantRole {
        /// Everything.
        Owner = "owner",
        /// Everything but ownership.
        Admin = "admin",
        /// Belongs.
        Member = "member",
    }
}
words! {
    /// How far a credential reaches; each holds the ones before it.
    pub enum Scope {
        /// Reads.
        Read = "read",
        /// Reads and writes.
        Write = "write",
        /// Manages.
        Admin = "admin",
    }
}
words! {
    /// What a session is for.
    pub enum SessionKind {
        /// The browser console.
        Console = "console",
        /// Access and refresh tokens.
        Api = "api",
    }
}
words! {
    /// Whether an account may act.
    pub enum UserStatus {
        /// It may.
        Active = "active",
        /// It may not.
        Disabled = "disabled",
        /// It may, until the day its owner wants it closed.
        Closing = "closing",
        /// It is over: only its id is left.
        Closed = "closed",
    }
}

impl UserStatus {
    /// Whether somebody with the account may act.
    pub const fn may_act(self) -> bool {
        matches!(self, Self::Active | Self::Closing)
    }
}

words! {
    /// What happens to calls without a price.
    pub enum UnpricedPolicy {
        /// They pass and are counted.
        Allow = "allow",
        /// They are refused where a hard budget applies.
        RefuseWhenBudgeted = "refuse_when_budgeted",
        /// They are refused.
        Refuse = "refuse",
    }
}

/// A workspace one belongs to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Membership {
    /// The workspace.
    pub id: WorkspaceId,
    /// Its tenant.
    pub tenant_id: TenantId,
    /// Its name in URLs.
    pub slug: Slug,
    /// Its name.
    pub name: Name,
    /// One's role there.
    pub role: Role,
    /// Whether it is in use.
    pub status: WorkspaceStatus,
}

/// A person as they see themselves.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct User {
    /// The user's id.
    pub id: UserId,
    /// The address they sign in with.
    pub email: String,
    /// Their name.
    pub name: Name,
    /// Whether they may act.
    pub status: UserStatus,
    /// Whether they run the instance.
    pub is_operator: bool,
    /// Whether the password is still the one soit came with.
    pub default_password: bool,
    /// Whether the address was proved by a mail.
    pub email_verified: bool,
    /// When the account is closed, if that was asked for.
    pub closes_at: Option<DateTime<Utc>>,
}

/// Changes oneself. Absent members stay.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields, default)]
pub struct UpdateMe {
    /// 1–80 characters.
    pub name: Option<Name>,
}

/// Signs in.
#[derive(Clone, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Login {
    /// The address of the account.
    pub email: String,
    /// Its password.
    pub password: String,
}

impl std::fmt::Debug for Login {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Login").finish_non_exhaustive()
    }
}

/// How people can get in; what this deployment does not offer is false or empty.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct AuthCapabilities {
    /// Whether anybody may make an account.
    pub registration: bool,
    /// Whether a forgotten password can be reset by mail.
    pub password_reset: bool,
    /// Whether addresses are verified by mail.
    pub email_verification: bool,
    /// Whether people sign in with a password.
    pub password_login: bool,
    /// Identity providers people may sign in with.
    pub sso: Vec<SsoConnection>,
}

/// An identity provider people may sign in with.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct SsoConnection {
    /// The connection's id.
    pub id: String,
    /// What its button says.
    pub label: String,
    /// Where signing in starts.
    pub start_url: String,
}

/// A signed-in API session.
#[derive(Clone, Serialize, Deserialize, utoipa::ToSchema)]
pub struct LoggedIn {
    /// `sa_…`, shown once.
    pub access_token: String,
    /// `Bearer`.
    pub token_type: String,
    /// Seconds the access token lives.
    pub expires_in: u64,
    /// `sr_…`, shown once, rotates.
    pub refresh_token: String,
    /// Who signed in.
    pub user: User,
    /// Where they belong.
    pub workspaces: Vec<Membership>,
    /// The workspace used when a request names none.
    pub workspace_id: Option<WorkspaceId>,
}

impl std::fmt::Debug for LoggedIn {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("LoggedIn").field("user", &self.user.id).finish_non_exhaustive()
    }
}

/// Trades a refresh token for new tokens.
#[derive(Clone, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Refresh {
    /// `sr_…`.
    pub refresh_token: String,
}

/// Proves oneself again; lasts ten minutes.
#[derive(Clone, Default, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields, default)]
pub struct StepUp {
    /// One's password; this or `code`.
    pub password: Option<String>,
    /// A code of one's second factor; this or `password`.
    pub code: Option<String>,
}

/// Changes one's password.
#[derive(Clone, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ChangePassword {
    /// The present one.
    pub current_password: String,
    /// The new one: 12–128 characters, hard to guess.
    pub new_password: String,
}

/// Who one is, where, and with what power.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Me {
    /// The person; for a key its issuer, for a service principal its owner.
    pub user: User,
    /// The service principal, where one asks.
    pub principal_id: Option<ServicePrincipalId>,
    /// Where they belong.
    pub workspaces: Vec<Membership>,
    /// The workspace of this request.
    pub workspace_id: Option<WorkspaceId>,
    /// The role there.
    pub role: Option<Role>,
    /// The role the session was lowered to, where it was: nothing above it is shown or allowed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub view_as: Option<Role>,
    /// How far the credential reaches.
    pub scope: Scope,
    /// Until when the proof of identity is fresh.
    pub elevated_until: Option<DateTime<Utc>>,
    /// Whether signing in asks for a second factor.
    #[serde(default)]
    pub second_factor: bool,
}

/// What the present credential may do; the console hides what is not here, the guard refuses it anyway.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Permissions {
    /// `resource.action`, sorted.
    pub actions: Vec<String>,
}

impl Permissions {
    /// Whether `resource.action` is allowed.
    pub fn allow(&self, action: &str) -> bool {
        self.actions.binary_search_by(|known| known.as_str().cmp(action)).is_ok()
    }
}

/// One of one's own sessions.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Session {
    /// The session's id.
    pub id: SessionId,
    /// Console or API.
    pub kind: SessionKind,
    /// Browser or client, as it named itself.
    pub client: String,
    /// From where it signed in.
    pub address: String,
    /// When it signed in.
    pub created_at: DateTime<Utc>,
    /// When it was last seen.
    pub last_seen_at: DateTime<Utc>,
    /// What it has proved besides the password.
    pub mfa: MfaLevel,
    /// Whether it is the one asking.
    pub current: bool,
}

/// A workspace's settings, first part.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Workspace {
    /// The workspace's id.
    pub id: WorkspaceId,
    /// Its tenant.
    pub tenant_id: TenantId,
    /// Its name in URLs.
    pub slug: Slug,
    /// Its name.
    pub name: Name,
    /// Whether it is in use.
    pub status: WorkspaceStatus,
    /// What happens to calls without a price.
    pub unpriced_call_policy: UnpricedPolicy,
    /// How much content is kept; the strictest of this and its tenant's counts.
    pub content_capture: Capture,
    /// From when on it lets in only who has a second factor; null asks nobody.
    pub require_mfa_from: Option<DateTime<Utc>>,
    /// For `If-Match`.
    pub version: u64,
}

/// Changes a workspace's settings; absent members stay.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields, default)]
pub struct UpdateWorkspace {
    /// A new name.
    pub name: Option<Name>,
    /// A new short name, unique in the tenant. Addresses with the old one lead nowhere from then on.
    pub slug: Option<Slug>,
    /// What happens to calls without a price.
    pub unpriced_call_policy: Option<UnpricedPolicy>,
    /// How much content is kept.
    pub content_capture: Option<Capture>,
    /// From when on only who has a second factor is let in; null asks nobody. Who sets it has one.
    #[serde(deserialize_with = "crate::patch::present", skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<DateTime<Utc>>)]
    pub require_mfa_from: Option<Option<DateTime<Utc>>>,
}
