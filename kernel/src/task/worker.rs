//! Taking tasks and doing them.

use std::collections::BTreeMap;
use std::future::Future;
use std::panic::AssertUnwindSafe;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt;
use futures::future::{Either, join_all, select};
use types::problem::Code;
use types::task::TaskStatus;

use super::end::{after_failure, ending};
use super::progress::Progress;
use super::work::{Claimed, Outcome, TaskError, TaskWork};
use crate::error::Result;
use crate::ledger::{Batch, Durability, Fence, LedgerError, Op, Refusal, TaskOp, TaskOutcome};
use crate::port::{Clock, Ids, Ledger, Lifecycle, ReadyTask, Tasks};

/// How long a claim is good.
const LEASE: Duration = Duration::from_secs(60);
/// Time between two renewals.
const RENEW: Duration = Duration::from_secs(20);
/// Time before what the store did not take is given to it again.
const AGAIN: Duration = Duration::from_secs(2);
/// Most tasks taken at once.
const MOST: u32 = 32;

/// What a worker needs from the world.
pub struct WorkerPorts {
    /// Finding tasks.
    pub tasks: Arc<dyn Tasks>,
    /// Taking and ending them.
    pub ledger: Arc<dyn Ledger>,
    /// Time.
    pub clock: Arc<dyn Clock>,
    /// Chance and ids.
    pub ids: Arc<dyn Ids>,
    /// Whether this process may do anything.
    pub lifecycle: Arc<dyn Lifecycle>,
}

/// Does the tasks of the types that are registered with it.
pub struct Worker {
    ports: WorkerPorts,
    works: BTreeMap<&'static str, Arc<dyn TaskWork>>,
}

/// A task that was taken by this process.
#[derive(Clone, Debug)]
pub struct Taken {
    claimed: Claimed,
    fence: Fence,
    /// How long it was ready before.
    pub waited: Duration,
}

/// Why doing a task ended.
enum Stopped {
    /// By itself.
    Done(std::result::Result<Outcome, TaskError>),
    /// The process begins nothing new: another one may have it.
    Released,
    /// It is not this worker's any more.
    Lost,
}

impl Worker {
    /// A worker on these ports that does these types of tasks.
    pub fn new(ports: WorkerPorts, works: impl IntoIterator<Item = Arc<dyn TaskWork>>) -> Self {
        let works = works.into_iter().map(|work| (work.task_type(), work)).collect();
        Self { ports, works }
    }

