//! The rows of the fake and what they have in common.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use chrono::{DateTime, Utc};
use kernel::chain::{Checkpoint, Entry};
use kernel::context::Scope;
use kernel::ledger::{Audit, Event, Hold, NewArtifact, NewRun, NewStep, RowKey, State};
use kernel::port::{CommitObserver, ProcessRow, Snapshot};
use kernel::record::Row;
use types::cost::Cost;
use types::id::{ArtifactId, HoldId, ProcessId, RunId, StepId, TaskId, WorkspaceId};
use types::run::{Content, Run, RunEvent, Step};

/// The rows of one table.
macro_rules! rows {
    ($rows:expr, $variant:ident) => {
        $rows.records.values().filter_map(|row| match row {
            Row::$variant(row) => Some(row),
            _ => None,
        })
    };
}
pub(super) use rows;

/// A store in memory. Clones share it.
#[derive(Clone, Default)]
pub struct FakeStore(Arc<Shared>);

#[derive(Default)]
struct Shared {
    rows: Mutex<Rows>,
    observers: Mutex<Vec<Arc<dyn CommitObserver>>>,
}

/// Everything that is stored.
#[derive(Default)]
pub(super) struct Rows {
    pub(super) state: State,
    pub(super) records: BTreeMap<RowKey, Row>,
    pub(super) runs: BTreeMap<RunId, StoredRun>,
    pub(super) steps: BTreeMap<StepId, StoredStep>,
    pub(super) holds: BTreeMap<HoldId, StoredHold>,
    pub(super) tasks: BTreeMap<TaskId, super::tasks::StoredTask>,
    pub(super) costs: Vec<(Scope, Cost)>,
    pub(super) counters: super::counters::Kept,
    pub(super) run_events: Vec<(Scope, RunEvent)>,
    pub(super) artifacts: BTreeMap<ArtifactId, StoredArtifact>,
    pub(super) audit: Vec<(Scope, Audit, u64)>,
    /// Entries of chains, in order, and when they were written.
    pub(super) entries: Vec<(Scope, Entry, DateTime<Utc>)>,
    pub(super) checkpoints: Vec<(Scope, Checkpoint)>,
    /// How far they are copied, by place and chain.
    pub(super) copies: BTreeMap<(String, WorkspaceId), u64>,
    /// Who copies to a place, and until when.
    pub(super) copiers: BTreeMap<String, (ProcessId, DateTime<Utc>)>,
    pub(super) events: Vec<StoredEvent>,
    pub(super) processes: BTreeMap<ProcessId, (ProcessRow, bool)>,
    pub(super) snapshots: HashMap<Scope, Arc<Snapshot>>,
    /// How far the clock was moved.
    pub(super) ahead: Duration,
}

/// A run, and when it was last written.
pub(super) struct StoredRun {
    pub(super) scope: Scope,
    pub(super) run: NewRun,
    pub(super) changed_at: DateTime<Utc>,
}

/// An artifact, and when it was written.
pub(super) struct StoredArtifact {
    pub(super) scope: Scope,
    pub(super) artifact: NewArtifact,
    pub(super) created_at: DateTime<Utc>,
}

/// A step and its number.
pub(super) struct StoredStep {
    pub(super) scope: Scope,
    pub(super) step: NewStep,
    pub(super) seq: u32,
}

/// A hold, and when it was placed.
pub(super) struct StoredHold {
    pub(super) scope: Scope,
    pub(super) hold: Hold,
    pub(super) placed_at: DateTime<Utc>,
}

/// An event and where its deliveries stand, by consumer.
pub(super) struct StoredEvent {
    pub(super) scope: Scope,
    pub(super) event: Event,
    pub(super) seq: u64,
    pub(super) emitted_at: DateTime<Utc>,
    pub(super) deliveries: BTreeMap<&'static str, Delivering>,
}

/// Where a delivery stands. `due_at` ends the lease of a leased one, and is when a finished one was finished.
pub(super) struct Delivering {
    pub(super) status: DeliveryStatus,
    pub(super) attempts: u32,
    pub(super) epoch: u64,
    pub(super) due_at: DateTime<Utc>,
    pub(super) leased_by: Option<ProcessId>,
    pub(super) error: Option<String>,
    pub(super) after_dead: bool,
    pub(super) redrives: u32,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum DeliveryStatus {
    Pending,
    Leased,
    Done,
    Dead,
    Discarded,
}

impl FakeStore {
    /// An empty store.
    pub fn new() -> Self {
        Self::default()
    }

