//! The use cases. A layer is replaced as a whole; the caller must have seen the one it replaces.

use std::sync::Arc;

use serde_json::{Value, json};
use types::egress::{EgressPolicy, EgressRule, PutEgressPolicy};
use types::id::{EgressRuleId, ProviderId};
use types::problem::Code;

use super::{bundle, normal};
use crate::change::{Change, Editor};
use crate::check::Checks;
use crate::context::OpContext;
use crate::error::{Error, Result};
use crate::policy::egress::{Deployment, EMPTY_BUNDLE, Target, offer};
use crate::policy::guard;
use crate::port::{Resolver, Snapshot};
use crate::record::{EgressLayer, Row};

/// Most rules or networks an audit row lists.
const MOST_AUDITED: usize = 20;

/// Egress layers of workspaces.
#[derive(Clone)]
pub struct EgressPolicies {
    editor: Editor,
    resolver: Arc<dyn Resolver>,
    deployment: Arc<Deployment>,
}

impl EgressPolicies {
    /// The use cases on these ports.
    pub fn new(editor: Editor, resolver: Arc<dyn Resolver>, deployment: Arc<Deployment>) -> Self {
        Self { editor, resolver, deployment }
    }

    /// The workspace's layer; without one, an empty layer: nothing leaves.
    pub async fn find_policy(&self, ctx: &OpContext) -> Result<EgressPolicy> {
        guard::authorize(ctx, "egress.read")?;
        Ok(present(&*self.editor.read(ctx).await?))
    }

    /// Replaces the layer, if it is still the bundle the caller has seen.
    pub async fn put_policy(
        &self,
        ctx: &OpContext,
        bundle_id: Option<&str>,
        command: PutEgressPolicy,
    ) -> Result<EgressPolicy> {
        let decide = |snapshot: &Snapshot| {
            same_bundle(bundle_id, &present(snapshot).bundle_id)?;
            self.replace(ctx, snapshot, &command)
        };
        self.editor.change(ctx, "egress.update", decide).await
    }

    /// Adds what a provider account's base URL still lacks: the rule, and the private networks where there are any.
    pub async fn accept_offer(&self, ctx: &OpContext, provider_id: ProviderId) -> Result<EgressPolicy> {
        guard::authorize(ctx, "egress.update")?;
        let snapshot = self.editor.read(ctx).await?;
        let account =
            snapshot.providers.iter().find(|provider| provider.id == provider_id).ok_or_else(Error::not_found)?;
        let target = Target::parse(&account.base_url)?;
        let offered = offer(&self.deployment, snapshot.egress.as_ref(), &target, &*self.resolver).await;
        if !offered.openable {
            return Err(Error::invalid("provider", "lives at an address that no rule of a workspace can open"));
        }
        let reason = format!("for the provider account `{}`", account.slug);
        let decide = |snapshot: &Snapshot| {
            let EgressPolicy { mut rules, mut private_networks, .. } = present(snapshot);
            if !rules.iter().any(|rule| same_rule(rule, &offered.rule)) {
                rules.push(offered.rule.clone());
            }
            private_networks.extend(offered.private_networks.iter().cloned());
            self.replace(ctx, snapshot, &PutEgressPolicy { rules, private_networks, reason: reason.clone() })
        };
        self.editor.change(ctx, "egress.update", decide).await
    }

    /// Adds one rule.
    pub async fn create_rule(&self, ctx: &OpContext, mut rule: EgressRule) -> Result<EgressPolicy> {
        rule.id = Some(ctx.new_id(self.editor.ids(), "egress.update", &rule)?);
        let decide = |snapshot: &Snapshot| {
            let policy = present(snapshot);
            if policy.rules.iter().any(|known| known.id == rule.id) {
                return Ok(Change::none(policy));
            }
            let EgressPolicy { mut rules, private_networks, .. } = policy;
            rules.push(rule.clone());
            self.replace(ctx, snapshot, &PutEgressPolicy { rules, private_networks, reason: String::new() })
        };
        self.editor.change(ctx, "egress.update", decide).await
    }

