//! Having a task tried again that was given up.

use types::id::TaskId;
use types::problem::Code;
use types::task::{Task, TaskStatus};

use super::end::{REDRIVEN, told};
use super::registry::is_known;
use super::use_cases::Tasks;
use crate::context::OpContext;
use crate::error::{Error, Result};
use crate::ledger::{Audit, Batch, Durability, Op, TaskOp};
use crate::port::Ids;

impl Tasks {
    /// Has one task tried again that was given up, from its first attempt. A type that this version does not do stays as it
    /// is.
    pub async fn retry_task(&self, ctx: &OpContext, id: TaskId) -> Result<Task> {
        let task = self.controlled(ctx, "task.retry", id).await?;
        if task.status == TaskStatus::Failed && !is_known(&task.task_type) {
            let detail = format!("tasks of the type `{}` are not done by this version of soit", task.task_type);
            return Err(Error::new(Code::TaskNotRerunnable, detail));
        }
        let audit = Audit::done(ctx, &*self.ports.ids, REDRIVEN, "task.retry", ("task", id));
        let audit = Audit { run_id: task.run_id, ..audit };
        let batch = Batch::opening(ctx.scope, Durability::Power).with([audit.into()]);
        self.ports.ledger.commit(batch.with(redriving(ctx, &*self.ports.ids, &task))).await?;
        self.find_task(ctx, id).await
    }
}

/// What redriving a task writes besides its audit row.
pub(crate) fn redriving(ctx: &OpContext, ids: &dyn Ids, task: &Task) -> [Op; 2] {
    let event = told(ids, REDRIVEN, task, serde_json::json!({ "by": ctx.caller() }), ctx.now);
    [Op::Task(TaskOp::Redrive { task_id: task.id, run_id: task.run_id }), event]
}
