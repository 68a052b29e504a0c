//! Writes one group of batches: decides them in order, commits once, then answers each.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::{Duration, Instant};

use kernel::context::Scope;
use kernel::ledger::{Batch, Change, Changes, Durability, LedgerError, Refusal, State};
use kernel::port::{CommitObserver, Committed};
use kernel::record::Row;
use types::id::{RunId, TaskId, TenantId};
use types::run::RunEvent;

use super::load::load;
use super::queue::{Job, Queue};
use super::witness::Witness;
use super::write::write;
use crate::dialect::{CUT, Database, LedgerTransaction};
use crate::error::Trouble;
use crate::read::Snapshots;

/// Tries of a transaction that met a deadlock, a serialisation failure or a busy file.
const RETRIES: u32 = 5;
/// Between two looks for a transaction whose commit was cut off.
const LOOK_AGAIN: Duration = Duration::from_millis(200);

pub(crate) struct Writer {
    database: Arc<Database>,
    queue: Arc<Queue>,
    snapshots: Arc<Snapshots>,
    observer: Arc<dyn CommitObserver>,
}

/// What became of each batch of a group.
type Outcomes = Vec<Result<Committed, Refusal>>;

/// A transaction that was not committed, as far as anyone knows.
enum Broken {
    /// Nothing changed.
    Undone(Trouble),
    /// The connection was lost in COMMIT.
    Unknown(Trouble, Box<(Witness, Committing)>),
}

/// A decided group on its way to durability.
struct Committing {
    outcomes: Outcomes,
    told: Told,
    /// The time hash chains took.
    chaining: Duration,
}

/// What observers and caches are told once a group is durable.
#[derive(Default)]
struct Told {
    run_events: Vec<RunEvent>,
    runs: BTreeSet<(Scope, RunId)>,
    tasks: BTreeSet<(Scope, TaskId)>,
    /// Tenants whose workspaces are set up differently now.
    set_up: BTreeSet<TenantId>,
    epochs: BTreeMap<TenantId, u64>,
    emitted: bool,
}

impl Writer {
    pub(crate) fn new(
        database: Arc<Database>,
        queue: Arc<Queue>,
        snapshots: Arc<Snapshots>,
        observer: Arc<dyn CommitObserver>,
    ) -> Self {
        Self { database, queue, snapshots, observer }
    }

    /// Writes a group and answers every caller. A group that breaks is replayed in halves, in order.
    pub(super) async fn write(&self, lane: usize, jobs: Vec<Job>) {
        let mut groups = vec![jobs];
        while let Some(mut group) = groups.pop() {
            match self.write_group(lane, &group).await {
                Ok((outcomes, before)) => {
                    let batches = group.len();
                    answer(group, outcomes);
                    self.database.count_young(before, batches).await;
                }
                Err(Trouble::Unique(_) | Trouble::Reference | Trouble::Other(_)) if group.len() > 1 => {
                    groups.push(group.split_off(group.len() / 2));
                    groups.push(group);
                }
                Err(trouble) => refuse(group, &trouble.into()),
            }
        }
    }

    /// What became of each, and how many batches there were before.
    async fn write_group(&self, lane: usize, group: &[Job]) -> Result<(Outcomes, u64), Trouble> {
        let started = Instant::now();
        let committing = self.commit_group(lane, group).await?;
        let before = self.database.meter().batches(group.len());
        let took = started.elapsed();
        self.database.meter().time(took, committing.chaining);
        self.tell(committing.told, group.len(), took);
        Ok((committing.outcomes, before))
    }

    async fn commit_group(&self, lane: usize, group: &[Job]) -> Result<Committing, Trouble> {
        let mut tries = 0;
        let mut doubt = None;
        loop {
            self.database.meter().transaction();
            let trouble = match self.attempt(group).await {
                Ok(committing) => return Ok(committing),
                Err(Broken::Undone(trouble)) => trouble,
                Err(Broken::Unknown(trouble, doubtful)) => {
                    doubt = Some(*doubtful);
                    trouble
                }
            };
            // A commit whose answer was lost may end long after it, also while it is being sent again.
            if let Some((witness, committing)) = doubt.take() {
                if self.happened(lane, &witness).await {
                    return Ok(committing);
                }
                doubt = Some((witness, committing));
            } else {
                match trouble {
                    Trouble::Busy(_) => {}
                    // Another process wrote the row after this one looked: a second look tells it by its rule.
                    Trouble::Unique(_) if group.len() == 1 && tries == 0 => {}
                    _ => return Err(trouble),
                }
            }
            if tries == RETRIES {
                return Err(trouble);
            }
            tries += 1;
            self.database.meter().retry();
            tokio::time::sleep(Duration::from_millis(2 << tries)).await;
        }
    }

