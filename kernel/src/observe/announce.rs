//! The outbox consumer behind live lists: what ended is told to whoever watches.

use std::collections::BTreeSet;

use async_trait::async_trait;
use types::budget::Budget;
use types::id::RunId;
use types::observe::{Hint, Topic};

use super::Observe;
use crate::context::Scope;
use crate::error::Result;
use crate::outbox::{Consumer, LIVE};
use crate::port::{Delivery, Live, LiveEvent, Subject};

#[async_trait]
impl Consumer for Observe {
    fn name(&self) -> &'static str {
        LIVE
    }

    async fn deliver(&self, delivery: &Delivery) -> Result<()> {
        let Ok(run_id) = delivery.subject.parse::<RunId>() else { return Ok(()) };
        let scope = delivery.scope;
        self.ports.live.publish(LiveEvent::RunChanged(scope, run_id));
        if !self.ports.live.has_listeners(Subject::Workspace(scope)) {
            return Ok(());
        }
        let Some(run) = self.ports.runs.find_run(scope, run_id).await? else { return Ok(()) };
        let key = run.api_key_id.map(|id| id.to_string());
        let moved = |budget: &Budget| match budget.scope_id.as_deref() {
            None => true,
            Some(id) => id == run.caller.id || Some(id) == key.as_deref(),
        };
        self.announce_budgets(scope, moved, &*self.ports.live).await
    }
}

impl Observe {
    /// Tells readers of runs that changed in any process. They may be many, so none is read: all budgets of a workspace are
    /// told of once.
    pub async fn announce_changed(&self, changed: &[(Scope, RunId)], readers: &dyn Live) -> Result<()> {
        for (scope, run_id) in changed {
            readers.publish(LiveEvent::RunChanged(*scope, *run_id));
        }
        let scopes: BTreeSet<Scope> = changed.iter().map(|(scope, _)| *scope).collect();
        for scope in scopes {
            if readers.has_listeners(Subject::Workspace(scope)) {
                self.announce_budgets(scope, |_| true, readers).await?;
            }
        }
        Ok(())
    }

    async fn announce_budgets(&self, scope: Scope, moved: impl Fn(&Budget) -> bool, readers: &dyn Live) -> Result<()> {
        let Some(snapshot) = self.ports.catalog.snapshot(scope).await? else { return Ok(()) };
        let version = u64::try_from(self.ports.clock.now().timestamp_micros()).unwrap_or_default();
        for budget in snapshot.budgets.iter().filter(|budget| moved(budget)) {
            let hint = Hint { topic: Topic::Budgets, id: budget.id.to_string(), version };
            readers.publish(LiveEvent::Changed(scope, hint));
        }
        Ok(())
    }
}
