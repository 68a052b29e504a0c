//! Egress rules of a workspace.

use async_trait::async_trait;
use types::egress::{EgressPolicy, EgressRule};
use types::id::{EgressRuleId, FormKey, ProviderId};
use types::name::Slug;

use super::Answer;

/// Egress rules of a workspace. Changes may answer `step_up_required`.
#[async_trait]
pub trait Egress: Send + Sync {
    /// The workspace's layer.
    async fn find_egress_policy(&self, workspace: &Slug) -> Answer<EgressPolicy>;

    /// Adds what a provider account's base URL still lacks: the rule, and the private network where there is one.
    async fn accept_egress_offer(&self, workspace: &Slug, provider: ProviderId) -> Answer<EgressPolicy>;

    /// Adds one rule.
    async fn create_egress_rule(
        &self,
        workspace: &Slug,
        form_key: Option<FormKey>,
        rule: EgressRule,
    ) -> Answer<EgressPolicy>;

    /// Removes one rule.
    async fn delete_egress_rule(&self, workspace: &Slug, id: EgressRuleId) -> Answer<EgressPolicy>;

    /// Closes a private network (CIDR) that was opened.
    async fn close_private_network(&self, workspace: &Slug, network: &str) -> Answer<EgressPolicy>;
}
