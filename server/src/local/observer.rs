//! Hands on what was committed: to live listeners, to the dispatcher of events, to caches, to the metrics.

use std::sync::Arc;
use std::time::Duration;

use kernel::context::Scope;
use kernel::identity::Epochs;
use kernel::port::{Clock, CommitObserver, Live, LiveEvent, Notice, Subject};
use tokio::sync::{Notify, watch};
use types::id::{RunId, TaskId, TenantId};
use types::observe::{Hint, Topic};
use types::run::RunEvent;

use super::Pending;
use crate::metrics::Metrics;

/// Hands on what was committed.
pub struct Observer {
    /// Live listeners.
    pub live: Arc<dyn Live>,
    /// Figures.
    pub metrics: Arc<Metrics>,
    /// Epochs that decisions were made under.
    pub epochs: Arc<Epochs>,
    /// Wakes whoever delivers events.
    pub events: watch::Sender<()>,
    /// Wakes whoever does tasks.
    pub tasks: Arc<Notify>,
    /// Time, for the versions of hints.
    pub clock: Arc<dyn Clock>,
    /// What other processes are to be told.
    pub pending: Arc<Pending>,
}

impl CommitObserver for Observer {
    fn run_events(&self, events: &[RunEvent]) {
        for event in events {
            if self.live.has_listeners(Subject::Run(event.run_id)) {
                self.live.publish(LiveEvent::Stored(event.clone()));
            }
        }
    }

    fn runs_changed(&self, runs: &[(Scope, RunId)]) {
        self.pending.add(Notice { runs: true, ..Notice::default() });
        for (scope, run_id) in runs {
            self.live.publish(LiveEvent::RunChanged(*scope, *run_id));
        }
    }

    fn committed(&self, batches: usize, took: Duration) {
        self.metrics.ledger.committed(batches, took);
    }

    fn events_emitted(&self) {
        self.events.send_replace(());
        self.pending.add(Notice { events: true, ..Notice::default() });
    }

    fn tasks_changed(&self, tasks: &[(Scope, TaskId)]) {
        self.tasks.notify_one();
        self.pending.add(Notice { tasks: true, ..Notice::default() });
        let version = u64::try_from(self.clock.now().timestamp_micros()).unwrap_or_default();
        for (scope, id) in tasks {
            let hint = Hint { topic: Topic::Tasks, id: id.to_string(), version };
            self.live.publish(LiveEvent::Changed(*scope, hint));
        }
    }

    fn epochs_raised(&self, epochs: &[(TenantId, u64)]) {
        self.epochs.note(epochs);
        self.pending.add(Notice { epochs: true, ..Notice::default() });
    }
}
