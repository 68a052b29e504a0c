//! Who acts, and by what they prove it.

use crate::context::Scope;
use crate::secret::Sealed;
use chrono::{DateTime, Utc};
use ipnet::IpNet;
use std::collections::{BTreeMap, BTreeSet};
use types::access::{GrantAction, GrantSubject, PrincipalStatus, ResourceType};
use types::account::{Language, MailKind};
use types::id::{
    ApiKeyId, GrantId, GroupId, InvitationId, KeySecretId, MailId, MfaChallengeId, ServicePrincipalId, SessionId,
    TenantId, UserId, WorkspaceId,
};
use types::identity::{Role, Scope as Reach, SessionKind, TenantRole, UnpricedPolicy, UserStatus};
use types::mfa::MfaLevel;
use types::name::{Name, Slug};
use types::run::Capture;
use types::tenant::WorkspaceStatus;

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
    /// How much content its workspaces keep at most.
    pub content_capture: Capture,
    /// When it was deleted; the row stays, for what happened is still told by it.
    pub deleted_at: Option<DateTime<Utc>>,
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
    /// From when on it lets in only who has a second factor.
    pub require_mfa_from: Option<DateTime<Utc>>,
    /// Row version.
    pub version: u64,
}

impl Workspace {
    /// Whether it is in use.
    pub fn status(&self) -> WorkspaceStatus {
        if self.archived { WorkspaceStatus::Archived } else { WorkspaceStatus::Active }
    }
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
    /// When the address was proved.
    pub email_verified_at: Option<DateTime<Utc>>,
    /// When the account is to be closed, while it is closing.
    pub closes_at: Option<DateTime<Utc>>,
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

/// SHA-256: all that is ever stored of a credential's text, and what an artifact's bytes are known by.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Digest(pub [u8; 32]);

impl Digest {
    /// In lower-case hex.
    pub fn hex(&self) -> String {
        self.0.iter().map(|byte| format!("{byte:02x}")).collect()
    }
}

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
    /// What it has proved besides the password.
    pub mfa: MfaLevel,
    /// Until when the proof of identity is fresh.
    pub elevated_until: Option<DateTime<Utc>>,
    /// The role it was lowered to by its person, until they stop or sign out.
    pub view_as: Option<Role>,
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

/// Not a person, but acting with keys of its own, for an owner.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServicePrincipal {
    /// The principal's id.
    pub id: ServicePrincipalId,
    /// Tenant and workspace.
    pub scope: Scope,
    /// Its name as given.
    pub name: Name,
    /// Its name as compared; unique in the workspace.
    pub name_key: String,
    /// Who answers for it.
    pub owner_id: UserId,
    /// Its own role, never owner; it acts with the lower of this and its owner's.
    pub role: Role,
    /// Whether it may act, as far as it is up to itself.
    pub status: PrincipalStatus,
    /// Who made it.
    pub created_by: UserId,
    /// When.
    pub created_at: DateTime<Utc>,
    /// Row version.
    pub version: u64,
}

/// A group of members.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group {
    /// The group's id.
    pub id: GroupId,
    /// Tenant and workspace.
    pub scope: Scope,
    /// Its name as given.
    pub name: Name,
    /// Its name as compared; unique among the living groups of the workspace.
    pub name_key: String,
    /// When it was made.
    pub created_at: DateTime<Utc>,
    /// When it was deleted; the row stays, and what was granted to it ends.
    pub deleted_at: Option<DateTime<Utc>>,
    /// Row version; moves also when somebody joins or leaves.
    pub version: u64,
}

/// Somebody's place in a group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GroupMember {
    /// Tenant and workspace.
    pub scope: Scope,
    /// The group.
    pub group_id: GroupId,
    /// The member.
    pub user_id: UserId,
    /// When they were taken out; who comes back takes the same row again.
    pub removed_at: Option<DateTime<Utc>>,
    /// Row version.
    pub version: u64,
}

/// A person's second factor: what their authenticator app was set up with, and what is left of their recovery codes. One
/// row, so that whatever is used is used once: of two who write it at the same version one is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SecondFactor {
    /// The person.
    pub user_id: UserId,
    /// The seed that counts, and since when.
    pub active: Option<(TotpSeed, DateTime<Utc>)>,
    /// One that was set up and not confirmed yet.
    pub pending: Option<TotpSeed>,
    /// Seeds there have been; the number of the newest.
    pub seeds: u32,
    /// The newest time step of which a code was accepted: it and those before count no more.
    pub last_step: u64,
    /// Keyed hashes of the recovery codes that were not used.
    pub recovery: Vec<Digest>,
    /// Row version.
    pub version: u64,
}

