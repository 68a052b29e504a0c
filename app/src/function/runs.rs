//! Server functions of runs.

use leptos::prelude::*;
use leptos::server_fn::codec::Json;
use types::compare::Comparison;
use types::feedback::Feedback;
use types::id::RunId;
use types::name::Slug;
use types::page::Page;
use types::problem::{Code, Problem};
use types::run::{CanceledRuns, Run, RunEvent, RunQuery};

use super::{ask, submit};
use crate::backend::redirect;
use crate::backend::runs::{RunDetail, RunList};
use crate::error::AppError;
use crate::form::FeedbackForm;
use crate::query::{Params, Range, misread, runs_of};
use crate::route::At;
use crate::visit::Zone;

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

/// Two runs, step by step.
#[server(prefix = "/ui/fn", endpoint = "compare_runs")]
pub(crate) async fn compare_runs(workspace: Slug, a: RunId, b: RunId) -> Result<Comparison, AppError> {
    ask(|backend| async move { backend.runs.compare_runs(&workspace, a, b).await }).await
}

/// Says something of one.
#[server(prefix = "/ui/fn", endpoint = "give_feedback")]
pub(crate) async fn give_feedback(workspace: Slug, id: RunId, form: FeedbackForm) -> Result<Feedback, AppError> {
    submit(
        &form,
        form.read(),
        |backend, command| async move { backend.runs.give_feedback(&workspace, id, command).await },
    )
    .await
}

/// Asks it to end.
#[server(prefix = "/ui/fn", endpoint = "cancel_run")]
pub(crate) async fn cancel_run(workspace: Slug, id: RunId) -> Result<Run, AppError> {
    ask(|backend| async move { backend.runs.cancel_run(&workspace, id).await }).await
}

/// Asks those an address of the list speaks of to end, and leads back to the list.
#[server(prefix = "/ui/fn", endpoint = "cancel_runs")]
pub(crate) async fn cancel_runs(workspace: Slug, runs: String, list: String) -> Result<CanceledRuns, AppError> {
    // Its moments are written with their offset.
    let (runs, zone) = (Params::parse(&runs), Zone::default());
    let (range, query) = runs_of(&runs, &zone);
    let wrong = misread(&runs, &zone);
    let back = Params::parse(&list).at(&At::workspace(&workspace).runs());
    let told = ask(|backend| async move {
        if let Some(name) = wrong.first() {
            let detail = format!("`{name}` cannot be read, or names too many: no run was asked to end");
            return Err(Problem::new(Code::Invalid, detail));
        }
        backend.runs.cancel_runs(&workspace, range, query.filter).await
    })
    .await?;
    redirect(&back);
    Ok(told)
}

/// Its events after an offset.
#[server(prefix = "/ui/fn", endpoint = "list_run_events")]
pub(crate) async fn list_run_events(workspace: Slug, id: RunId, after: u64) -> Result<Page<RunEvent>, AppError> {
    ask(|backend| async move { backend.runs.list_run_events(&workspace, id, after).await }).await
}
