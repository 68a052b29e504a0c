//! Server functions of runs.

use leptos::prelude::*;
use leptos::server_fn::codec::Json;
use types::id::RunId;
use types::name::Slug;
use types::page::Page;
use types::problem::Code;
use types::run::{Run, RunEvent, RunQuery};

use super::ask;
use crate::backend::runs::{RunDetail, RunList};
use crate::error::AppError;
use crate::query::Range;

/// One page of runs; the first one where the cursor belongs to another list.
#[server(prefix = "/ui/fn", endpoint = "list_runs", input = Json)]
pub(crate) async fn list_runs(workspace: Slug, range: Range, query: RunQuery) -> Result<RunList, AppError> {
    ask(|backend| async move {
        match backend.runs.list_runs(&workspace, range, query.clone()).await {
            Err(problem) if problem.code == Code::InvalidCursor => {
                let first = RunQuery { cursor: None, ..query };
                let list = backend.runs.list_runs(&workspace, range, first).await?;
                Ok(RunList { cursor_refused: true, ..list })
            }
            answer => answer,
        }
    })
    .await
}

/// One run.
#[server(prefix = "/ui/fn", endpoint = "find_run")]
pub(crate) async fn find_run(workspace: Slug, id: RunId) -> Result<RunDetail, AppError> {
    ask(|backend| async move { backend.runs.find_run(&workspace, id).await }).await
}

/// Asks it to end.
#[server(prefix = "/ui/fn", endpoint = "cancel_run")]
pub(crate) async fn cancel_run(workspace: Slug, id: RunId) -> Result<Run, AppError> {
    ask(|backend| async move { backend.runs.cancel_run(&workspace, id).await }).await
}

/// Its events after an offset.
#[server(prefix = "/ui/fn", endpoint = "list_run_events")]
pub(crate) async fn list_run_events(workspace: Slug, id: RunId, after: u64) -> Result<Page<RunEvent>, AppError> {
    ask(|backend| async move { backend.runs.list_run_events(&workspace, id, after).await }).await
}
