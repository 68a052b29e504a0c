//! Egress layers.

use types::egress::{EgressRule, PutEgressPolicy, Scheme};
use types::identity::Role;
use types::problem::Code;

use super::world::World;

fn rule(host: &str) -> EgressRule {
    EgressRule { id: None, schemes: vec![Scheme::Https], host: host.to_owned(), ports: Vec::new(), note: String::new() }
}

fn layer(hosts: &[&str]) -> PutEgressPolicy {
    PutEgressPolicy { rules: hosts.iter().map(|host| rule(host)).collect(), ..PutEgressPolicy::default() }
}

#[tokio::test]
async fn a_layer_is_replaced_only_by_who_has_seen_it() {
    let world = World::new();
    let (policies, ctx) = (world.egress_policies(), world.caller(Role::Admin));
    let empty = policies.find_policy(&ctx).await.unwrap();
    let missing = policies.put_policy(&ctx, None, layer(&["a.test"])).await.unwrap_err();
    assert_eq!(
        (missing.code(), missing.problem().revision),
        (Code::PreconditionRequired, Some(empty.bundle_id.clone()))
    );
    let first = policies.put_policy(&ctx, Some(&empty.bundle_id), layer(&["a.test", "b.test"])).await.unwrap();
    let stale = policies.put_policy(&ctx, Some(&empty.bundle_id), layer(&[])).await.unwrap_err();
    assert_eq!((stale.code(), stale.problem().revision), (Code::PolicyConflict, Some(first.bundle_id.clone())));
    let same = policies.put_policy(&ctx, Some(&first.bundle_id), layer(&["B.TEST.", "a.test"])).await.unwrap();
    assert_eq!(same.bundle_id, first.bundle_id);
    let none = policies.put_policy(&ctx, Some(&same.bundle_id), layer(&[])).await.unwrap();
    assert_eq!(none.bundle_id, empty.bundle_id);
}

#[tokio::test]
async fn one_rule_is_added_and_removed_by_its_id() {
    let world = World::new();
    let (policies, ctx) = (world.egress_policies(), world.caller(Role::Admin));
    let added = policies.create_rule(&ctx, rule("a.test")).await.unwrap();
    policies.create_rule(&ctx, rule("b.test")).await.unwrap();
    let left = policies.delete_rule(&ctx, added.rules[0].id.unwrap()).await.unwrap();
    assert_eq!(left.rules.iter().map(|rule| rule.host.as_str()).collect::<Vec<_>>(), ["b.test"]);
    let again = policies.delete_rule(&ctx, added.rules[0].id.unwrap()).await.unwrap_err();
    assert_eq!(again.code(), Code::NotFound);
    let rows = world.rows();
    assert_eq!(rows.audit[2].payload["removed"]["rules"][0]["host"], "a.test");
    assert_eq!(rows.audit[2].payload["added"]["rule_count"], 0);
}

#[tokio::test]
async fn changing_what_may_leave_asks_for_a_fresh_proof() {
    let world = World::new();
    let ctx = kernel::OpContext { elevated_until: None, ..world.caller(Role::Owner) };
    let refused = world.egress_policies().create_rule(&ctx, rule("a.test")).await.unwrap_err();
    assert_eq!(refused.code(), Code::StepUpRequired);
}
