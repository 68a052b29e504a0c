//! One row to write, of whatever table.

use crate::context::Scope;
use types::budget::Budget;
use types::modelhub::{Model, Price, Provider};

use super::{
    ApiKey, EgressLayer, Feedback, Grant, Group, GroupMember, Invitation, KeySecret, LegalHold, LoginThrottle, Mail,
    MfaChallenge, Retention, RetentionReport, SavedView, SecondFactor, Secret, ServicePrincipal, Session,
    SsoConnection, SsoLink, SsoLogout, SsoSession, Tenant, TenantMember, User, ViewDefaults, Workspace,
    WorkspaceMember,
};

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
    /// `service_principals`
    ServicePrincipal(ServicePrincipal),
    /// `workspace_groups`; deleted ones stay as rows, their names are free again
    Group(Group),
    /// `workspace_group_members`
    GroupMember(GroupMember),
    /// `resource_grants`; revoked ones stay as rows
    Grant(Grant),
    /// `second_factors`
    SecondFactor(SecondFactor),
    /// `mfa_challenges`
    MfaChallenge(MfaChallenge),
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
    /// `mails`
    Mail(Mail),
    /// `saved_views`; deleted ones stay as rows, their names are free again
    SavedView(SavedView),
    /// `view_defaults`
    ViewDefaults(ViewDefaults),
    /// `feedback`
    Feedback(Feedback),
    /// `retention`
    Retention(Retention),
    /// `legal_holds` and `legal_hold_runs`; released ones stay as rows
    LegalHold(LegalHold),
    /// `retention_reports`
    RetentionReport(RetentionReport),
    /// `sso_connections`; deleted ones stay as rows
    SsoConnection(SsoConnection),
    /// `sso_links`; removed ones stay as rows, and their account at the provider is free again
    SsoLink(SsoLink),
    /// `sso_sessions`
    SsoSession(SsoSession),
    /// `sso_logouts`
    SsoLogout(SsoLogout),
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
            Self::ServicePrincipal(row) => row.version,
            Self::Group(row) => row.version,
            Self::GroupMember(row) => row.version,
            Self::Grant(row) => row.version,
            Self::SecondFactor(row) => row.version,
            Self::MfaChallenge(row) => row.version,
            Self::ApiKey(row) => row.version,
            Self::KeySecret(row) => row.version,
            Self::Secret(row) => row.version,
            Self::Provider { provider, .. } => provider.version,
            Self::Model(_, row) => row.version,
            Self::Price(..) => 1,
            Self::Budget { budget, .. } => budget.version,
            Self::EgressLayer(row) => row.version,
            Self::LoginThrottle(row) => row.version,
            Self::Mail(row) => row.version,
            Self::SavedView(row) => row.version,
            Self::ViewDefaults(row) => row.version,
            Self::Feedback(row) => row.version,
            Self::Retention(row) => row.version,
            Self::LegalHold(row) => row.version,
            Self::RetentionReport(row) => row.version,
            Self::SsoConnection(row) => row.version,
            Self::SsoLink(row) => row.version,
            Self::SsoSession(row) => row.version,
            Self::SsoLogout(row) => row.version,
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
            Self::ServicePrincipal(_) => "service principal",
            Self::Group(_) => "group",
            Self::GroupMember(_) => "group member",
            Self::Grant(_) => "grant",
            Self::SecondFactor(_) => "second factor",
            Self::MfaChallenge(_) => "mfa challenge",
            Self::ApiKey(_) => "api key",
            Self::KeySecret(_) => "api key secret",
            Self::Secret(_) => "secret",
            Self::Provider { .. } => "provider",
            Self::Model(..) => "model",
            Self::Price(..) => "price",
            Self::Budget { .. } => "budget",
            Self::EgressLayer(_) => "egress policy",
            Self::LoginThrottle(_) => "login throttle",
            Self::Mail(_) => "mail",
            Self::SavedView(_) => "saved view",
            Self::ViewDefaults(_) => "view defaults",
            Self::Feedback(_) => "feedback",
            Self::Retention(_) => "retention",
            Self::LegalHold(_) => "legal hold",
            Self::RetentionReport(_) => "retention report",
            Self::SsoConnection(_) => "sso connection",
            Self::SsoLink(_) => "sso link",
            Self::SsoSession(_) => "sso session",
            Self::SsoLogout(_) => "sso logout",
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
            Self::ServicePrincipal(row) => row.id.to_string(),
            Self::Group(row) => row.id.to_string(),
            Self::GroupMember(row) => format!("{}/{}", row.group_id, row.user_id),
            Self::Grant(row) => row.id.to_string(),
            Self::SecondFactor(row) => row.user_id.to_string(),
            Self::MfaChallenge(row) => row.id.to_string(),
            Self::ApiKey(row) => row.id.to_string(),
            Self::KeySecret(row) => row.id.to_string(),
            Self::Secret(row) => row.id.to_string(),
            Self::Provider { provider, .. } => provider.id.to_string(),
            Self::Model(_, row) => row.id.to_string(),
            Self::Price(_, row) => row.id.to_string(),
            Self::Budget { budget, .. } => budget.id.to_string(),
            Self::EgressLayer(row) => row.scope.workspace_id.to_string(),
            Self::LoginThrottle(row) => row.key.clone(),
            Self::Mail(row) => row.id.to_string(),
            Self::SavedView(row) => row.id.to_string(),
            Self::ViewDefaults(row) => format!("{}/{}", row.scope.workspace_id, row.user_id),
            Self::Feedback(row) => row.id.to_string(),
            Self::Retention(row) => row.scope.workspace_id.to_string(),
            Self::LegalHold(row) => row.id.to_string(),
            Self::RetentionReport(row) => row.id.to_string(),
            Self::SsoConnection(row) => row.id.to_string(),
            Self::SsoLink(row) => row.id.to_string(),
            Self::SsoSession(row) => row.session_id.to_string(),
            Self::SsoLogout(row) => row.id.to_string(),
        }
    }
}
