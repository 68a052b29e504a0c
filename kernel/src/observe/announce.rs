//! The outbox consumer behind live lists: what ended is told to whoever watches.

use types::id::RunId;
use types::observe::{Hint, Topic};
use types::run::Run;

use super::Observe;
use crate::context::Scope;
use crate::error::Result;
use crate::port::{Delivery, LiveEvent, Subject};

/// The consumer's name in [`crate::ledger::Event::consumers`].
pub const CONSUMER: &str = "live";

impl Observe {
    /// Tells of a delivered event. Telling twice does no harm.
    pub async fn announce(&self, delivery: &Delivery) -> Result<()> {
        let Ok(run_id) = delivery.subject.parse::<RunId>() else { return Ok(()) };
        self.announce_run(delivery.scope, run_id).await
    }

    /// Tells that a run changed, in this process or another, and with it the budgets that it moves.
    pub async fn announce_run(&self, scope: Scope, run_id: RunId) -> Result<()> {
        self.ports.live.publish(LiveEvent::RunChanged(scope, run_id));
        if !self.ports.live.has_listeners(Subject::Workspace(scope)) {
            return Ok(());
        }
        match self.ports.runs.find_run(scope, run_id).await? {
            Some(run) => self.announce_budgets(scope, &run).await,
            None => Ok(()),
        }
    }

    /// The budgets a run moved, or may have moved.
    async fn announce_budgets(&self, scope: Scope, run: &Run) -> Result<()> {
        let Some(snapshot) = self.ports.catalog.snapshot(scope).await? else { return Ok(()) };
        let version = u64::try_from(self.ports.clock.now().timestamp_micros()).unwrap_or_default();
        let key = run.api_key_id.map(|id| id.to_string());
        for budget in &snapshot.budgets {
            let binds = match budget.scope_id.as_deref() {
                None => true,
                Some(id) => id == run.caller.id || Some(id) == key.as_deref(),
            };
            if binds {
                let hint = Hint { topic: Topic::Budgets, id: budget.id.to_string(), version };
                self.ports.live.publish(LiveEvent::Changed(scope, hint));
            }
        }
        Ok(())
    }
}
