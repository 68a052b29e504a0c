//! Reading connections to identity providers, what is linked by them, and the sessions they opened.

use async_trait::async_trait;
use types::id::{SsoConnectionId, SsoLinkId, TenantId, UserId};

use super::StoreError;
use crate::record::{Session, SsoConnection, SsoLink, Workspace};

/// Reads what single sign-on needs. Writing goes through the ledger.
#[async_trait]
pub trait SingleSignOn: Send + Sync {
    /// The connections of these tenants that were not deleted, oldest first.
    async fn list_connections(&self, tenants: &[TenantId]) -> Result<Vec<SsoConnection>, StoreError>;
    /// The connections of all active tenants, oldest first, at most `limit`: for who has not signed in yet.
    async fn list_offered(&self, limit: u32) -> Result<Vec<SsoConnection>, StoreError>;
    /// One that was not deleted, whosever it is: for who has not signed in yet.
    async fn find_connection(&self, id: SsoConnectionId) -> Result<Option<SsoConnection>, StoreError>;
    /// The workspaces of a tenant that were not archived, oldest first.
    async fn list_tenant_workspaces(&self, tenant_id: TenantId) -> Result<Vec<Workspace>, StoreError>;
    /// The living link of an account at a provider.
    async fn find_link(&self, issuer: &str, subject: &str) -> Result<Option<SsoLink>, StoreError>;
    /// Somebody's living links, oldest first.
    async fn list_links(&self, user_id: UserId) -> Result<Vec<SsoLink>, StoreError>;
    /// The sessions that were opened through a connection and have not ended: of one link, of one session of the provider, or
    /// of both together.
    async fn list_opened(
        &self,
        connection_id: SsoConnectionId,
        link: Option<SsoLinkId>,
        sid: Option<&str>,
    ) -> Result<Vec<Session>, StoreError>;
    /// Forgets sign-outs whose tokens are too old by the database's clock, at most `limit`; returns how many.
    async fn prune_logouts(&self, limit: u32) -> Result<u64, StoreError>;
}
