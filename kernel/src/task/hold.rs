//! Pausing and resuming: of the run that a task works for.

use types::id::{RunId, TaskId};
use types::problem::Code;
use types::task::Task;

use super::use_cases::Tasks;
use crate::context::OpContext;
use crate::error::{Error, Result};

impl Tasks {
    /// Pauses the run of a task, where there is one and its kind can be paused.
    pub async fn pause_task(&self, ctx: &OpContext, id: TaskId) -> Result<Task> {
        let run_id = self.run_of(ctx, "task.pause", id).await?;
        self.ports.control.pause_run(ctx, run_id).await?;
        self.find_task(ctx, id).await
    }

    /// Resumes the run of a task.
    pub async fn resume_task(&self, ctx: &OpContext, id: TaskId) -> Result<Task> {
        let run_id = self.run_of(ctx, "task.resume", id).await?;
        self.ports.control.resume_run(ctx, run_id).await?;
        self.find_task(ctx, id).await
    }

    async fn run_of(&self, ctx: &OpContext, action: &'static str, id: TaskId) -> Result<RunId> {
        let task = self.controlled(ctx, action, id).await?;
        let detail = "the task works for no run, so there is nothing to pause or resume; it can be canceled";
        task.run_id.ok_or_else(|| Error::new(Code::NotSupported, detail))
    }
}
