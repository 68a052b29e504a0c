//! Connections of a tenant to identity providers, and one's own links.

use app::backend::{Answer, Sso};
use async_trait::async_trait;
use kernel::OpContext;
use types::id::{FormKey, SsoConnectionId, SsoLinkId};
use types::name::Slug;
use types::sso::{CreateOidcConnection, OidcCheck, OidcConnection, SsoLinks, UpdateOidcConnection};

use super::{Visitor, gone};

#[async_trait]
impl Sso for Visitor {
    async fn list_sso_connections(&self, tenant: &Slug) -> Answer<Vec<OidcConnection>> {
        let listed = async {
            let ctx = self.tenant(tenant.as_str()).await?;
            self.app.identity.list_sso_connections(&ctx).await
        };
        self.answer(listed.await)
    }

    async fn create_sso_connection(
        &self,
        tenant: &Slug,
        form_key: Option<FormKey>,
        command: CreateOidcConnection,
    ) -> Answer<OidcConnection> {
        let created = async {
            let ctx = self.tenant(tenant.as_str()).await?;
            let ctx = OpContext { form_key, ..ctx };
            self.app.identity.create_sso_connection(&ctx, &command).await
        };
        self.answer(created.await)
    }

    async fn update_sso_connection(
        &self,
        tenant: &Slug,
        id: SsoConnectionId,
        version: u64,
        command: UpdateOidcConnection,
    ) -> Answer<OidcConnection> {
        let updated = async {
            let ctx = self.tenant(tenant.as_str()).await?;
            self.app.identity.update_sso_connection(&ctx, id, Some(version), &command).await
        };
        self.answer(updated.await)
    }

    async fn delete_sso_connection(&self, tenant: &Slug, id: SsoConnectionId) -> Answer<()> {
        let deleted = async {
            let ctx = self.tenant(tenant.as_str()).await?;
            gone(self.app.identity.delete_sso_connection(&ctx, id).await)
        };
        self.answer(deleted.await)
    }

    async fn test_sso_connection(&self, tenant: &Slug, id: SsoConnectionId) -> Answer<OidcCheck> {
        let tested = async {
            let ctx = self.tenant(tenant.as_str()).await?;
            self.app.identity.test_sso_connection(&ctx, id).await
        };
        self.answer(tested.await)
    }

    async fn list_sso_links(&self) -> Answer<SsoLinks> {
        let listed = async { self.app.identity.list_sso_links(&self.person().await?).await };
        self.answer(listed.await)
    }

    async fn unlink_sso(&self, id: SsoLinkId) -> Answer<()> {
        let unlinked = async { gone(self.app.identity.unlink_sso(&self.person().await?, id).await) };
        self.answer(unlinked.await)
    }
}
