//! Tasks: those that may be taken, those whose worker is silent, and reading them.

use std::time::Duration;

use async_trait::async_trait;
use types::id::TaskId;
use types::page::Page;
use types::task::{Task, TaskQuery};

use super::StoreError;
use crate::context::Scope;

/// A task that may be taken.
#[derive(Clone, Debug, PartialEq)]
pub struct ReadyTask {
    /// Where.
    pub scope: Scope,
    /// The task.
    pub task: Task,
    /// How long it has been ready.
    pub waited: Duration,
}

/// Hands tasks to workers and readers. Taking one is a batch, see [`crate::ledger::TaskOp::Claim`].
#[async_trait]
pub trait Tasks: Send + Sync {
    /// Those of these types that may be taken by the database's clock, longest ready first, at most `limit`. One that
    /// somebody else is about to take is passed over.
    async fn ready_tasks(&self, types: &[&str], limit: u32) -> Result<Vec<ReadyTask>, StoreError>;
    /// Those whose lease is over by the database's clock, longest over first, at most `limit`.
    async fn lapsed_tasks(&self, limit: u32) -> Result<Vec<(Scope, Task)>, StoreError>;
    /// How many of each type may be taken by the database's clock.
    async fn count_ready(&self) -> Result<Vec<(String, u64)>, StoreError>;
    /// One page of a workspace's tasks, newest first.
    async fn list_tasks(&self, scope: Scope, query: &TaskQuery) -> Result<Page<Task>, StoreError>;
    /// One task.
    async fn find_task(&self, scope: Scope, id: TaskId) -> Result<Option<Task>, StoreError>;
    /// Those of these tasks that there are in the workspace, in no order.
    async fn find_tasks(&self, scope: Scope, ids: &[TaskId]) -> Result<Vec<Task>, StoreError>;
}
