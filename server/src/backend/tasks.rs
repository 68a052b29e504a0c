//! Tasks, and the erasing of content.

use app::backend::tasks::TaskList;
use app::backend::{Answer, Tasks};
use async_trait::async_trait;
use types::id::{FormKey, TaskId};
use types::name::Slug;
use types::task::{ScrubContent, Task, TaskQuery};

use super::Visitor;

#[async_trait]
impl Tasks for Visitor {
    async fn list_tasks(&self, workspace: &Slug, query: TaskQuery) -> Answer<TaskList> {
        let listed = async {
            let page = self.app.task_list.list_tasks(&self.enter(workspace).await?, &query).await?;
            Ok(TaskList { page, cursor_refused: false })
        };
        self.answer(listed.await)
    }

    async fn find_task(&self, workspace: &Slug, id: TaskId) -> Answer<Task> {
        self.answer(async { self.app.task_list.find_task(&self.enter(workspace).await?, id).await }.await)
    }

    async fn cancel_task(&self, workspace: &Slug, id: TaskId) -> Answer<Task> {
        self.answer(async { self.app.task_list.cancel_task(&self.enter(workspace).await?, id).await }.await)
    }

    async fn retry_task(&self, workspace: &Slug, id: TaskId) -> Answer<Task> {
        self.answer(async { self.app.task_list.retry_task(&self.enter(workspace).await?, id).await }.await)
    }

    async fn scrub_content(&self, workspace: &Slug, form_key: Option<FormKey>, command: ScrubContent) -> Answer<Task> {
        let opened = async {
            let ctx = self.enter_with(workspace, form_key).await?;
            self.app.task_list.scrub_content(&ctx, &command).await
        };
        self.answer(opened.await)
    }
}
