//! The part of the ledger that a group of batches touches, and what the batches change in it.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use chrono::{DateTime, Utc};
use types::cost::Cost;
use types::id::{HoldId, ProcessId, RunId, StepId, TaskId, TenantId};
use types::run::{Mode, RunStatus, StepStatus, StepType, Totals};

use super::{
    Audit, Batch, Claim, ClaimKey, Counter, CounterKey, Dimensions, Event, Hold, HoldLine, NewArtifact, NewRun,
    NewRunEvent, NewStep, NewTask, Op, Resolution, RunEnd, StepEnd, Tally, TaskOp, TaskState, Touch,
};
use crate::chain::{Hash, Rotation};
use crate::context::Scope;
use crate::record::Row;

/// A table and a key in it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RowKey {
    /// The record's table, as [`Row::table`] names it.
    pub table: &'static str,
    /// The record's key, as [`Row::key`] makes it.
    pub key: String,
}

impl RowKey {
    /// The key of a row.
    pub fn of(row: &Row) -> Self {
        Self { table: row.table(), key: row.key() }
    }
}

/// A number series the store gives out.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Sequence {
    /// Audit rows of a workspace.
    Audit(Scope),
    /// Events of a subject that is no run.
    Subject(TenantId, String),
}

/// Where a workspace's hash chain ends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ChainEnd {
    /// Number of the last entry; [`State::apply`] gives out the next ones.
    pub seq: u64,
    /// Hash of the last entry that is stored; the store makes those of new entries.
    pub hash: Hash,
}

/// What a new entry of a hash chain is of.
#[derive(Clone, Debug)]
pub enum Sealed {
    /// An audit row and its number.
    Audit(Arc<Audit>, u64),
    /// A run that is over, as it will be once all changes are written.
    Run(RunId),
    /// A signing key that took over.
    KeyRotation(Arc<Rotation>),
}

/// The moving part of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct RunState {
    /// Where it stands.
    pub status: RunStatus,
    /// What its counters are told apart by.
    pub dimensions: Arc<Dimensions>,
    /// Steps given out so far.
    pub steps: u32,
    /// Run events given out so far.
    pub events: u64,
    /// Outbox events of this run given out so far.
    pub emitted: u64,
    /// Steps not closed.
    pub open_steps: u32,
    /// Holds not closed.
    pub open_holds: u32,
    /// What it adds up to.
    pub totals: Totals,
    /// How many refusals it stands for; 0 on ordinary runs.
    pub refusals: u32,
    /// How it ended.
    pub end: Option<Arc<RunEnd>>,
}

/// The moving part of a step.
#[derive(Clone, Debug, PartialEq)]
pub struct StepState {
    /// Its run.
    pub run_id: RunId,
    /// What it is.
    pub step_type: StepType,
    /// Where it stands.
    pub status: StepStatus,
    /// When it started.
    pub started_at: DateTime<Utc>,
    /// When the effect was let out.
    pub outbound_at: Option<DateTime<Utc>>,
    /// How it ended.
    pub end: Option<Arc<StepEnd>>,
}

/// A hold as the store keeps it.
#[derive(Clone, Debug, PartialEq)]
pub struct HoldState {
    /// The run it serves.
    pub run_id: RunId,
    /// Whether it still holds.
    pub open: bool,
    /// What is held where.
    pub lines: Vec<HoldLine>,
}

/// What a group of batches speaks of: the rows a store loads before [`State::apply`].
#[derive(Clone, Debug, Default)]
pub struct Touched {
    /// Runs, parents included.
    pub runs: BTreeSet<RunId>,
    /// Steps.
    pub steps: BTreeSet<StepId>,
    /// Holds.
    pub holds: BTreeSet<HoldId>,
    /// Tasks.
    pub tasks: BTreeSet<TaskId>,
    /// Runs that end: their unfinished tasks are wanted, see [`Touched::task_runs`].
    pub ended: BTreeSet<RunId>,
    /// Whether a task moves or is opened: the database's time is wanted.
    pub moves_tasks: bool,
    /// Counters; lock them in this order.
    pub counters: BTreeSet<(TenantId, CounterKey)>,
    /// Callers' keys; lock them in this order.
    pub claims: BTreeSet<(TenantId, ClaimKey)>,
    /// Booked-before checks.
    pub cost_refs: BTreeSet<(TenantId, String)>,
    /// Rows whose version is wanted.
    pub rows: BTreeSet<RowKey>,
    /// Number series.
    pub sequences: BTreeSet<Sequence>,
    /// Hash chains; lock them in this order.
    pub chains: BTreeSet<Scope>,
    /// Tenants whose epoch is wanted.
    pub tenants: BTreeSet<TenantId>,
    /// Tenants whose epoch is raised: lock these for writing.
    pub raised: BTreeSet<TenantId>,
    /// Processes whose epoch is wanted.
    pub processes: BTreeSet<ProcessId>,
}

