//! Applying batches: the kernel's rules, and the constraints a database would check.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use kernel::context::Scope;
use kernel::ledger::{Batch, Change, Changes, LedgerError, Refusal, RowKey, Touch};
use kernel::port::{Committed, Ledger};
use kernel::record::Row;
use types::id::{RunId, TaskId};

use super::store::{
    Delivering, DeliveryStatus, FakeStore, Rows, StoredArtifact, StoredEvent, StoredHold, StoredRun, StoredStep,
};
use super::tasks::StoredTask;
use super::unique::violated;

#[async_trait]
impl Ledger for FakeStore {
    async fn commit(&self, batch: Batch) -> Result<Committed, LedgerError> {
        let scope = batch.scope;
        let (committed, told) = {
            let mut rows = self.rows();
            let mut after = rows.state.clone();
            after.now = Some(rows.now());
            let changes = after.apply(batch)?;
            check(&rows, &changes)?;
            let committed = Committed::of(&changes, &after);
            let told = Told::of(scope, &changes);
            rows.state = after;
            rows.write(changes);
            (committed, told)
        };
        self.tell(&committed, &told);
        Ok(committed)
    }
}

/// What observers are told.
struct Told {
    runs: Vec<(Scope, RunId)>,
    tasks: Vec<(Scope, TaskId)>,
    epochs: Vec<(types::id::TenantId, u64)>,
    emitted: bool,
}

impl Told {
    fn of(scope: Scope, changes: &Changes) -> Self {
        let opened = changes.list.iter().filter_map(|change| match change {
            Change::NewRun(scope, run) => Some((*scope, run.id)),
            _ => None,
        });
        let new = changes.list.iter().filter_map(|change| match change {
            Change::NewTask(scope, task) => Some((*scope, task.id)),
            _ => None,
        });
        Self {
            tasks: changes.tasks.keys().map(|id| (scope, *id)).chain(new).collect(),
            runs: changes.runs.iter().map(|id| (scope, *id)).chain(opened).collect(),
            epochs: changes.epochs.iter().map(|(tenant_id, epoch)| (*tenant_id, *epoch)).collect(),
            emitted: changes.list.iter().any(|change| matches!(change, Change::Event(..))),
        }
    }
}

impl FakeStore {
    fn tell(&self, committed: &Committed, told: &Told) {
        for observer in self.observers() {
            if !told.epochs.is_empty() {
                observer.epochs_raised(&told.epochs);
            }
            if !committed.run_events.is_empty() {
                observer.run_events(&committed.run_events);
            }
            if !told.runs.is_empty() {
                observer.runs_changed(&told.runs);
            }
            if !told.tasks.is_empty() {
                observer.tasks_changed(&told.tasks);
            }
            if told.emitted {
                observer.events_emitted();
            }
            observer.committed(1, Duration::ZERO);
        }
    }
}

fn check(rows: &Rows, changes: &Changes) -> Result<(), Refusal> {
    let unique = |constraint: &str| Err(Refusal::Unique { constraint: constraint.to_owned() });
    for change in &changes.list {
        match change {
            Change::NewRun(_, run) if rows.runs.contains_key(&run.id) => return unique("runs_pkey"),
            Change::NewStep(_, step, _) if rows.steps.contains_key(&step.id) => return unique("steps_pkey"),
            Change::NewHold(_, hold) if rows.holds.contains_key(&hold.id) => return unique("holds_pkey"),
            Change::NewTask(_, task) if rows.tasks.contains_key(&task.id) => return unique("tasks_pkey"),
            Change::Artifact(_, new) if rows.artifacts.contains_key(&new.id) => return unique("artifacts_pkey"),
            Change::Row(row) => {
                if let Some(constraint) = violated(rows, row) {
                    return unique(constraint);
                }
            }
            _ => {}
        }
    }
    Ok(())
}

