//! Who is alive, and what the dead left behind.

use std::time::Duration;

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use kernel::ledger::Fence;
use kernel::port::{DeadWork, OpenCall, ProcessRow, Processes, StoreError};
use types::id::{HoldId, ProcessId, RunId};

use super::store::{FakeStore, Rows, StoredHold, StoredRun};

#[async_trait]
impl Processes for FakeStore {
    async fn register(&self, id: ProcessId, role: &str, version: &str, alone: bool) -> Result<Fence, StoreError> {
        let mut rows = self.rows();
        if alone {
            rows.bury(|_| true);
        }
        let epoch = rows.processes.get(&id).map_or(1, |(process, _)| process.fence.epoch + 1);
        let fence = Fence { process_id: id, epoch };
        let beat_at = rows.now();
        let process = ProcessRow { fence, role: role.to_owned(), version: version.to_owned(), beat_at };
        rows.processes.insert(id, (process, true));
        rows.state.processes.insert(id, epoch);
        Ok(fence)
    }

    async fn beat(&self, fence: Fence) -> Result<bool, StoreError> {
        let mut rows = self.rows();
        let now = rows.now();
        let found = rows.processes.get_mut(&fence.process_id);
        let Some((process, true)) = found.filter(|(process, _)| process.fence == fence) else { return Ok(false) };
        process.beat_at = now;
        Ok(true)
    }

    async fn bury(&self, silence: Duration) -> Result<u64, StoreError> {
        let mut rows = self.rows();
        let since = rows.now() - silence;
        Ok(rows.bury(|process| process.beat_at <= since))
    }

    async fn close(&self, fence: Fence) -> Result<(), StoreError> {
        self.rows().bury(|process| process.fence == fence);
        Ok(())
    }

    async fn dead_work(&self, limit: u32) -> Result<Vec<DeadWork>, StoreError> {
        Ok(self.rows().dead_work(limit as usize))
    }

    async fn list_alive(&self) -> Result<Vec<ProcessRow>, StoreError> {
        let rows = self.rows();
        Ok(rows.processes.values().filter(|(_, alive)| *alive).map(|(process, _)| process.clone()).collect())
    }

    async fn database_now(&self) -> Result<DateTime<Utc>, StoreError> {
        Ok(self.rows().now())
    }
}

impl Rows {
    fn bury(&mut self, dead: impl Fn(&ProcessRow) -> bool) -> u64 {
        let mut buried = 0;
        for (process, alive) in self.processes.values_mut().filter(|(_, alive)| *alive) {
            if dead(process) {
                *alive = false;
                buried += 1;
                self.state.processes.remove(&process.fence.process_id);
            }
        }
        self.release_work();
        buried
    }

    fn dead_work(&self, limit: usize) -> Vec<DeadWork> {
        let is_alive = |owner: Fence| {
            self.processes.get(&owner.process_id).is_some_and(|(process, alive)| *alive && process.fence == owner)
        };
        let open = |id: RunId| self.state.runs.get(&id).is_some_and(|(_, run)| !run.status.is_final());
        let orphaned =
            |stored: &&StoredRun| open(stored.run.id) && stored.run.owner.is_some_and(|owner| !is_alive(owner));
        let mut runs: Vec<&StoredRun> = self.runs.values().filter(orphaned).collect();
        runs.sort_by_key(|stored| (stored.run.started_at, stored.run.id));
        runs.truncate(limit);
        runs.into_iter().map(|stored| self.left_by(stored)).collect()
    }

    fn left_by(&self, stored: &StoredRun) -> DeadWork {
        let run_id = stored.run.id;
        let is_open = |id: HoldId| self.state.holds.get(&id).is_some_and(|hold| hold.open);
        let mut holds: Vec<&StoredHold> =
            self.holds.values().filter(|held| held.hold.run_id == run_id && is_open(held.hold.id)).collect();
        let mut steps: Vec<_> = self.steps.values().filter(|step| step.step.run_id == run_id).collect();
        steps.sort_by_key(|step| step.seq);
        let mut calls = Vec::new();
        for step in steps {
            let Some(state) = self.state.steps.get(&step.step.id).filter(|state| !state.status.is_closed()) else {
                continue;
            };
            let own = holds.iter().position(|held| held.hold.step_id == step.step.id).map(|index| holds.remove(index));
            let hold = own.map(|held| (held.hold.id, held.hold.worst_case.as_deref().cloned()));
            calls.push(OpenCall { step_id: step.step.id, sent: state.outbound_at.is_some(), hold });
        }
        let stray_holds = holds.into_iter().map(|held| held.hold.id).collect();
        DeadWork { scope: stored.scope, run_id, calls, stray_holds }
    }
}
