//! Background work that shutdown waits for: the only place that spawns.

use std::future::Future;

use futures::future::BoxFuture;
use kernel::port::Spawner;
use tokio_util::task::TaskTracker;
use tracing::Instrument;

/// Runs tasks and knows when all have ended.
#[derive(Clone, Debug, Default)]
pub struct Tracker {
    tasks: TaskTracker,
}

impl Tracker {
    /// Runs the future to its end, inside the present span.
    #[expect(clippy::disallowed_methods, reason = "this is the replacement: the task is tracked")]
    pub fn spawn(&self, work: impl Future<Output = ()> + Send + 'static) {
        tokio::spawn(self.tasks.track_future(work.in_current_span()));
    }

    /// How many tasks have not ended.
    pub fn running(&self) -> usize {
        self.tasks.len()
    }

    /// Resolves when every task has ended; tasks may still be added meanwhile.
    pub async fn wait(&self) {
        self.tasks.close();
        self.tasks.wait().await;
    }
}

impl Spawner for Tracker {
    fn spawn(&self, work: BoxFuture<'static, ()>) {
        self.spawn(work);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn waiting_ends_with_the_last_task() {
        let tracker = Tracker::default();
        let (finish, finished) = tokio::sync::oneshot::channel();
        tracker.spawn(async move { finished.await.unwrap_or_default() });
        assert_eq!(tracker.running(), 1);
        let waiting = tracker.wait();
        tokio::pin!(waiting);
        assert!(futures::poll!(&mut waiting).is_pending());
        finish.send(()).unwrap();
        waiting.await;
        assert_eq!(tracker.running(), 0);
    }
}
