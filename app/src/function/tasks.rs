//! Server functions of tasks.

use leptos::prelude::*;
use leptos::server_fn::codec::Json;
use types::id::{FormKey, TaskId};
use types::name::Slug;
use types::problem::Code;
use types::task::{Task, TaskQuery};

use super::{ask, submit};
use crate::backend::redirect;
use crate::backend::tasks::TaskList;
use crate::error::AppError;
use crate::form::ScrubForm;
use crate::route::At;

/// One page of tasks; the first one where the cursor belongs to another list.
#[server(prefix = "/ui/fn", endpoint = "list_tasks", input = Json)]
pub(crate) async fn list_tasks(workspace: Slug, query: TaskQuery) -> Result<TaskList, AppError> {
    ask(|backend| async move {
        match backend.tasks.list_tasks(&workspace, query.clone()).await {
            Err(problem) if problem.code == Code::InvalidCursor => {
                let first = TaskQuery { cursor: None, ..query };
                let list = backend.tasks.list_tasks(&workspace, first).await?;
                Ok(TaskList { cursor_refused: true, ..list })
            }
            answer => answer,
        }
    })
    .await
}

/// One task.
#[server(prefix = "/ui/fn", endpoint = "find_task")]
pub(crate) async fn find_task(workspace: Slug, id: TaskId) -> Result<Task, AppError> {
    ask(|backend| async move { backend.tasks.find_task(&workspace, id).await }).await
}

/// Ends a task that is not over.
#[server(prefix = "/ui/fn", endpoint = "cancel_task")]
pub(crate) async fn cancel_task(workspace: Slug, id: TaskId) -> Result<Task, AppError> {
    ask(|backend| async move { backend.tasks.cancel_task(&workspace, id).await }).await
}

/// Has a task tried again that was given up.
#[server(prefix = "/ui/fn", endpoint = "retry_task")]
pub(crate) async fn retry_task(workspace: Slug, id: TaskId) -> Result<Task, AppError> {
    ask(|backend| async move { backend.tasks.retry_task(&workspace, id).await }).await
}

/// Opens the task that erases content, and goes to it.
#[server(prefix = "/ui/fn", endpoint = "scrub_content")]
pub(crate) async fn scrub_content(
    workspace: Slug,
    form_key: Option<FormKey>,
    form: ScrubForm,
) -> Result<Task, AppError> {
    let at = At::workspace(&workspace);
    let task = submit(&form, form.read(), |backend, command| async move {
        backend.tasks.scrub_content(&workspace, form_key, command).await
    })
    .await?;
    redirect(&at.task(task.id));
    Ok(task)
}