impl Rows {
    fn write(&mut self, changes: Changes) {
        let now = self.now();
        self.counters.tally.extend(changes.tally);
        for id in &changes.runs {
            if let Some(run) = self.runs.get_mut(id) {
                run.changed_at = now;
            }
        }
        for id in changes.tasks.keys() {
            if let Some(task) = self.tasks.get_mut(id) {
                task.changed_at = now;
            }
        }
        for tenant_id in changes.epochs.keys() {
            self.snapshots.retain(|scope, _| scope.tenant_id != *tenant_id);
        }
        for (seq, change) in changes.list.into_iter().enumerate() {
            // A later change of one batch is later by the clock too.
            let at = now + Duration::from_micros(seq as u64);
            match change {
                Change::NewRun(scope, run) => {
                    self.runs.insert(run.id, StoredRun { scope, run: Arc::unwrap_or_clone(run), changed_at: now });
                }
                Change::NewStep(scope, step, seq) => {
                    self.steps.insert(step.id, StoredStep { scope, step: Arc::unwrap_or_clone(step), seq });
                }
                Change::NewHold(scope, hold) => {
                    self.holds.insert(hold.id, StoredHold { scope, hold: Arc::unwrap_or_clone(hold), placed_at: at });
                }
                Change::NewTask(scope, task) => {
                    let task = Arc::unwrap_or_clone(task);
                    self.tasks.insert(task.id, StoredTask { scope, task, created_at: at, changed_at: at });
                }
                Change::Artifact(scope, artifact) => {
                    let artifact = Arc::unwrap_or_clone(artifact);
                    self.artifacts.insert(artifact.id, StoredArtifact { scope, artifact, created_at: at });
                }
                Change::Cost(scope, cost) => self.costs.push((scope, Arc::unwrap_or_clone(cost))),
                Change::Audit(scope, audit, seq) => self.audit.push((scope, Arc::unwrap_or_clone(audit), seq)),
                Change::Seal(scope, subject, seq) => self.seal(scope, &subject, seq, at),
                Change::Event(scope, event, seq) => {
                    let pending = || Delivering {
                        status: DeliveryStatus::Pending,
                        attempts: 0,
                        epoch: 0,
                        due_at: now,
                        leased_by: None,
                        error: None,
                        after_dead: false,
                        redrives: 0,
                    };
                    let deliveries = event.consumers.iter().map(|consumer| (*consumer, pending())).collect();
                    self.events.push(StoredEvent {
                        scope,
                        event: Arc::unwrap_or_clone(event),
                        seq,
                        emitted_at: now,
                        deliveries,
                    });
                }
                Change::RunEvent(scope, event, offset) => {
                    let event = types::run::RunEvent {
                        run_id: event.run_id,
                        offset,
                        event_type: event.event_type.to_owned(),
                        step_id: event.step_id,
                        payload: event.payload.clone(),
                        occurred_at: event.occurred_at,
                    };
                    self.run_events.push((scope, event));
                }
                Change::Row(row) => self.put(Arc::unwrap_or_clone(row)),
                Change::Touch(touch) => self.touch(&touch),
                Change::Resolve(scope, resolution) => self.resolve(scope, &resolution),
            }
        }
    }

    fn put(&mut self, mut row: Row) {
        self.snapshots.clear();
        let key = RowKey::of(&row);
        if let (Row::ApiKey(new), Some(Row::ApiKey(old))) = (&mut row, self.records.get(&key)) {
            (new.last_used_at, new.last_used_address) = (old.last_used_at, old.last_used_address.clone());
        }
        self.records.insert(key, row);
    }

    fn touch(&mut self, touch: &Touch) {
        for row in self.records.values_mut() {
            match (row, touch) {
                (Row::ApiKey(key), Touch::ApiKey { id, at, address })
                    if key.id == *id && key.last_used_at.is_none_or(|last| last <= *at) =>
                {
                    (key.last_used_at, key.last_used_address) = (Some(*at), address.clone());
                }
                (Row::Session(session), Touch::Session { id, at, token_expires_at }) if session.id == *id => {
                    session.last_seen_at = *at;
                    session.token_expires_at = *token_expires_at;
                }
                _ => {}
            }
        }
    }
}
