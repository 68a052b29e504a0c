//! What happens to tasks: opened, claimed for a lease, renewed, finished, moved by people and by time.
//!
//! Invariant: a task is one worker's at a time. A claim raises the epoch, and so does everything that takes the task from who
//! has it: what an older claim writes is refused as stale. Times are the database's.

use std::sync::Arc;
use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use serde_json::Value;
use types::id::{ArtifactId, ProcessId, RunId, TaskId, UserId};
use types::run::{Caller, Failure, Mode};
use types::task::{TaskProgress, TaskStatus, TaskSubject};

use super::apply::Draft;
use super::{Change, Refusal};

/// The fixed part of a task.
#[derive(Clone, Debug, PartialEq)]
pub struct NewTask {
    /// The task's id.
    pub id: TaskId,
    /// What work it is.
    pub task_type: String,
    /// After so many attempts it is given up.
    pub max_attempts: u32,
    /// What it is about.
    pub subject: TaskSubject,
    /// Who has it done.
    pub caller: Caller,
    /// The person answered for, where there is one.
    pub user_id: Option<UserId>,
    /// The run it works for. No call of the gateway has one.
    pub run_id: Option<RunId>,
    /// What it is to do: ids, words and numbers, no content.
    pub params: Value,
    /// Content it works on.
    pub input_artifact: Option<ArtifactId>,
    /// It is not tried before this time is over.
    pub delay: Duration,
}

/// One operation on a task.
#[derive(Clone, Debug)]
pub enum TaskOp {
    /// A new task, of a run that is neither final nor canceling where it has one.
    Open(Arc<NewTask>),
    /// A worker takes it for a while: one attempt more, under a new epoch.
    Claim {
        /// Which task.
        task_id: TaskId,
        /// Its epoch when it was looked at.
        epoch: u64,
        /// The process that takes it.
        owner: ProcessId,
        /// For how long.
        lease: Duration,
    },
    /// Its worker is still at it.
    Renew {
        /// Which task.
        task_id: TaskId,
        /// The epoch of the claim.
        epoch: u64,
        /// For how long from now.
        lease: Duration,
    },
    /// Its worker says how far it is.
    Progress {
        /// Which task.
        task_id: TaskId,
        /// The epoch of the claim.
        epoch: u64,
        /// How far.
        progress: TaskProgress,
    },
    /// Its worker is done with it.
    Finish(Arc<TaskEnd>),
    /// Its worker was silent for longer than the lease: it ends as this says. A lease that was renewed meanwhile refuses.
    Lapse(Arc<TaskEnd>),
    /// It moves without a worker: it wakes up, is canceled, or what it waited for did not come.
    Move {
        /// Which task.
        task_id: TaskId,
        /// `queued`, `canceled` or `failed`.
        to: TaskStatus,
        /// Why, for `failed`.
        error: Option<Failure>,
    },
    /// One that was given up is tried again from its first attempt; its run must still go on.
    Redrive {
        /// Which task.
        task_id: TaskId,
        /// The run it works for, which it always does.
        run_id: Option<RunId>,
    },
    /// One that was given up is let go for good.
    Discard {
        /// Which task.
        task_id: TaskId,
        /// Why.
        reason: String,
    },
}

impl TaskOp {
    /// The run that has to be looked at.
    pub(super) fn run_id(&self) -> Option<RunId> {
        match self {
            Self::Open(task) => task.run_id,
            Self::Redrive { run_id, .. } => *run_id,
            _ => None,
        }
    }

    /// The task that is there already.
    pub(super) fn touched(&self) -> Option<TaskId> {
        match self {
            Self::Open(_) => None,
            Self::Finish(end) | Self::Lapse(end) => Some(end.task_id),
            Self::Claim { task_id, .. }
            | Self::Renew { task_id, .. }
            | Self::Progress { task_id, .. }
            | Self::Move { task_id, .. }
            | Self::Redrive { task_id, .. }
            | Self::Discard { task_id, .. } => Some(*task_id),
        }
    }
}

/// How a claim ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TaskEnd {
    /// Which task.
    pub task_id: TaskId,
    /// The epoch of the claim.
    pub epoch: u64,
    /// What it came to.
    pub outcome: TaskOutcome,
}

/// What a claim came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TaskOutcome {
    /// Done.
    Succeeded {
        /// Content it made.
        output: Option<ArtifactId>,
    },
    /// Given up.
    Failed(Failure),
    /// Tried again later.
    Retry {
        /// Why it failed.
        error: Failure,
        /// After this time.
        after: Duration,
    },
    /// Given back untouched: the attempt does not count.
    Released,
    /// Nothing can be done before there is input.
    WaitsForInput,
    /// Nothing can be done before somebody decides.
    WaitsForApproval,
}

