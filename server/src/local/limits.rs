//! Calls a minute, counted by this process.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use chrono::{DateTime, TimeDelta, Utc};
use kernel::context::Scope;
use kernel::port::{Clock, LimitDecision, Limits};
use moka::sync::Cache;

/// The window of a limit, in nanoseconds; also its burst.
const WINDOW: i64 = 60_000_000_000;
/// Limits remembered at once.
const CAPACITY: u64 = 100_000;

/// GCRA: a limit is one moment, the one at which its whole burst is free again.
pub struct LocalLimits {
    clock: Arc<dyn Clock>,
    free_at: Cache<(Scope, String), DateTime<Utc>>,
}

impl LocalLimits {
    /// No limit is used yet.
    pub fn new(clock: Arc<dyn Clock>) -> Self {
        let idle = Duration::from_secs(120);
        Self { clock, free_at: Cache::builder().max_capacity(CAPACITY).time_to_idle(idle).build() }
    }
}

#[async_trait]
impl Limits for LocalLimits {
    async fn take(&self, scope: Scope, key: &str, per_minute: u32) -> Result<LimitDecision, kernel::Error> {
        let now = self.clock.now();
        let mut decision = LimitDecision { allowed: false, remaining: 0, resets_at: now };
        self.free_at.entry((scope, key.to_owned())).and_upsert_with(|entry| {
            let free_at = entry.map_or(now, |entry| entry.into_value());
            let (next, taken) = take(now, free_at, per_minute);
            decision = taken;
            next
        });
        Ok(decision)
    }
}

/// The moment after this call, and what becomes of the call.
fn take(now: DateTime<Utc>, free_at: DateTime<Utc>, per_minute: u32) -> (DateTime<Utc>, LimitDecision) {
    let window = TimeDelta::nanoseconds(WINDOW);
    let share = WINDOW / i64::from(per_minute.max(1));
    let free_at = free_at.max(now);
    let next = free_at + TimeDelta::nanoseconds(share);
    let spare = window - (next - now);
    if per_minute == 0 || spare < TimeDelta::zero() {
        let refused = LimitDecision { allowed: false, remaining: 0, resets_at: next - window };
        return (free_at, refused);
    }
    let remaining = spare.num_nanoseconds().unwrap_or_default() / share;
    let remaining = u32::try_from(remaining).unwrap_or(u32::MAX);
    (next, LimitDecision { allowed: true, remaining, resets_at: next })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::local::SystemClock;

    async fn open() -> LocalLimits {
        LocalLimits::new(Arc::new(SystemClock::start()))
    }

    testkit::limits_contract!(open);

    #[test]
    fn a_minute_holds_exactly_the_limit_and_frees_it_evenly() {
        let start: DateTime<Utc> = "2026-01-01T00:00:00Z".parse().unwrap();
        let mut free_at = start;
        for left in (0..6).rev() {
            let (next, decision) = take(start, free_at, 6);
            assert_eq!((decision.allowed, decision.remaining), (true, left));
            free_at = next;
        }
        let (unchanged, refused) = take(start, free_at, 6);
        assert_eq!((refused.allowed, unchanged), (false, free_at));
        assert_eq!(refused.resets_at, start + TimeDelta::seconds(10));
        assert!(!take(start + TimeDelta::milliseconds(9_999), free_at, 6).1.allowed);
        assert!(take(start + TimeDelta::seconds(10), free_at, 6).1.allowed);
        assert_eq!(take(start + TimeDelta::seconds(60), free_at, 6).1.remaining, 5);
    }
}