    async fn attempt(&self, group: &[Job]) -> Result<Committing, Broken> {
        let cut = |_| Broken::Undone(Trouble::Down("a ledger transaction took more than 5 s".to_owned()));
        let durability = group.iter().map(|job| job.batch.durability).max().unwrap_or(Durability::Process);
        let deciding = async {
            let mut transaction = self.database.begin_ledger(durability).await?;
            let (committing, witness) = decide(&mut transaction, group).await?;
            Ok((transaction, committing, witness))
        };
        let (transaction, committing, witness) =
            tokio::time::timeout(CUT, deciding).await.map_err(cut)?.map_err(Broken::Undone)?;
        let Some(witness) = witness else {
            // Every batch was refused: there is nothing to commit.
            transaction.rollback().await.map_err(Broken::Undone)?;
            return Ok(committing);
        };
        let trouble = match tokio::time::timeout(CUT, transaction.commit()).await {
            Ok(Ok(())) => return Ok(committing),
            Ok(Err(trouble)) => trouble,
            Err(_) => Trouble::Down("a commit took more than 5 s".to_owned()),
        };
        match trouble {
            Trouble::Down(_) => Err(Broken::Unknown(trouble, Box::new((witness, committing)))),
            _ => Err(Broken::Undone(trouble)),
        }
    }

    /// Looks whether a transaction was committed whose answer was lost, until the store can tell. What waits meanwhile
    /// is told that the store is down.
    async fn happened(&self, lane: usize, witness: &Witness) -> bool {
        loop {
            match witness.is_there(&self.database).await {
                Ok(there) => return there,
                Err(error) => {
                    refuse(self.queue.drain(lane), &error.into());
                    tokio::time::sleep(LOOK_AGAIN).await;
                }
            }
        }
    }

    fn tell(&self, told: Told, batches: usize, took: Duration) {
        for tenant_id in told.set_up.iter().chain(told.epochs.keys()) {
            self.snapshots.forget(*tenant_id);
        }
        if !told.epochs.is_empty() {
            let epochs: Vec<(TenantId, u64)> = told.epochs.into_iter().collect();
            self.observer.epochs_raised(&epochs);
        }
        if !told.run_events.is_empty() {
            self.observer.run_events(&told.run_events);
        }
        if !told.runs.is_empty() {
            let runs: Vec<(Scope, RunId)> = told.runs.into_iter().collect();
            self.observer.runs_changed(&runs);
        }
        if !told.tasks.is_empty() {
            let tasks: Vec<(Scope, TaskId)> = told.tasks.into_iter().collect();
            self.observer.tasks_changed(&tasks);
        }
        if told.emitted {
            self.observer.events_emitted();
        }
        self.observer.committed(batches, took);
    }
}

/// Loads, decides and writes, without committing. No witness: nothing was written.
async fn decide(transaction: &mut LedgerTransaction, group: &[Job]) -> Result<(Committing, Option<Witness>), Trouble> {
    let mut state = load(transaction, group.iter().map(|job| &job.batch)).await?;
    let mut outcomes = Vec::with_capacity(group.len());
    let mut told = Told::default();
    let mut all = Changes::default();
    let mut applied = false;
    for job in group {
        let outcome = apply(&mut state, job.batch.clone(), &mut told, &mut all);
        applied |= outcome.is_ok();
        outcomes.push(outcome);
    }
    let mut committing = Committing { outcomes, told, chaining: Duration::ZERO };
    if !applied {
        return Ok((committing, None));
    }
    let witness = Witness::of(&all);
    committing.chaining = write(transaction, &state, all).await?;
    Ok((committing, Some(witness)))
}

fn apply(state: &mut State, batch: Batch, told: &mut Told, all: &mut Changes) -> Result<Committed, Refusal> {
    let scope = batch.scope;
    let changes = state.apply(batch)?;
    let committed = Committed::of(&changes, state);
    told.run_events.extend(committed.run_events.iter().cloned());
    told.runs.extend(changes.runs.iter().map(|id| (scope, *id)));
    told.tasks.extend(changes.tasks.keys().map(|id| (scope, *id)));
    for change in &changes.list {
        match change {
            Change::NewRun(scope, run) => {
                told.runs.insert((*scope, run.id));
            }
            Change::NewTask(scope, task) => {
                told.tasks.insert((*scope, task.id));
            }
            Change::Event(..) => told.emitted = true,
            Change::Row(row) => told.set_up.extend(set_up(row)),
            _ => {}
        }
    }
    told.epochs.extend(changes.epochs.iter().map(|(tenant_id, epoch)| (*tenant_id, *epoch)));
    all.extend(changes);
    Ok(committed)
}

/// The tenant of a row that a workspace's snapshot shows.
fn set_up(row: &Row) -> Option<TenantId> {
    match row {
        Row::Workspace(workspace) => Some(workspace.tenant_id),
        Row::Secret(secret) => Some(secret.scope.tenant_id),
        Row::EgressLayer(layer) => Some(layer.scope.tenant_id),
        Row::Provider { scope, .. } | Row::Model(scope, _) | Row::Price(scope, _) | Row::Budget { scope, .. } => {
            Some(scope.tenant_id)
        }
        _ => None,
    }
}

fn answer(group: Vec<Job>, outcomes: Outcomes) {
    for (job, outcome) in group.into_iter().zip(outcomes) {
        // A caller that no longer waits does not undo what is committed.
        let _ = job.answer.send(outcome.map_err(LedgerError::from));
    }
}

fn refuse(group: Vec<Job>, error: &LedgerError) {
    for job in group {
        let _ = job.answer.send(Err(error.clone()));
    }
}
