//! What every store of minute limits must do, whatever clock it counts by.

use std::time::Duration;

use chrono::{DateTime, Utc};
use futures::future::join_all;
use kernel::context::Scope;
use kernel::port::{LimitDecision, Limits};
use types::id::{TenantId, Uuid, WorkspaceId};

/// A workspace of a tenant of its own.
pub fn scope(number: u128) -> Scope {
    Scope {
        tenant_id: TenantId::from_uuid(Uuid::from_u128(number)),
        workspace_id: WorkspaceId::from_uuid(Uuid::from_u128(number)),
    }
}

async fn take(limits: &impl Limits, key: &str, per_minute: u32) -> LimitDecision {
    limits.take(scope(1), key, per_minute).await.expect("limits that can be asked")
}

#[expect(clippy::disallowed_methods, reason = "the stores under test count by the system's clock")]
fn now() -> DateTime<Utc> {
    Utc::now()
}

/// The burst is the limit, each call names what is left, and the one too many is told when it fits.
pub async fn a_minute_holds_exactly_the_limit(limits: impl Limits) {
    let started = now();
    for left in (0..6).rev() {
        let taken = take(&limits, "key", 6).await;
        assert_eq!((taken.allowed, taken.remaining), (true, left));
    }
    let whole = take(&limits, "whole", 6).await.resets_at - now();
    assert!((9_000..=10_000).contains(&whole.num_milliseconds()), "a sixth of a minute is taken: {whole}");
    let refused = take(&limits, "key", 6).await;
    assert_eq!((refused.allowed, refused.remaining), (false, 0));
    let fits = (refused.resets_at - started).num_milliseconds();
    assert!((10_000..12_000).contains(&fits), "the first share is free after ten seconds: {fits}");
}

/// Being refused takes nothing.
pub async fn a_refusal_takes_nothing(limits: impl Limits) {
    assert!(take(&limits, "key", 1).await.allowed);
    let first = take(&limits, "key", 1).await;
    let last = join_all((0..20).map(|_| take(&limits, "key", 1))).await;
    let apart = |decision: &LimitDecision| (decision.resets_at - first.resets_at).num_milliseconds().abs();
    assert!(last.iter().all(|decision| !decision.allowed && apart(decision) < 1_000), "{first:?} {last:?}");
}

/// A share that is free again admits one call and no second one.
pub async fn a_freed_share_admits_one_call(limits: impl Limits) {
    let refused = loop {
        let decision = take(&limits, "key", 60).await;
        if !decision.allowed {
            break decision;
        }
    };
    let wait = (refused.resets_at - now()).to_std().unwrap_or_default();
    tokio::time::sleep(wait + Duration::from_millis(20)).await;
    assert!(take(&limits, "key", 60).await.allowed);
    assert!(!take(&limits, "key", 60).await.allowed);
}

/// However many come at once.
pub async fn calls_at_once_take_no_more_than_the_limit(limits: impl Limits) {
    let decisions = join_all((0..100).map(|_| take(&limits, "key", 10))).await;
    assert_eq!(decisions.iter().filter(|decision| decision.allowed).count(), 10);
    let mut left: Vec<u32> =
        decisions.iter().filter(|decision| decision.allowed).map(|decision| decision.remaining).collect();
    left.sort_unstable();
    assert_eq!(left, (0..10).collect::<Vec<u32>>());
}

/// A key is known by its name within a workspace.
pub async fn keys_tenants_and_workspaces_are_counted_apart(limits: impl Limits) {
    let elsewhere = Scope { workspace_id: scope(3).workspace_id, ..scope(1) };
    for (scope, key) in [(scope(1), "a"), (scope(1), "b"), (scope(2), "a"), (elsewhere, "a")] {
        let allowed = async || limits.take(scope, key, 1).await.expect("limits that can be asked").allowed;
        assert_eq!((allowed().await, allowed().await), (true, false), "{scope:?} {key}");
    }
}

/// A limit of nothing lets nobody through; one that is raised gives more at once.
pub async fn a_limit_may_change_and_may_be_nothing(limits: impl Limits) {
    let none = take(&limits, "none", 0).await;
    assert_eq!((none.allowed, none.remaining), (false, 0));
    assert!(take(&limits, "key", 1).await.allowed);
    assert!(!take(&limits, "key", 1).await.allowed);
    assert!(!take(&limits, "key", 2).await.allowed, "the whole minute is taken");
    assert!(take(&limits, "other", 100_000).await.remaining == 99_999, "the largest limit is counted exactly");
}

/// Makes a test of each of these: `limits_contract!(open)`, where `open()` gives limits that nobody used.
#[macro_export]
macro_rules! limits_contract {
    ($open:path) => {
        $crate::limits_contract! { @cases $open;
            a_minute_holds_exactly_the_limit,
            a_refusal_takes_nothing,
            a_freed_share_admits_one_call,
            calls_at_once_take_no_more_than_the_limit,
            keys_tenants_and_workspaces_are_counted_apart,
            a_limit_may_change_and_may_be_nothing,
        }
    };
    (@cases $open:path; $($case:ident,)+) => {
        $(
            #[tokio::test]
            async fn $case() {
                $crate::contract::limits::$case($open().await).await;
            }
        )+
    };
}
