//! Connections of a tenant to identity providers, and one's own links.

use async_trait::async_trait;
use types::id::{FormKey, SsoConnectionId, SsoLinkId};
use types::name::Slug;
use types::sso::{CreateOidcConnection, OidcCheck, OidcConnection, SsoLinks, UpdateOidcConnection};

use super::Answer;

/// Connections of a tenant to identity providers, and one's own links. The tenant is named by its slug.
#[async_trait]
pub trait Sso: Send + Sync {
    /// The tenant's connections, oldest first.
    async fn list_sso_connections(&self, tenant: &Slug) -> Answer<Vec<OidcConnection>>;

    /// Makes a connection.
    async fn create_sso_connection(
        &self,
        tenant: &Slug,
        form_key: Option<FormKey>,
        command: CreateOidcConnection,
    ) -> Answer<OidcConnection>;

    /// Changes a connection that is still at `version`.
    async fn update_sso_connection(
        &self,
        tenant: &Slug,
        id: SsoConnectionId,
        version: u64,
        command: UpdateOidcConnection,
    ) -> Answer<OidcConnection>;

    /// Deletes a connection.
    async fn delete_sso_connection(&self, tenant: &Slug, id: SsoConnectionId) -> Answer<()>;

    /// Whether its provider answers as it must.
    async fn test_sso_connection(&self, tenant: &Slug, id: SsoConnectionId) -> Answer<OidcCheck>;

    /// One's own links, and what can be linked.
    async fn list_sso_links(&self) -> Answer<SsoLinks>;

    /// Takes one of them away.
    async fn unlink_sso(&self, id: SsoLinkId) -> Answer<()>;
}