impl Touched {
    /// Everything the batches name and do not make themselves. Call [`Touched::follow`] once steps and holds are loaded.
    pub fn by<'a>(batches: impl IntoIterator<Item = &'a Batch>) -> Self {
        let mut touched = Self::default();
        let mut made = Made::default();
        for batch in batches {
            if batch.auth_epoch.is_some() {
                touched.tenants.insert(batch.scope.tenant_id);
            }
            if let Some(fence) = batch.fence {
                touched.processes.insert(fence.process_id);
            }
            for op in &batch.ops {
                touched.add(batch.scope, op);
                made.add(op);
            }
        }
        touched.runs.retain(|id| !made.runs.contains(id));
        touched.steps.retain(|id| !made.steps.contains(id));
        touched.holds.retain(|id| !made.holds.contains(id));
        touched.tasks.retain(|id| !made.tasks.contains(id));
        touched.ended.retain(|id| !made.runs.contains(id));
        touched
    }

    fn add(&mut self, scope: Scope, op: &Op) {
        match op {
            Op::RunOpen(run) => self.runs.extend(run.parent_run_id),
            Op::RunMove { run_id, to, .. } => {
                self.runs.insert(*run_id);
                if to.is_final() {
                    self.ended.insert(*run_id);
                    self.chains.insert(scope);
                }
            }
            Op::RefusalCount { run_id } => {
                self.runs.insert(*run_id);
            }
            Op::StepOpen(step) => {
                self.runs.insert(step.run_id);
            }
            Op::StepMark { step_id, .. } => {
                self.steps.insert(*step_id);
            }
            Op::StepClose(end) => {
                self.steps.insert(end.step_id);
            }
            Op::CounterAdd { key, .. } => {
                self.counters.insert((scope.tenant_id, key.clone()));
            }
            Op::HoldPlace(hold) => {
                self.runs.insert(hold.run_id);
                self.counters.extend(hold.lines.iter().map(|line| (scope.tenant_id, line.key.clone())));
            }
            Op::HoldSettle { hold_id, lines } => {
                self.holds.insert(*hold_id);
                self.counters.extend(lines.iter().map(|line| (scope.tenant_id, line.key.clone())));
            }
            Op::HoldRelease { hold_id } => {
                self.holds.insert(*hold_id);
            }
            Op::CostAdd(cost) => {
                self.runs.insert(cost.run_id);
                // One that comes late is noted in the chain.
                self.chains.insert(scope);
                self.cost_refs.insert((scope.tenant_id, cost.source_ref.clone()));
            }
            Op::RowPut(row) => {
                self.rows.insert(RowKey::of(row));
            }
            Op::EpochHold { tenant_id, .. } => {
                self.tenants.insert(*tenant_id);
            }
            Op::EpochRaise(tenant_id) => {
                self.tenants.insert(*tenant_id);
                self.raised.insert(*tenant_id);
            }
            Op::KeyClaim(claim) => {
                self.claims.insert((scope.tenant_id, claim.key.clone()));
            }
            Op::KeyFinish(end) => {
                self.claims.insert((scope.tenant_id, end.key.clone()));
            }
            Op::KeyRelease { key, .. } => {
                self.claims.insert((scope.tenant_id, key.clone()));
            }
            Op::AuditAppend(_) => {
                self.sequences.insert(Sequence::Audit(scope));
                self.chains.insert(scope);
            }
            Op::KeyRotate(_) => {
                self.chains.insert(scope);
            }
            Op::ArtifactAdd(artifact) => self.runs.extend(artifact.run_id),
            Op::EventEmit(event) => match event.subject.parse::<RunId>() {
                Ok(run_id) => {
                    self.runs.insert(run_id);
                }
                Err(_) => {
                    self.sequences.insert(Sequence::Subject(scope.tenant_id, event.subject.clone()));
                }
            },
            Op::RunEventAppend(event) => {
                self.runs.insert(event.run_id);
            }
            Op::Task(task) => {
                self.moves_tasks = true;
                self.runs.extend(task.run_id());
                self.tasks.extend(task.touched());
            }
            Op::Touch(_) | Op::ReplayCount { .. } | Op::DeliveryResolve(_) => {}
        }
    }

    /// Those of the runs that end which may have tasks, once runs are loaded. A call of the gateway has none: what all calls
    /// do is not slowed down by what none of them needs.
    pub fn task_runs(&self, state: &State) -> Vec<RunId> {
        let may_have = |id: &&RunId| state.runs.get(id).is_some_and(|(_, run)| run.dimensions.mode != Mode::Gateway);
        self.ended.iter().filter(may_have).copied().collect()
    }

    /// Adds what loaded steps and holds lead to: their runs and the counters held.
    pub fn follow(&mut self, state: &State, tenant_of_hold: impl Fn(HoldId) -> Option<TenantId>) {
        self.runs.extend(state.steps.values().map(|step| step.run_id));
        for (id, hold) in &state.holds {
            self.runs.insert(hold.run_id);
            if let Some(tenant_id) = tenant_of_hold(*id) {
                self.counters.extend(hold.lines.iter().map(|line| (tenant_id, line.key.clone())));
            }
        }
    }
}

/// What a group of batches makes: not in the store yet, so nothing to load.
#[derive(Default)]
struct Made {
    runs: HashSet<RunId>,
    steps: HashSet<StepId>,
    holds: HashSet<HoldId>,
    tasks: HashSet<TaskId>,
}

