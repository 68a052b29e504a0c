//! `/tasks`: work that outlives its request, and the erasing of content, which is such work.

use axum::extract::{FromRequestParts, State};
use axum::http::StatusCode;
use axum::http::request::Parts;
use types::id::{RunId, TaskId, WorkspaceId};
use types::page::Page;
use types::task::{ScrubContent, Task, TaskQuery, TaskStatus};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::run_filter::read;
use crate::compose::App;
use crate::http::{Authenticated, Error, Json, Path, Query, Result};

pub(super) fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(list_tasks))
        .routes(routes!(find_task))
        .routes(routes!(cancel_task))
        .routes(routes!(retry_task))
        .routes(routes!(pause_task))
        .routes(routes!(resume_task))
        .routes(routes!(scrub_content))
}

/// Which tasks, as the document describes it.
#[derive(utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
#[expect(dead_code, reason = "it describes the query; `TaskSearch` reads it, because filters repeat")]
struct TaskParameters {
    /// 1–200, default 50.
    limit: Option<u32>,
    /// `next_cursor` of the page before, with the same filters.
    cursor: Option<String>,
    /// Where it stands; a `!` before it leaves it out instead.
    status: Option<Vec<TaskStatus>>,
    /// What work it is, like `content.scrub`; a `!` before it leaves it out instead.
    task_type: Option<Vec<String>>,
    /// The run it works for.
    run_id: Option<Vec<RunId>>,
    /// What it is about, as an id; a `!` before it leaves it out instead.
    subject_id: Option<Vec<String>>,
}

/// What a reader asks of the tasks.
#[derive(Debug)]
struct TaskSearch(TaskQuery);

impl<S: Send + Sync> FromRequestParts<S> for TaskSearch {
    type Rejection = Error;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self> {
        let Query(pairs) = Query::<Vec<(String, String)>>::from_request_parts(parts, state).await?;
        let mut query = TaskQuery::default();
        for (name, value) in &pairs {
            match name.as_str() {
                "limit" => query.limit = read(name, value)?,
                "cursor" => query.cursor = Some(value.clone()),
                "status" => query.filter.status.push(read(name, value)?),
                "task_type" => query.filter.task_type.push(read(name, value)?),
                "run_id" => query.filter.run_id.push(read(name, value)?),
                "subject_id" => query.filter.subject_id.push(read(name, value)?),
                _ => return Err(Error::invalid(name, "is no filter of tasks, see /api/v1/openapi.json")),
            }
        }
        Ok(Self(query))
    }
}

/// The workspace's tasks, newest first. A filter given several times means any of its values, different filters mean all of
/// them.
#[utoipa::path(
    get, path = "/tasks", tag = "observe", params(TaskParameters),
    responses((status = 200, description = "One page of tasks", body = Page<Task>)),
)]
async fn list_tasks(
    State(app): State<App>,
    Authenticated(ctx): Authenticated,
    TaskSearch(query): TaskSearch,
) -> Result<Json<Page<Task>>> {
    Ok(Json(app.task_list.list_tasks(&ctx, &query).await?))
}

/// One task.
#[utoipa::path(
    get, path = "/tasks/{id}", tag = "observe", params(("id" = TaskId, Path)),
    responses((status = 200, description = "The task", body = Task)),
)]
async fn find_task(
    State(app): State<App>,
    Authenticated(ctx): Authenticated,
    Path(id): Path<TaskId>,
) -> Result<Json<Task>> {
    Ok(Json(app.task_list.find_task(&ctx, id).await?))
}

/// Ends a task that is not over. Its worker writes nothing more and stops within 20 seconds.
#[utoipa::path(
    post, path = "/tasks/{id}/cancel", tag = "observe", params(("id" = TaskId, Path)),
    responses((status = 202, description = "The task, canceled", body = Task)),
)]
async fn cancel_task(
    State(app): State<App>,
    Authenticated(ctx): Authenticated,
    Path(id): Path<TaskId>,
) -> Result<(StatusCode, Json<Task>)> {
    Ok((StatusCode::ACCEPTED, Json(app.task_list.cancel_task(&ctx, id).await?)))
}

/// Has a task tried again that was given up, from its first attempt.
#[utoipa::path(
    post, path = "/tasks/{id}/retry", tag = "observe", params(("id" = TaskId, Path)),
    responses((status = 202, description = "The task, waiting for a worker", body = Task)),
)]
async fn retry_task(
    State(app): State<App>,
    Authenticated(ctx): Authenticated,
    Path(id): Path<TaskId>,
) -> Result<(StatusCode, Json<Task>)> {
    Ok((StatusCode::ACCEPTED, Json(app.task_list.retry_task(&ctx, id).await?)))
}

/// Pauses the run of a task, where it works for one whose kind can be paused.
#[utoipa::path(
    post, path = "/tasks/{id}/pause", tag = "observe", params(("id" = TaskId, Path)),
    responses((status = 202, description = "The task", body = Task)),
)]
async fn pause_task(
    State(app): State<App>,
    Authenticated(ctx): Authenticated,
    Path(id): Path<TaskId>,
) -> Result<(StatusCode, Json<Task>)> {
    Ok((StatusCode::ACCEPTED, Json(app.task_list.pause_task(&ctx, id).await?)))
}

/// Resumes the run of a task.
#[utoipa::path(
    post, path = "/tasks/{id}/resume", tag = "observe", params(("id" = TaskId, Path)),
    responses((status = 202, description = "The task", body = Task)),
)]
async fn resume_task(
    State(app): State<App>,
    Authenticated(ctx): Authenticated,
    Path(id): Path<TaskId>,
) -> Result<(StatusCode, Json<Task>)> {
    Ok((StatusCode::ACCEPTED, Json(app.task_list.resume_task(&ctx, id).await?)))
}

/// Erases the workspace's content of before a moment, in the background: what went in and came out of runs, long content, what
/// people said of runs. Records, digests and the chain stay, and what a legal hold keeps.
#[utoipa::path(
    post, path = "/workspaces/{id}/content/scrub", tag = "observe", request_body = ScrubContent,
    params(("id" = WorkspaceId, Path, description = "The workspace")),
    responses((status = 202, description = "The task that does it", body = Task)),
)]
async fn scrub_content(
    State(app): State<App>,
    Authenticated(ctx): Authenticated,
    Json(command): Json<ScrubContent>,
) -> Result<(StatusCode, Json<Task>)> {
    Ok((StatusCode::ACCEPTED, Json(app.task_list.scrub_content(&ctx, &command).await?)))
}
