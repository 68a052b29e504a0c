//! Minute limits that processes share, and what becomes of them while the store they share is away: calls are refused, or,
//! where that was chosen, each process counts by itself and says so.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use kernel::context::Scope;
use kernel::port::{Clock, LimitDecision, Limits};
use tokio::sync::Notify;

use super::LocalLimits;
use crate::metrics::Metrics;

/// A workspace is told once in this time.
const TOLD_FOR: Duration = Duration::from_secs(60);

/// Shared limits, and those of this process for the time without them.
pub struct DegradableLimits {
    shared: Arc<dyn Limits>,
    /// What counts meanwhile; none where calls are refused instead.
    local: Option<LocalLimits>,
    degraded: Arc<Degraded>,
    metrics: Arc<Metrics>,
    clock: Arc<dyn Clock>,
}

impl DegradableLimits {
    /// Limits that are refused while they cannot be counted, or else counted here.
    pub fn new(
        shared: Arc<dyn Limits>,
        local: Option<LocalLimits>,
        degraded: Arc<Degraded>,
        metrics: Arc<Metrics>,
        clock: Arc<dyn Clock>,
    ) -> Self {
        Self { shared, local, degraded, metrics, clock }
    }
}

#[async_trait]
impl Limits for DegradableLimits {
    async fn take(&self, scope: Scope, key: &str, per_minute: u32) -> Result<LimitDecision, kernel::Error> {
        let error = match self.shared.take(scope, key, per_minute).await {
            Ok(decision) => {
                self.metrics.shared.counted("shared");
                return Ok(decision);
            }
            Err(error) => error,
        };
        let Some(local) = &self.local else {
            self.metrics.shared.counted("refused");
            return Err(error);
        };
        self.metrics.shared.counted("local");
        self.degraded.note(scope, self.clock.monotonic());
        local.take(scope, key, per_minute).await
    }
}

/// Workspaces whose calls this process counted by itself, until that is recorded.
#[derive(Debug, Default)]
pub struct Degraded {
    workspaces: Mutex<Workspaces>,
    noted: Notify,
}

#[derive(Debug, Default)]
struct Workspaces {
    to_tell: BTreeSet<Scope>,
    told_at: BTreeMap<Scope, Duration>,
}

impl Degraded {
    /// Workspaces that are to be told, as soon as there are any.
    pub async fn next(&self) -> Vec<Scope> {
        loop {
            let to_tell = std::mem::take(&mut self.locked().to_tell);
            if !to_tell.is_empty() {
                return to_tell.into_iter().collect();
            }
            self.noted.notified().await;
        }
    }

    /// They could not be told: they are to be told later.
    pub fn put_back(&self, scopes: Vec<Scope>) {
        self.locked().to_tell.extend(scopes);
        self.noted.notify_one();
    }

    fn note(&self, scope: Scope, now: Duration) {
        let mut workspaces = self.locked();
        if workspaces.told_at.get(&scope).is_some_and(|at| now.saturating_sub(*at) < TOLD_FOR) {
            return;
        }
        workspaces.told_at.retain(|_, at| now.saturating_sub(*at) < TOLD_FOR);
        workspaces.told_at.insert(scope, now);
        workspaces.to_tell.insert(scope);
        self.noted.notify_one();
    }

    fn locked(&self) -> std::sync::MutexGuard<'_, Workspaces> {
        self.workspaces.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, Ordering};

    use futures::FutureExt;
    use testkit::contract::limits::scope;
    use types::problem::Code;

    use super::*;
    use crate::local::SystemClock;

    /// Counts, or does not answer.
    struct Switched {
        counts: LocalLimits,
        is_down: AtomicBool,
    }

    #[async_trait]
    impl Limits for Switched {
        async fn take(&self, scope: Scope, key: &str, per_minute: u32) -> Result<LimitDecision, kernel::Error> {
            if self.is_down.load(Ordering::Relaxed) {
                return Err(kernel::Error::new(Code::LimitsUnavailable, "down"));
            }
            self.counts.take(scope, key, per_minute).await
        }
    }

    fn limits(is_local: bool) -> (DegradableLimits, Arc<Switched>, Arc<Degraded>) {
        let clock: Arc<dyn Clock> = Arc::new(SystemClock::start());
        let local = || LocalLimits::new(Arc::clone(&clock));
        let shared = Arc::new(Switched { counts: local(), is_down: AtomicBool::new(false) });
        let degraded = Arc::<Degraded>::default();
        let limits = DegradableLimits::new(
            shared.clone(),
            is_local.then(local),
            Arc::clone(&degraded),
            Arc::default(),
            clock.clone(),
        );
        (limits, shared, degraded)
    }

    #[tokio::test]
    async fn what_cannot_be_counted_is_refused_and_counted_again_afterwards() {
        let (limits, shared, degraded) = limits(false);
        assert!(limits.take(scope(1), "key", 1).await.unwrap().allowed);
        shared.is_down.store(true, Ordering::Relaxed);
        let refused = limits.take(scope(1), "key", 1).await.unwrap_err();
        assert_eq!(refused.code(), Code::LimitsUnavailable);
        shared.is_down.store(false, Ordering::Relaxed);
        assert!(!limits.take(scope(1), "key", 1).await.unwrap().allowed, "the shared count goes on");
        assert_eq!(degraded.next().now_or_never(), None);
    }

    #[tokio::test]
    async fn where_each_counts_by_itself_every_workspace_is_told_once_a_minute() {
        let (limits, shared, degraded) = limits(true);
        shared.is_down.store(true, Ordering::Relaxed);
        assert!(limits.take(scope(1), "key", 1).await.unwrap().allowed);
        assert!(!limits.take(scope(1), "key", 1).await.unwrap().allowed, "the limit holds in this process");
        assert!(limits.take(scope(2), "key", 1).await.unwrap().allowed);
        assert_eq!(degraded.next().now_or_never(), Some(vec![scope(1), scope(2)]));
        limits.take(scope(1), "key", 1).await.unwrap();
        assert_eq!(degraded.next().now_or_never(), None);
        degraded.put_back(vec![scope(2)]);
        assert_eq!(degraded.next().now_or_never(), Some(vec![scope(2)]));
        degraded.note(scope(1), TOLD_FOR * 2);
        assert_eq!(degraded.next().now_or_never(), Some(vec![scope(1)]));
    }
}
