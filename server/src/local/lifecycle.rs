//! Whether this process may start something, and when what it does has to end.

use std::sync::{PoisonError, RwLock};
use std::time::Duration;

use futures::future::{BoxFuture, FutureExt};
use kernel::ledger::Fence;
use kernel::port::Lifecycle;
use tokio_util::sync::CancellationToken;

use crate::shutdown::Shutdown;

/// The life of this process under one fence after another.
#[derive(Debug)]
pub struct Life {
    shutdown: Shutdown,
    now: RwLock<Present>,
    steady_since: RwLock<Option<Duration>>,
}

#[derive(Debug)]
struct Present {
    fence: Option<Fence>,
    /// Cancelled when the fence is lost.
    lost: CancellationToken,
}

impl Life {
    /// A process that was just registered.
    pub fn new(fence: Fence, shutdown: Shutdown) -> Self {
        let now = Present { fence: Some(fence), lost: CancellationToken::new() };
        Self { shutdown, now: RwLock::new(now), steady_since: RwLock::new(Some(Duration::ZERO)) }
    }

    /// The process takes itself for dead: nothing starts, what runs is cut.
    pub fn lose_fence(&self) {
        let mut now = self.now.write().unwrap_or_else(PoisonError::into_inner);
        now.fence = None;
        now.lost.cancel();
    }

    /// The process counts as alive again.
    pub fn take_fence(&self, fence: Fence) {
        let mut now = self.now.write().unwrap_or_else(PoisonError::into_inner);
        *now = Present { fence: Some(fence), lost: CancellationToken::new() };
    }

    /// A heartbeat was answered that was sent at `at`, by the monotonic clock.
    pub fn heard(&self, at: Duration) {
        self.steady_since.write().unwrap_or_else(PoisonError::into_inner).get_or_insert(at);
    }

    /// A heartbeat was not answered.
    pub fn unheard(&self) {
        *self.steady_since.write().unwrap_or_else(PoisonError::into_inner) = None;
    }

    /// Whether every heartbeat was answered for so long: only such a process may judge that another is silent. One that
    /// just started has missed none.
    pub fn is_steady(&self, now: Duration, long: Duration) -> bool {
        let since = *self.steady_since.read().unwrap_or_else(PoisonError::into_inner);
        since.is_some_and(|since| since.is_zero() || now.saturating_sub(since) >= long)
    }
}

impl Lifecycle for Life {
    fn fence(&self) -> Option<Fence> {
        self.now.read().unwrap_or_else(PoisonError::into_inner).fence
    }

    fn aborting(&self) -> BoxFuture<'static, ()> {
        let lost = self.now.read().unwrap_or_else(PoisonError::into_inner).lost.clone();
        let shutdown = self.shutdown.clone();
        async move {
            tokio::select! {
                () = lost.cancelled() => {}
                () = shutdown.aborting() => {}
            }
        }
        .boxed()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use types::id::{ProcessId, Uuid};

    #[test]
    fn work_ends_with_the_fence_it_began_under() {
        let fence = Fence { process_id: ProcessId::from_uuid(Uuid::nil()), epoch: 1 };
        let life = Life::new(fence, Shutdown::default());
        let before = life.aborting();
        life.lose_fence();
        assert_eq!((life.fence(), before.now_or_never()), (None, Some(())));
        life.take_fence(Fence { epoch: 2, ..fence });
        assert_eq!((life.fence().map(|fence| fence.epoch), life.aborting().now_or_never()), (Some(2), None));
    }

    #[test]
    fn one_that_missed_a_heartbeat_judges_nobody_for_a_while() {
        let life = Life::new(Fence { process_id: ProcessId::from_uuid(Uuid::nil()), epoch: 1 }, Shutdown::default());
        let (second, long) = (Duration::from_secs(1), Duration::from_secs(20));
        assert!(life.is_steady(second, long), "it just started");
        life.unheard();
        assert!(!life.is_steady(100 * second, long));
        life.heard(100 * second);
        life.heard(105 * second);
        assert!(!life.is_steady(119 * second, long));
        assert!(life.is_steady(120 * second, long));
    }

    #[test]
    fn work_ends_with_the_process() {
        let shutdown = Shutdown::default();
        let life = Life::new(Fence { process_id: ProcessId::from_uuid(Uuid::nil()), epoch: 1 }, shutdown.clone());
        shutdown.stop();
        assert_eq!(life.aborting().now_or_never(), None, "requests go on");
        shutdown.abort();
        assert_eq!(life.aborting().now_or_never(), Some(()));
    }
}
