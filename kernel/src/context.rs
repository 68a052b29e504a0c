//! Who asks, where, with what power, when: the first argument of every use case.

use std::net::IpAddr;
use std::sync::Arc;

use chrono::{DateTime, Utc};
use types::id::{ApiKeyId, FormKey, RequestId, ServicePrincipalId, SessionId, TenantId, UserId, WorkspaceId};
use types::identity::{Role, Scope as Reach, TenantRole};
use types::run::{Caller, CallerKind, Entry};

use crate::policy::Granted;
use crate::record::{ApiKey, Digest};

/// The walls around a row: every store function takes one, so a query without scope does not type-check.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Scope {
    /// The tenant.
    pub tenant_id: TenantId,
    /// The workspace of that tenant.
    pub workspace_id: WorkspaceId,
}

impl Scope {
    /// The walls around what belongs to no tenant: failed sign-ins of unknown addresses, people who belong nowhere.
    pub const INSTANCE: Self = Self {
        tenant_id: TenantId::from_uuid(types::id::Uuid::nil()),
        workspace_id: WorkspaceId::from_uuid(types::id::Uuid::nil()),
    };

    /// The walls around what a tenant does as a whole: its audit and its chain lie there, beside those of its workspaces. No
    /// workspace has the id of its tenant.
    pub const fn of_tenant(tenant_id: TenantId) -> Self {
        Self { tenant_id, workspace_id: WorkspaceId::from_uuid(tenant_id.as_uuid()) }
    }

    /// Whether it is a tenant as a whole, or the instance.
    pub fn is_of_tenant(&self) -> bool {
        self.tenant_id.as_uuid() == self.workspace_id.as_uuid()
    }
}

/// What proved who asks.
#[derive(Clone, Debug)]
pub enum Credential {
    /// An API key; carries its limits.
    ApiKey(Arc<ApiKey>),
    /// A session, console or API.
    Session(SessionId),
    /// soit itself: workers, the command line, bootstrap.
    System(&'static str),
}

/// A service principal that asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Principal {
    /// Its id.
    pub id: ServicePrincipalId,
    /// Who answers for it.
    pub owner_id: UserId,
}

/// Everything a decision may depend on besides the request's own body. Built by `identity::authenticate`, never by a
/// door.
#[derive(Clone, Debug)]
pub struct OpContext {
    /// The person who asks (with a key, its issuer); none for service principals and the system: what is a person's own is
    /// not theirs.
    pub user_id: Option<UserId>,
    /// The service principal that asks, if one does.
    pub principal: Option<Principal>,
    /// What was granted to who asks.
    pub granted: Arc<Granted>,
    /// Tenant and workspace of the request, or the tenant as a whole; [`Scope::INSTANCE`] while it concerns the person alone.
    pub scope: Scope,
    /// What proved it.
    pub credential: Credential,
    /// Digest of the credential's text, to look it up again when access rules change.
    pub token: Option<Digest>,
    /// Role in the workspace; none for tenant-level and system work.
    pub role: Option<Role>,
    /// The role the session was lowered to, if it was: the others are no higher.
    pub view_as: Option<Role>,
    /// Role in the tenant.
    pub tenant_role: Option<TenantRole>,
    /// Whether the workspace is archived: it is read, and nothing in it changes.
    pub is_archived: bool,
    /// Whether the person runs the instance.
    pub is_operator: bool,
    /// How far the credential reaches; sessions reach everything.
    pub reach: Reach,
    /// The epoch the decision was made under; a stale one is refused by the store.
    pub auth_epoch: u64,
    /// Until when the proof of identity is fresh.
    pub elevated_until: Option<DateTime<Utc>>,
    /// Whether the person has a password; who has none proves themselves again by their identity provider.
    pub has_password: bool,
    /// Through which door.
    pub entry: Entry,
    /// The HTTP request.
    pub request_id: RequestId,
    /// The form it comes from, if one that tells its repeats apart.
    pub form_key: Option<FormKey>,
    /// W3C trace id, 32 hex digits.
    pub trace_id: String,
    /// The client's address.
    pub address: Option<IpAddr>,
    /// The time of admission: decides day, period and price.
    pub now: DateTime<Utc>,
}

impl OpContext {
    /// What a role in a tenant comes to: who is seen as a role of a workspace is no more than a member of its tenant.
    pub fn tenant_power(&self, role: TenantRole) -> TenantRole {
        if self.view_as.is_some() { TenantRole::Member } else { role }
    }

    /// The context of soit's own work in a scope.
    pub fn system(name: &'static str, scope: Scope, request_id: RequestId, now: DateTime<Utc>) -> Self {
        Self {
            user_id: None,
            principal: None,
            granted: Arc::default(),
            scope,
            credential: Credential::System(name),
            token: None,
            role: None,
            view_as: None,
            tenant_role: None,
            is_archived: false,
            is_operator: false,
            reach: Reach::Admin,
            auth_epoch: 0,
            elevated_until: None,
            has_password: false,
            entry: Entry::Internal,
            request_id,
            form_key: None,
            trace_id: format!("{:032x}", request_id.as_uuid().as_u128()),
            address: None,
            now,
        }
    }

    /// Who asks, as runs and audit rows name them.
    pub fn caller(&self) -> Caller {
        if let Some(principal) = &self.principal {
            return Caller { kind: CallerKind::ServicePrincipal, id: principal.id.to_string() };
        }
        match (&self.user_id, &self.credential) {
            (Some(user_id), _) => Caller { kind: CallerKind::User, id: user_id.to_string() },
            (None, Credential::System(name)) => Caller { kind: CallerKind::System, id: (*name).to_owned() },
            (None, _) => Caller { kind: CallerKind::System, id: "unknown".to_owned() },
        }
    }

    /// The person answered for: who asks, or the owner of the service principal that does.
    pub fn answerable(&self) -> Option<UserId> {
        self.user_id.or_else(|| self.principal.map(|principal| principal.owner_id))
    }

    /// The key used, if one was.
    pub fn api_key(&self) -> Option<&Arc<ApiKey>> {
        match &self.credential {
            Credential::ApiKey(key) => Some(key),
            Credential::Session(_) | Credential::System(_) => None,
        }
    }

    /// The id of the key used.
    pub fn api_key_id(&self) -> Option<ApiKeyId> {
        self.api_key().map(|key| key.id)
    }

    /// The id of the credential, for audit rows.
    pub fn credential_id(&self) -> Option<String> {
        match &self.credential {
            Credential::ApiKey(key) => Some(key.id.to_string()),
            Credential::Session(id) => Some(id.to_string()),
            Credential::System(_) => None,
        }
    }

    /// Whether a fresh proof of identity is at hand.
    pub fn is_elevated(&self) -> bool {
        matches!(self.credential, Credential::System(_)) || self.elevated_until.is_some_and(|until| self.now < until)
    }
}