/// What an authenticator app was set up with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TotpSeed {
    /// Counts the person's seeds; bound into the ciphertext.
    pub number: u32,
    /// Ciphertext.
    pub sealed: Sealed,
}

/// The question for a second factor, between the two steps of a sign-in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MfaChallenge {
    /// The challenge's id.
    pub id: MfaChallengeId,
    /// The person whose password was right.
    pub user_id: UserId,
    /// What they sign in to.
    pub kind: SessionKind,
    /// SHA-256 of its token; unique in the instance.
    pub digest: Digest,
    /// Wrong codes so far.
    pub wrong: u32,
    /// When the password was given.
    pub created_at: DateTime<Utc>,
    /// When its time is over.
    pub expires_at: DateTime<Utc>,
    /// When it was answered, or ended by wrong codes.
    pub spent_at: Option<DateTime<Utc>>,
    /// Row version.
    pub version: u64,
}

/// What somebody may do with one thing, whatever their role.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Grant {
    /// The grant's id.
    pub id: GrantId,
    /// Tenant and workspace.
    pub scope: Scope,
    /// To whom.
    pub subject: GrantSubject,
    /// What kind of thing.
    pub resource_type: ResourceType,
    /// Its id.
    pub resource_id: String,
    /// What is allowed; not empty.
    pub actions: Vec<GrantAction>,
    /// When it ends by itself.
    pub expires_at: Option<DateTime<Utc>>,
    /// Who granted it.
    pub granted_by: UserId,
    /// When.
    pub created_at: DateTime<Utc>,
    /// When it was taken back.
    pub revoked_at: Option<DateTime<Utc>>,
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
    /// Who made it, and acts with it where no service principal does.
    pub created_by: UserId,
    /// When.
    pub created_at: DateTime<Utc>,
    /// When its time is over.
    pub expires_at: DateTime<Utc>,
    /// When it was revoked.
    pub revoked_at: Option<DateTime<Utc>>,
    /// When it was last used, to the minute.
    pub last_used_at: Option<DateTime<Utc>>,
    /// From where.
    pub last_used_address: Option<String>,
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
    /// Tools it may call; `None` any, empty none.
    pub allowed_tools: Option<BTreeSet<String>>,
    /// How much content its runs keep at most; `None` as much as the workspace says.
    pub content_capture: Option<Capture>,
    /// Labels that all its runs carry.
    pub labels: BTreeMap<String, String>,
    /// The service principal that acts with it; `None` where its issuer does.
    pub principal_id: Option<ServicePrincipalId>,
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

/// A mail to be sent, and the link in it. The link's token follows from the row's id under the deployment's key: it is stored
/// nowhere, and only whoever has the key can write it again.
#[derive(Clone, PartialEq, Eq)]
pub struct Mail {
    /// The mail's id.
    pub id: MailId,
    /// What it is for.
    pub kind: MailKind,
    /// Whom it is about; none where nobody has an account yet, or nobody has the address that was asked for.
    pub user_id: Option<UserId>,
    /// The invitation it brings.
    pub invitation_id: Option<InvitationId>,
    /// Where it goes, as given; empty where it goes nowhere.
    pub email: String,
    /// The address as compared.
    pub email_key: String,
    /// Its language.
    pub language: Language,
    /// SHA-256 of the token of its link; unique in the instance.
    pub digest: Option<Digest>,
    /// The account its link makes.
    pub applicant: Option<Applicant>,
    /// When it was asked for.
    pub created_at: DateTime<Utc>,
    /// When its time is over: it is not sent any more, and its link does nothing.
    pub expires_at: DateTime<Utc>,
    /// When its link was used.
    pub used_at: Option<DateTime<Utc>>,
    /// Row version.
    pub version: u64,
}

impl std::fmt::Debug for Mail {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Mail").field("id", &self.id).field("kind", &self.kind).finish_non_exhaustive()
    }
}

/// An account that is made once its address is proved.
#[derive(Clone, PartialEq, Eq)]
pub struct Applicant {
    /// Their name.
    pub name: Name,
    /// PHC string of the password hash.
    pub password_hash: String,
}