impl TaskOutcome {
    /// Where the task stands then.
    pub const fn status(&self) -> TaskStatus {
        match self {
            Self::Succeeded { .. } => TaskStatus::Succeeded,
            Self::Failed(_) => TaskStatus::Failed,
            Self::Retry { .. } => TaskStatus::RetryWait,
            Self::Released => TaskStatus::Queued,
            Self::WaitsForInput => TaskStatus::WaitingInput,
            Self::WaitsForApproval => TaskStatus::WaitingApproval,
        }
    }
}

/// The moving part of a task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TaskState {
    /// The run it works for; never changes.
    pub run_id: Option<RunId>,
    /// Where it stands.
    pub status: TaskStatus,
    /// Raised whenever somebody else may do it from then on.
    pub epoch: u64,
    /// Attempts since it was opened or redriven.
    pub attempts: u32,
    /// How often it was redriven.
    pub redrives: u32,
    /// When it may be tried.
    pub available_at: DateTime<Utc>,
    /// Who is at it.
    pub lease_owner: Option<ProcessId>,
    /// Until when.
    pub lease_until: Option<DateTime<Utc>>,
    /// How far it is.
    pub progress: Option<TaskProgress>,
    /// Why the last attempt failed.
    pub error: Option<Failure>,
    /// Content it made.
    pub output_artifact: Option<ArtifactId>,
    /// Why it was let go after it was given up.
    pub discard_reason: Option<String>,
    /// When it was over.
    pub finished_at: Option<DateTime<Utc>>,
}

impl TaskState {
    fn refusal(&self) -> Refusal {
        Refusal::State { what: "task", present: self.status.to_string() }
    }

    /// Leaves who has it, for another state.
    fn leave(&mut self, to: TaskStatus, now: DateTime<Utc>) -> Result<(), Refusal> {
        if !self.status.may_become(to) {
            return Err(self.refusal());
        }
        self.status = to;
        self.epoch += 1;
        (self.lease_owner, self.lease_until) = (None, None);
        self.finished_at = to.is_over().then_some(now);
        Ok(())
    }

    fn end(&mut self, outcome: &TaskOutcome, now: DateTime<Utc>) -> Result<(), Refusal> {
        self.leave(outcome.status(), now)?;
        match outcome {
            TaskOutcome::Succeeded { output } => self.output_artifact = *output,
            TaskOutcome::Failed(error) => self.error = Some(error.clone()),
            TaskOutcome::Retry { error, after } => {
                self.error = Some(error.clone());
                self.available_at = later(now, *after);
            }
            TaskOutcome::Released => {
                self.attempts = self.attempts.saturating_sub(1);
                self.available_at = now;
            }
            TaskOutcome::WaitsForInput | TaskOutcome::WaitsForApproval => {}
        }
        Ok(())
    }
}

