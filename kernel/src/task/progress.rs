//! Saying how far a task is.

use std::sync::Arc;

use types::id::TaskId;
use types::task::TaskProgress;

use super::work::TaskError;
use crate::context::Scope;
use crate::ledger::{Batch, Durability, Fence, Lane, LedgerError, Op, Refusal, TaskOp};
use crate::port::Ledger;

/// Longest text of a progress, characters.
const MOST_TEXT: usize = 200;

/// A claim of a task, and the way to write under it.
#[derive(Clone)]
pub struct Progress {
    ledger: Arc<dyn Ledger>,
    pub(super) scope: Scope,
    pub(super) task_id: TaskId,
    pub(super) epoch: u64,
    fence: Fence,
}

impl Progress {
    /// The claim of a task by a process.
    pub(super) fn new(ledger: Arc<dyn Ledger>, scope: Scope, (task_id, epoch): (TaskId, u64), fence: Fence) -> Self {
        Self { ledger, scope, task_id, epoch, fence }
    }

    /// Says how far it is: so many parts of so many, and what it is at, without content. Fails where the task is not this
    /// worker's any more; a store that does not answer is passed over.
    pub async fn report(&self, done: u64, total: Option<u64>, text: Option<&str>) -> Result<(), TaskError> {
        let text = text.map(|text| text.chars().take(MOST_TEXT).collect());
        let progress = TaskProgress { done, total, text };
        let op = TaskOp::Progress { task_id: self.task_id, epoch: self.epoch, progress };
        match self.write(op).await {
            Ok(()) => Ok(()),
            Err(LedgerError::Refused(refusal)) => Err(lost(&refusal)),
            Err(error) => {
                tracing::debug!(task.id = %self.task_id, %error, "how far a task is was not written");
                Ok(())
            }
        }
    }

    /// Writes under the claim, while it holds. It ends what was begun, so admissions do not keep it waiting.
    pub(super) async fn write(&self, op: TaskOp) -> Result<(), LedgerError> {
        let batch = Batch { lane: Lane::Closing, ..Batch::opening(self.scope, Durability::Process) };
        self.ledger.commit(batch.fenced(self.fence).with([Op::Task(op)])).await.map(|_| ())
    }

    /// Writes the end of the claim, synced.
    pub(super) async fn finish(&self, ops: Vec<Op>) -> Result<(), LedgerError> {
        self.ledger.commit(Batch::closing(self.scope).fenced(self.fence).with(ops)).await.map(|_| ())
    }
}

fn lost(refusal: &Refusal) -> TaskError {
    TaskError::lost(format!("the task was taken away: {refusal}"))
}

impl std::fmt::Debug for Progress {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Progress").field("task_id", &self.task_id).field("epoch", &self.epoch).finish_non_exhaustive()
    }
}
