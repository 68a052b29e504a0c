//! The domain's rows that are not ledger rows: what a `RowPut` writes and a repository reads.
//!
//! Every record but users, mails and tenants lies in a scope. `version` starts at 1 and grows by one with each write.

mod identity;
mod retention;
mod row;
mod setup;
mod sso;

pub use identity::{
    ApiKey, Applicant, Digest, Grant, Group, GroupMember, Invitation, KeySecret, LoginThrottle, Mail, MfaChallenge,
    SecondFactor, ServicePrincipal, Session, Tenant, TenantMember, TotpSeed, User, Workspace, WorkspaceMember,
};
pub use retention::{LegalHold, Release, Retention, RetentionReport};
pub use row::Row;
pub use setup::{EgressLayer, Feedback, SavedView, Secret, ViewDefaults};
pub use sso::{ClientSecret, SsoConnection, SsoGiven, SsoLink, SsoLogout, SsoSession};
