//! Taking back what a dead or silent worker has.

use futures::future::join_all;
use types::id::TaskId;
use types::run::{EndReason, Failure};
use types::task::Task;

use super::end::{after_failure, ending};
use crate::context::Scope;
use crate::error::Result;
use crate::ledger::{Batch, LedgerError, Op, TaskOp};
use crate::port::{Clock, Ids, Ledger, Tasks};

/// Tasks taken back at once; their batches share transactions.
const AT_ONCE: u32 = 100;

/// Takes back every task whose lease is over: it is tried again, or given up after its last attempt. How many there were.
pub(crate) async fn lapse(tasks: &dyn Tasks, ledger: &dyn Ledger, clock: &dyn Clock, ids: &dyn Ids) -> Result<u64> {
    let mut count = 0;
    loop {
        let lapsed = tasks.lapsed_tasks(AT_ONCE).await?;
        let batches = lapsed.iter().map(|(scope, task)| (task.id, batch(*scope, task, clock, ids)));
        let outcomes = join_all(batches.map(|(id, batch)| take_back(ledger, id, batch))).await;
        let mut taken = 0;
        for outcome in outcomes {
            taken += u64::from(outcome?);
        }
        count += taken;
        if taken == 0 {
            return Ok(count);
        }
    }
}

fn batch(scope: Scope, task: &Task, clock: &dyn Clock, ids: &dyn Ids) -> Batch {
    let error = Failure {
        code: EndReason::ProcessLost.to_string(),
        message: "the process that did it is gone".to_owned(),
        step_id: None,
    };
    let (end, failed) = ending(ids, task, after_failure(ids, task, error, true), clock.now());
    Batch::closing(scope).with([Op::Task(TaskOp::Lapse(end))]).with(failed)
}

/// Whether this process took it back: of several that try, one does.
async fn take_back(ledger: &dyn Ledger, id: TaskId, batch: Batch) -> Result<bool> {
    match ledger.commit(batch).await {
        Ok(_) => Ok(true),
        Err(LedgerError::Refused(refusal)) => {
            tracing::debug!(task.id = %id, %refusal, "a lapsed task is somebody else's by now");
            Ok(false)
        }
        Err(error) => Err(error.into()),
    }
}
