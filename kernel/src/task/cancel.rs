//! Ending a task before it is done.

use types::id::TaskId;
use types::task::{Task, TaskStatus};

use super::use_cases::Tasks;
use crate::context::OpContext;
use crate::error::Result;
use crate::ledger::{Audit, Batch, Durability, Op, TaskOp};

impl Tasks {
    /// Ends a task. Its worker, where one is at it, writes nothing any more and stops when it looks next.
    pub async fn cancel_task(&self, ctx: &OpContext, id: TaskId) -> Result<Task> {
        let task = self.controlled(ctx, "task.cancel", id).await?;
        let audit = Audit::done(ctx, &*self.ports.ids, "task.canceled", "task.cancel", ("task", id));
        let audit = Audit { run_id: task.run_id, ..audit };
        let canceled = TaskOp::Move { task_id: id, to: TaskStatus::Canceled, error: None };
        let batch = Batch::opening(ctx.scope, Durability::Power).with([Op::Task(canceled), audit.into()]);
        self.ports.ledger.commit(batch).await?;
        self.find_task(ctx, id).await
    }
}