    /// Removes one rule.
    pub async fn delete_rule(&self, ctx: &OpContext, id: EgressRuleId) -> Result<EgressPolicy> {
        let decide = |snapshot: &Snapshot| {
            let EgressPolicy { mut rules, private_networks, .. } = present(snapshot);
            let before = rules.len();
            rules.retain(|rule| rule.id != Some(id));
            if rules.len() == before {
                return Err(Error::not_found());
            }
            self.replace(ctx, snapshot, &PutEgressPolicy { rules, private_networks, reason: String::new() })
        };
        self.editor.change(ctx, "egress.update", decide).await
    }

    /// Closes one private network.
    pub async fn close_network(&self, ctx: &OpContext, network: &str) -> Result<EgressPolicy> {
        let decide = |snapshot: &Snapshot| {
            let EgressPolicy { rules, mut private_networks, .. } = present(snapshot);
            let before = private_networks.len();
            private_networks.retain(|open| open != network);
            if private_networks.len() == before {
                return Err(Error::not_found());
            }
            self.replace(ctx, snapshot, &PutEgressPolicy { rules, private_networks, reason: String::new() })
        };
        self.editor.change(ctx, "egress.update", decide).await
    }

    fn replace(&self, ctx: &OpContext, snapshot: &Snapshot, command: &PutEgressPolicy) -> Result<Change<EgressPolicy>> {
        let mut checks = Checks::default();
        let rules = normal::rules(&command.rules, || self.editor.ids().egress_rule(), &mut checks);
        let private_networks = normal::networks(&command.private_networks, &self.deployment, &mut checks);
        checks.text(&command.reason, 0, 500, "reason");
        checks.done()?;
        let before = present(snapshot);
        let bundle_id = bundle::bundle_id(&rules, &private_networks)?;
        let policy = EgressPolicy { bundle_id, rules, private_networks, updated_at: Some(ctx.now) };
        let layer = EgressLayer {
            scope: ctx.scope,
            revision_id: self.editor.ids().revision(),
            policy: policy.clone(),
            version: snapshot.egress.as_ref().map_or(0, |layer| layer.version) + 1,
        };
        let payload = json!({
            "revision_id": layer.revision_id,
            "reason": command.reason,
            "before": before.bundle_id,
            "after": policy.bundle_id,
            "added": facts(&policy, &before),
            "removed": facts(&before, &policy),
        });
        let change = Change::new("egress.updated", ctx.scope.workspace_id, payload, policy);
        Ok(change.row(Row::EgressLayer(layer)))
    }
}

fn present(snapshot: &Snapshot) -> EgressPolicy {
    let empty = || EgressPolicy { bundle_id: EMPTY_BUNDLE.to_owned(), ..EgressPolicy::default() };
    snapshot.egress.as_ref().map_or_else(empty, |layer| layer.policy.clone())
}

/// Demands that the caller has seen the bundle in force: absent 428, another 412, both with the one in force.
fn same_bundle(expected: Option<&str>, present: &str) -> Result<()> {
    let (code, detail) = match expected {
        Some(bundle_id) if bundle_id == present => return Ok(()),
        Some(_) => (Code::PolicyConflict, "the policy changed since it was read, read it again"),
        None => (Code::PreconditionRequired, "send `If-Match` with the bundle id that was read"),
    };
    Err(Error::new(code, detail).with_revision(present))
}

fn same_rule(one: &EgressRule, other: &EgressRule) -> bool {
    (&one.schemes, &one.host, &one.ports) == (&other.schemes, &other.host, &other.ports)
}

/// What the audit says: rules and networks that one layer has and another has not. A long list is cut, its length is told.
fn facts(one: &EgressPolicy, other: &EgressPolicy) -> Value {
    let rules: Vec<&EgressRule> =
        one.rules.iter().filter(|rule| !other.rules.iter().any(|known| same_rule(rule, known))).collect();
    let networks: Vec<&String> =
        one.private_networks.iter().filter(|network| !other.private_networks.contains(network)).collect();
    json!({
        "rule_count": rules.len(),
        "rules": rules.iter().take(MOST_AUDITED).collect::<Vec<_>>(),
        "private_networks": networks.iter().take(MOST_AUDITED).collect::<Vec<_>>(),
    })
}
