//! Reading accounts as a whole instance has them: those to be closed, those that own a tenant, places by their names.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use types::id::{TenantId, UserId};
use types::name::Slug;

use super::StoreError;
use crate::context::Scope;
use crate::record::User;

/// Reads accounts. Writing goes through the ledger.
#[async_trait]
pub trait Accounts: Send + Sync {
    /// Who is to be closed by now, the longest due first, at most `limit`.
    async fn list_due_closures(&self, now: DateTime<Utc>, limit: u32) -> Result<Vec<UserId>, StoreError>;
    /// Who owns a tenant.
    async fn list_tenant_owners(&self, tenant_id: TenantId) -> Result<Vec<User>, StoreError>;
    /// The workspace of a tenant, by their short names.
    async fn find_scope(&self, tenant: &Slug, workspace: &Slug) -> Result<Option<Scope>, StoreError>;
}