impl Made {
    fn add(&mut self, op: &Op) {
        match op {
            Op::RunOpen(run) => {
                self.runs.insert(run.id);
            }
            Op::StepOpen(step) => {
                self.steps.insert(step.id);
            }
            Op::HoldPlace(hold) => {
                self.holds.insert(hold.id);
            }
            Op::Task(TaskOp::Open(task)) => {
                self.tasks.insert(task.id);
            }
            _ => {}
        }
    }
}

/// The loaded part of the ledger. What is not in a map is not there.
#[derive(Clone, Debug, Default)]
pub struct State {
    /// Runs with the scope they lie in.
    pub runs: HashMap<RunId, (Scope, RunState)>,
    /// Steps.
    pub steps: HashMap<StepId, StepState>,
    /// Holds.
    pub holds: HashMap<HoldId, HoldState>,
    /// Tasks with the scope they lie in.
    pub tasks: HashMap<TaskId, (Scope, TaskState)>,
    /// The database's time, where a task moves.
    pub now: Option<DateTime<Utc>>,
    /// Counters; an absent one stands at zero.
    pub counters: HashMap<(TenantId, CounterKey), Counter>,
    /// Callers' keys, without what they came to.
    pub claims: HashMap<(TenantId, ClaimKey), Claim>,
    /// Costs booked before.
    pub cost_refs: HashSet<(TenantId, String)>,
    /// Present versions; an absent row has version 0.
    pub rows: HashMap<RowKey, u64>,
    /// Last numbers given out; an absent series stands at 0.
    pub sequences: HashMap<Sequence, u64>,
    /// Where chains end; an absent one is empty.
    pub chains: HashMap<Scope, ChainEnd>,
    /// Present epochs.
    pub epochs: HashMap<TenantId, u64>,
    /// Epochs of processes that count as alive.
    pub processes: HashMap<ProcessId, u64>,
}

/// One new row, with the numbers the store gives.
#[derive(Clone, Debug)]
pub enum Change {
    /// Insert a run; its moving part is in [`State::runs`].
    NewRun(Scope, Arc<NewRun>),
    /// Insert a step with its sequence number; its moving part is in [`State::steps`].
    NewStep(Scope, Arc<NewStep>, u32),
    /// Insert a hold; whether it is open is in [`State::holds`].
    NewHold(Scope, Arc<Hold>),
    /// Insert a task; its moving part is in [`State::tasks`].
    NewTask(Scope, Arc<NewTask>),
    /// Insert a cost row.
    Cost(Scope, Arc<Cost>),
    /// Insert an audit row with its sequence number.
    Audit(Scope, Arc<Audit>, u64),
    /// Insert an artifact.
    Artifact(Scope, Arc<NewArtifact>),
    /// Insert an entry of the hash chain with its number.
    Seal(Scope, Sealed, u64),
    /// Insert an outbox event with its number within the subject, and a delivery for each consumer.
    Event(Scope, Arc<Event>, u64),
    /// Insert a run event with its offset.
    RunEvent(Scope, Arc<NewRunEvent>, u64),
    /// Insert or update a domain row; the version was checked.
    Row(Arc<Row>),
    /// Note a use.
    Touch(Touch),
    /// Move a delivery, if it is as dead as it was seen.
    Resolve(Scope, Arc<Resolution>),
}

/// Everything a group of batches changes. Moving parts are read from the [`State`] after the last batch.
#[derive(Clone, Debug, Default)]
pub struct Changes {
    /// New rows and row writes, in order.
    pub list: Vec<Change>,
    /// Runs that were there before and moved.
    pub runs: BTreeSet<RunId>,
    /// Steps that were there before and moved.
    pub steps: BTreeSet<StepId>,
    /// Holds that were there before and closed.
    pub holds: BTreeSet<HoldId>,
    /// Tasks that were there before and moved, with their new epoch where that was raised.
    pub tasks: BTreeMap<TaskId, Option<u64>>,
    /// Counters that moved.
    pub counters: BTreeSet<(TenantId, CounterKey)>,
    /// Callers' keys that were claimed or let go.
    pub claims: BTreeSet<(TenantId, ClaimKey)>,
    /// Number series that moved.
    pub sequences: BTreeSet<Sequence>,
    /// Tenants whose epoch was raised.
    pub epochs: BTreeMap<TenantId, u64>,
    /// What the counters of usage move by.
    pub tally: Tally,
}

impl Changes {
    /// Adds another batch's changes behind these.
    pub fn extend(&mut self, other: Self) {
        self.list.extend(other.list);
        self.runs.extend(other.runs);
        self.steps.extend(other.steps);
        self.holds.extend(other.holds);
        for (id, epoch) in other.tasks {
            let known = self.tasks.entry(id).or_default();
            *known = (*known).max(epoch);
        }
        self.counters.extend(other.counters);
        self.claims.extend(other.claims);
        self.sequences.extend(other.sequences);
        self.epochs.extend(other.epochs);
        self.tally.extend(other.tally);
    }
}