    /// The types it does.
    pub fn types(&self) -> Vec<&'static str> {
        self.works.keys().copied().collect()
    }

    /// Takes up to so many ready tasks, 32 at most. Of several workers that see the same task one gets it.
    pub async fn take(&self, free: u32) -> Result<Vec<Taken>> {
        let Some(fence) = self.ports.lifecycle.fence() else { return Ok(Vec::new()) };
        let ready = self.ports.tasks.ready_tasks(&self.types(), free.min(MOST)).await?;
        let taken = join_all(ready.into_iter().map(|ready| self.claim(ready, fence))).await;
        Ok(taken.into_iter().flatten().collect())
    }

    async fn claim(&self, ready: ReadyTask, fence: Fence) -> Option<Taken> {
        let ReadyTask { scope, mut task, waited } = ready;
        let mut batch = Batch::opening(scope, Durability::Process).fenced(fence);
        if task.status == TaskStatus::RetryWait {
            batch.push(Op::Task(TaskOp::Move { task_id: task.id, to: TaskStatus::Queued, error: None }));
            task.epoch += 1;
        }
        let (task_id, epoch, owner) = (task.id, task.epoch, fence.process_id);
        batch.push(Op::Task(TaskOp::Claim { task_id, epoch, owner, lease: LEASE }));
        match self.ports.ledger.commit(batch).await {
            Ok(_) => {
                task.status = TaskStatus::Running;
                task.epoch += 1;
                task.attempts = task.attempts.saturating_add(1);
                Some(Taken { claimed: Claimed { scope, task }, fence, waited })
            }
            Err(error) => {
                tracing::debug!(task.id = %task_id, %error, "a task was not taken");
                None
            }
        }
    }

    /// Does a task that was taken, until it is done, somebody else has it, or `stop` resolves: then it is given back.
    pub async fn work(&self, taken: Taken, stop: impl Future<Output = ()> + Send) {
        let Taken { claimed, fence, .. } = taken;
        let Some(work) = self.works.get(claimed.task.task_type.as_str()) else { return };
        let task = &claimed.task;
        let progress = Progress::new(Arc::clone(&self.ports.ledger), claimed.scope, (task.id, task.epoch), fence);
        let (outcome, ops) = match self.stopped(&**work, &claimed, &progress, stop).await {
            Stopped::Lost => {
                tracing::info!(task.id = %task.id, "a task was taken away");
                return;
            }
            Stopped::Released => (TaskOutcome::Released, Vec::new()),
            Stopped::Done(Ok(Outcome::Done { output, ops })) => (TaskOutcome::Succeeded { output }, ops),
            Stopped::Done(Ok(Outcome::WaitsForInput)) => (TaskOutcome::WaitsForInput, Vec::new()),
            Stopped::Done(Ok(Outcome::WaitsForApproval)) => (TaskOutcome::WaitsForApproval, Vec::new()),
            Stopped::Done(Err(error)) => (self.failed(&claimed, &error), Vec::new()),
        };
        self.finish(&claimed, &progress, outcome, ops).await;
    }

    /// Does it, and renews the lease meanwhile.
    async fn stopped(
        &self,
        work: &dyn TaskWork,
        claimed: &Claimed,
        progress: &Progress,
        stop: impl Future<Output = ()> + Send,
    ) -> Stopped {
        let clock = &self.ports.clock;
        let mut working = pin!(AssertUnwindSafe(work.run(claimed, progress)).catch_unwind());
        let stop = pin!(stop);
        let mut ending = select(stop, self.ports.lifecycle.aborting());
        let mut renewed_at = clock.monotonic();
        let mut alarm = clock.sleep(RENEW);
        loop {
            match select(&mut working, select(&mut alarm, &mut ending)).await {
                Either::Left((Ok(Err(error)), _)) if error.is_lost() => return Stopped::Lost,
                Either::Left((Ok(outcome), _)) => return Stopped::Done(outcome),
                Either::Left((Err(_), _)) => return Stopped::Done(Err(panicked())),
                Either::Right((Either::Right((Either::Left(_), _)), _)) => return Stopped::Released,
                Either::Right((Either::Right((Either::Right(_), _)), _)) => return Stopped::Lost,
                Either::Right((Either::Left(_), _)) => {}
            }
            let asked_at = clock.monotonic();
            let op = TaskOp::Renew { task_id: progress.task_id, epoch: progress.epoch, lease: LEASE };
            alarm = match progress.write(op).await {
                Ok(()) => {
                    renewed_at = asked_at;
                    clock.sleep(RENEW)
                }
                Err(LedgerError::Refused(_)) => return Stopped::Lost,
                Err(error) => {
                    tracing::warn!(task.id = %claimed.task.id, %error, "the lease of a task is not renewed");
                    if clock.monotonic().saturating_sub(renewed_at) >= LEASE {
                        return Stopped::Lost;
                    }
                    clock.sleep(AGAIN)
                }
            };
        }
    }

    fn failed(&self, claimed: &Claimed, error: &TaskError) -> TaskOutcome {
        tracing::warn!(
            task.id = %claimed.task.id, task.kind = claimed.task.task_type, attempt = claimed.task.attempts,
            code = error.code, "a task failed"
        );
        after_failure(&*self.ports.ids, &claimed.task, error.failure(), error.is_retryable)
    }

    /// Writes the end. A store that is away gets it again while the lease holds; then it is taken back by itself.
    async fn finish(&self, claimed: &Claimed, progress: &Progress, mut outcome: TaskOutcome, mut ops: Vec<Op>) {
        let clock = &self.ports.clock;
        let until = clock.monotonic() + RENEW;
        loop {
            let (end, failed) = ending(&*self.ports.ids, &claimed.task, outcome.clone(), clock.now());
            let all = ops.iter().cloned().chain(failed).chain([Op::Task(TaskOp::Finish(end))]).collect();
            match progress.finish(all).await {
                Ok(()) => return,
                Err(LedgerError::Refused(refusal)) => {
                    let is_taken = matches!(
                        refusal,
                        Refusal::Stale { .. } | Refusal::State { what: "task", .. } | Refusal::Fenced
                    );
                    if is_taken || ops.is_empty() {
                        tracing::info!(task.id = %claimed.task.id, %refusal, "a task ended too late, somebody else has it");
                        return;
                    }
                    tracing::warn!(task.id = %claimed.task.id, %refusal, "what a task made was refused");
                    let error = TaskError {
                        code: Code::Internal.to_string(),
                        message: refusal.to_string(),
                        is_retryable: true,
                    };
                    outcome = self.failed(claimed, &error);
                    ops.clear();
                }
                Err(error) if clock.monotonic() < until => {
                    tracing::warn!(task.id = %claimed.task.id, %error, "the end of a task waits for the store");
                    clock.sleep(AGAIN).await;
                }
                Err(error) => {
                    tracing::warn!(task.id = %claimed.task.id, %error, "the end of a task was not written");
                    return;
                }
            }
        }
    }
}

fn panicked() -> TaskError {
    let message = "the work broke off inside soit".to_owned();
    TaskError { code: Code::Internal.to_string(), message, is_retryable: true }
}

impl std::fmt::Debug for Worker {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Worker").field("types", &self.types()).finish_non_exhaustive()
    }
}