impl Draft<'_> {
    pub(super) fn apply_task(&mut self, op: TaskOp) -> Result<(), Refusal> {
        let now = self.base.now.ok_or(Refusal::Invalid { what: "a task without the time" })?;
        match op {
            TaskOp::Open(task) => self.open_task(task, now),
            TaskOp::Claim { task_id, epoch, owner, lease } => {
                let task = self.current(task_id, epoch)?;
                if !task.status.may_become(TaskStatus::Running) || task.available_at > now {
                    return Err(task.refusal());
                }
                task.status = TaskStatus::Running;
                task.epoch += 1;
                task.attempts = task.attempts.saturating_add(1);
                (task.lease_owner, task.lease_until) = (Some(owner), Some(later(now, lease)));
                let epoch = task.epoch;
                self.note_task(task_id, Some(epoch));
                Ok(())
            }
            TaskOp::Renew { task_id, epoch, lease } => {
                self.claimed_task(task_id, epoch)?.lease_until = Some(later(now, lease));
                self.note_task(task_id, None);
                Ok(())
            }
            TaskOp::Progress { task_id, epoch, progress } => {
                self.claimed_task(task_id, epoch)?.progress = Some(progress);
                self.note_task(task_id, None);
                Ok(())
            }
            TaskOp::Finish(end) => self.end_task(&end, now),
            TaskOp::Lapse(end) => {
                let task = self.claimed_task(end.task_id, end.epoch)?;
                if task.lease_until.is_some_and(|until| until > now) {
                    return Err(task.refusal());
                }
                self.end_task(&end, now)
            }
            TaskOp::Move { task_id, to, error } => {
                let task = self.task(task_id)?;
                let needs_worker = match task.status {
                    TaskStatus::Running => to != TaskStatus::Canceled,
                    TaskStatus::Failed => true,
                    _ => to == TaskStatus::Running,
                };
                if needs_worker {
                    return Err(task.refusal());
                }
                task.leave(to, now)?;
                if to == TaskStatus::Queued {
                    task.available_at = task.available_at.min(now);
                }
                task.error = error.or(task.error.take());
                let epoch = task.epoch;
                self.note_task(task_id, Some(epoch));
                Ok(())
            }
            TaskOp::Redrive { task_id, run_id } => {
                if let Some(run_id) = run_id {
                    self.working_run(run_id)?;
                }
                let task = self.given_up(task_id)?;
                if task.run_id != run_id {
                    return Err(Refusal::Invalid { what: "a task redriven for another run" });
                }
                task.leave(TaskStatus::Queued, now)?;
                (task.attempts, task.available_at, task.progress) = (0, now, None);
                task.redrives = task.redrives.saturating_add(1);
                let epoch = task.epoch;
                self.note_task(task_id, Some(epoch));
                Ok(())
            }
            TaskOp::Discard { task_id, reason } => {
                let task = self.given_up(task_id)?;
                task.discard_reason = Some(reason);
                task.epoch += 1;
                let epoch = task.epoch;
                self.note_task(task_id, Some(epoch));
                Ok(())
            }
        }
    }

    /// Last of a run that ends: nothing works for it any more.
    pub(super) fn cancel_tasks(&mut self, run_id: RunId) -> Result<(), Refusal> {
        let all = self.base.tasks.iter().chain(&self.over.tasks);
        let mut ids: Vec<TaskId> =
            all.filter(|(_, (_, task))| task.run_id == Some(run_id)).map(|(id, _)| *id).collect();
        ids.sort_unstable();
        ids.dedup();
        for id in ids {
            let now = self.base.now.ok_or(Refusal::Invalid { what: "a task without the time" })?;
            let task = self.task(id)?;
            if !task.status.is_over() {
                task.leave(TaskStatus::Canceled, now)?;
                let epoch = task.epoch;
                self.note_task(id, Some(epoch));
            }
        }
        Ok(())
    }

    fn open_task(&mut self, task: Arc<NewTask>, now: DateTime<Utc>) -> Result<(), Refusal> {
        if let Some(run_id) = task.run_id
            && self.working_run(run_id)?.dimensions.mode == Mode::Gateway
        {
            return Err(Refusal::Invalid { what: "a task of a call of the gateway" });
        }
        let state = TaskState {
            run_id: task.run_id,
            status: TaskStatus::Queued,
            epoch: 0,
            attempts: 0,
            redrives: 0,
            available_at: later(now, task.delay),
            lease_owner: None,
            lease_until: None,
            progress: None,
            error: None,
            output_artifact: None,
            discard_reason: None,
            finished_at: None,
        };
        self.over.tasks.insert(task.id, (self.scope, state));
        self.changes.list.push(Change::NewTask(self.scope, task));
        Ok(())
    }

    fn end_task(&mut self, end: &TaskEnd, now: DateTime<Utc>) -> Result<(), Refusal> {
        let task = self.claimed_task(end.task_id, end.epoch)?;
        task.end(&end.outcome, now)?;
        let epoch = task.epoch;
        self.note_task(end.task_id, Some(epoch));
        Ok(())
    }

    /// A task of this workspace, ready to change.
    fn task(&mut self, id: TaskId) -> Result<&mut TaskState, Refusal> {
        let missing = Refusal::Missing { what: "task" };
        if !self.over.tasks.contains_key(&id) {
            let found = self.base.tasks.get(&id).filter(|(scope, _)| *scope == self.scope).cloned();
            self.over.tasks.insert(id, found.ok_or(missing.clone())?);
        }
        self.over.tasks.get_mut(&id).map(|(_, task)| task).ok_or(missing)
    }

    /// The same, as it was looked at.
    fn current(&mut self, id: TaskId, epoch: u64) -> Result<&mut TaskState, Refusal> {
        let task = self.task(id)?;
        if task.epoch == epoch { Ok(task) } else { Err(Refusal::Stale { current: task.epoch }) }
    }

    /// The same, for the worker that claimed it.
    fn claimed_task(&mut self, id: TaskId, epoch: u64) -> Result<&mut TaskState, Refusal> {
        let task = self.current(id, epoch)?;
        if task.status == TaskStatus::Running { Ok(task) } else { Err(task.refusal()) }
    }

    /// A task that was given up and not let go.
    fn given_up(&mut self, id: TaskId) -> Result<&mut TaskState, Refusal> {
        let task = self.task(id)?;
        if task.status == TaskStatus::Failed && task.discard_reason.is_none() {
            return Ok(task);
        }
        let present = if task.discard_reason.is_some() { "discarded".to_owned() } else { task.status.to_string() };
        Err(Refusal::State { what: "task", present })
    }

    fn note_task(&mut self, id: TaskId, raised_to: Option<u64>) {
        let known = self.changes.tasks.entry(id).or_default();
        *known = (*known).max(raised_to);
    }
}

fn later(now: DateTime<Utc>, by: Duration) -> DateTime<Utc> {
    TimeDelta::from_std(by).ok().and_then(|by| now.checked_add_signed(by)).unwrap_or(DateTime::<Utc>::MAX_UTC)
}
