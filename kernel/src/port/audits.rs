//! Reading the audit.

use async_trait::async_trait;
use types::audit::{AuditEntry, AuditQuery};
use types::id::UserId;
use types::page::Page;

use super::StoreError;
use crate::context::Scope;

/// Reads audit rows. What lies outside the scope is not there; with a person as `by`, neither is what others did.
#[async_trait]
pub trait Audits: Send + Sync {
    /// One page of the audit, newest first.
    async fn list_audit(
        &self,
        scope: Scope,
        by: Option<UserId>,
        query: &AuditQuery,
    ) -> Result<Page<AuditEntry>, StoreError>;
    /// The row of that number.
    async fn find_audit(&self, scope: Scope, by: Option<UserId>, seq: u64) -> Result<Option<AuditEntry>, StoreError>;
}
