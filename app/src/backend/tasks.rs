//! Tasks: work that outlives its request.

use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use types::id::{FormKey, TaskId};
use types::name::Slug;
use types::page::Page;
use types::task::{ScrubContent, Task, TaskQuery};

use super::Answer;

/// One page of tasks.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TaskList {
    /// The tasks, newest first.
    pub page: Page<Task>,
    /// The cursor was none of this list's, so this is its first page.
    pub cursor_refused: bool,
}

/// Tasks of a workspace.
#[async_trait]
pub trait Tasks: Send + Sync {
    /// One page of them.
    async fn list_tasks(&self, workspace: &Slug, query: TaskQuery) -> Answer<TaskList>;

    /// One.
    async fn find_task(&self, workspace: &Slug, id: TaskId) -> Answer<Task>;

    /// Ends one that is not over.
    async fn cancel_task(&self, workspace: &Slug, id: TaskId) -> Answer<Task>;

    /// Has one tried again that was given up.
    async fn retry_task(&self, workspace: &Slug, id: TaskId) -> Answer<Task>;

    /// Opens the one that erases content.
    async fn scrub_content(&self, workspace: &Slug, form_key: Option<FormKey>, command: ScrubContent) -> Answer<Task>;
}
