//! What may leave the workspace.

use app::backend::{Answer, Egress};
use async_trait::async_trait;
use types::egress::{EgressPolicy, EgressRule};
use types::id::{EgressRuleId, FormKey, ProviderId};
use types::name::Slug;

use super::{Visitor, gone};

#[async_trait]
impl Egress for Visitor {
    async fn find_egress_policy(&self, workspace: &Slug) -> Answer<EgressPolicy> {
        self.answer(async { self.app.egress_policies.find_policy(&self.enter(workspace).await?).await }.await)
    }

    async fn accept_egress_offer(&self, workspace: &Slug, provider: ProviderId) -> Answer<EgressPolicy> {
        self.answer(
            async { self.app.egress_policies.accept_offer(&self.enter(workspace).await?, provider).await }.await,
        )
    }

    async fn create_egress_rule(
        &self,
        workspace: &Slug,
        form_key: Option<FormKey>,
        rule: EgressRule,
    ) -> Answer<EgressPolicy> {
        self.answer(
            async { self.app.egress_policies.create_rule(&self.enter_with(workspace, form_key).await?, rule).await }
                .await,
        )
    }

    async fn delete_egress_rule(&self, workspace: &Slug, id: EgressRuleId) -> Answer<EgressPolicy> {
        let deleted = async {
            let ctx = self.enter(workspace).await?;
            gone(self.app.egress_policies.delete_rule(&ctx, id).await.map(drop))?;
            self.app.egress_policies.find_policy(&ctx).await
        };
        self.answer(deleted.await)
    }

    async fn close_private_network(&self, workspace: &Slug, network: &str) -> Answer<EgressPolicy> {
        let closed = async {
            let ctx = self.enter(workspace).await?;
            gone(self.app.egress_policies.close_network(&ctx, network).await.map(drop))?;
            self.app.egress_policies.find_policy(&ctx).await
        };
        self.answer(closed.await)
    }
}