    /// Tells an observer of every commit from now on.
    pub fn observe(&self, observer: Arc<dyn CommitObserver>) {
        self.0.observers.lock().expect("no panic before").push(observer);
    }

    /// Moves the store's clock on: leases run out, processes fall silent.
    pub fn advance(&self, by: Duration) {
        self.rows().ahead += by;
    }

    /// Audit rows of a scope, by their sequence.
    pub fn audit(&self, scope: Scope) -> Vec<Audit> {
        let rows = self.rows();
        rows.audit.iter().filter(|(of, ..)| *of == scope).map(|(_, audit, _)| audit.clone()).collect()
    }

    /// Outbox events of a scope, in order.
    pub fn events(&self, scope: Scope) -> Vec<Event> {
        let rows = self.rows();
        rows.events.iter().filter(|stored| stored.scope == scope).map(|stored| stored.event.clone()).collect()
    }

    pub(super) fn rows(&self) -> MutexGuard<'_, Rows> {
        self.0.rows.lock().expect("no panic before")
    }

    pub(super) fn observers(&self) -> Vec<Arc<dyn CommitObserver>> {
        self.0.observers.lock().expect("no panic before").clone()
    }
}

impl Rows {
    /// The store's clock, to the microsecond like a database's.
    pub(super) fn now(&self) -> DateTime<Utc> {
        let now = DateTime::<Utc>::from(std::time::SystemTime::now()) + self.ahead;
        DateTime::from_timestamp_micros(now.timestamp_micros()).unwrap_or(now)
    }

    /// A run as readers see it.
    pub(super) fn run(&self, id: RunId) -> Option<Run> {
        let StoredRun { scope, run, .. } = self.runs.get(&id)?;
        let (_, state) = self.state.runs.get(&id)?;
        let end = state.end.as_ref();
        Some(Run {
            id,
            workspace_id: scope.workspace_id,
            mode: run.mode,
            source: run.source,
            entry: run.entry,
            status: state.status,
            caller: run.caller.clone(),
            user_id: run.user_id,
            api_key_id: run.api_key_id,
            root_run_id: run.root_run_id,
            parent_run_id: run.parent_run_id,
            source_run_id: run.source_run_id,
            attempt_no: run.attempt_no,
            capture: run.capture,
            trace_id: run.trace_id.clone(),
            request_id: run.request_id,
            policy_revision: run.policy_revision.clone(),
            sandbox: run.sandbox,
            model_ref: run.model_ref.clone(),
            input: Content { artifact_id: end.and_then(|end| end.input_artifact), ..run.input.clone() },
            output: end.map(|end| end.output.clone()).unwrap_or_default(),
            labels: run.labels.clone(),
            started_at: run.started_at,
            ended_at: end.map(|end| end.ended_at),
            duration_ms: end.map(|end| millis(run.started_at, end.ended_at)),
            error: end.and_then(|end| end.error.clone()),
            totals: state.totals.clone(),
            delivered: end.and_then(|end| end.delivered),
            flags: end.map(|end| end.flags.clone()).unwrap_or_default(),
            refusals: state.refusals,
        })
    }

    /// A step as readers see it.
    pub(super) fn step(&self, id: StepId) -> Option<Step> {
        let StoredStep { step, seq, .. } = self.steps.get(&id)?;
        let state = self.state.steps.get(&id)?;
        let end = state.end.as_ref();
        Some(Step {
            id,
            run_id: step.run_id,
            seq: *seq,
            parent_step_id: step.parent_step_id,
            call_id: step.call_id,
            step_type: step.step_type,
            status: state.status,
            attempt_no: step.attempt_no,
            effect: step.effect,
            decision: step.decision.clone(),
            request_digest: step.request_digest.clone(),
            input: Content { artifact_id: end.and_then(|end| end.input_artifact), ..step.input.clone() },
            output: end.map(|end| end.output.clone()).unwrap_or_default(),
            metrics: end.map_or_else(|| step.metrics.clone(), |end| end.metrics.clone()),
            error: end.and_then(|end| end.error.clone()),
            started_at: step.started_at,
            outbound_at: state.outbound_at,
            ended_at: end.map(|end| end.ended_at),
            latency_ms: end.map(|end| millis(step.started_at, end.ended_at)),
            ttft_ms: end.and_then(|end| end.ttft_ms),
        })
    }
}

fn millis(from: DateTime<Utc>, to: DateTime<Utc>) -> u64 {
    u64::try_from((to - from).num_milliseconds()).unwrap_or_default()
}
