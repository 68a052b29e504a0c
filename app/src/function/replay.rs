//! Server functions of runs that come out of others.

use leptos::prelude::*;
use types::id::{FormKey, RunId};
use types::name::Slug;
use types::replay::{Replayed, Timeline};

use super::{ask, submit};
use crate::backend::redirect;
use crate::error::AppError;
use crate::form::{ForkForm, RerunForm};
use crate::route::At;

/// How a run went, event by event.
#[server(prefix = "/ui/fn", endpoint = "inspect_run")]
pub(crate) async fn inspect_run(workspace: Slug, id: RunId, after: u64) -> Result<Timeline, AppError> {
    ask(|backend| async move { backend.runs.inspect_run(&workspace, id, after).await }).await
}

/// Does a run again, and leads to the new one.
#[server(prefix = "/ui/fn", endpoint = "rerun_run")]
pub(crate) async fn rerun_run(
    workspace: Slug,
    id: RunId,
    form_key: Option<FormKey>,
    #[server(default)] form: RerunForm,
) -> Result<Replayed, AppError> {
    let at = At::workspace(&workspace);
    let made = submit(&form, Ok(form.read()), |backend, command| async move {
        backend.runs.rerun_run(&workspace, form_key, id, command).await
    })
    .await?;
    redirect(&at.run(made.run.id));
    Ok(made)
}

/// Repeats a run from its record, and leads to the new one.
#[server(prefix = "/ui/fn", endpoint = "reexecute_run")]
pub(crate) async fn reexecute_run(workspace: Slug, id: RunId, form_key: Option<FormKey>) -> Result<Replayed, AppError> {
    let at = At::workspace(&workspace);
    let made = ask(|backend| async move { backend.runs.reexecute_run(&workspace, form_key, id).await }).await?;
    redirect(&at.run(made.run.id));
    Ok(made)
}

/// Goes on from a step of a run, and leads to the new one.
#[server(prefix = "/ui/fn", endpoint = "fork_run")]
pub(crate) async fn fork_run(
    workspace: Slug,
    id: RunId,
    form_key: Option<FormKey>,
    form: ForkForm,
) -> Result<Replayed, AppError> {
    let at = At::workspace(&workspace);
    let made = submit(&form, form.read(), |backend, command| async move {
        backend.runs.fork_run(&workspace, form_key, id, command).await
    })
    .await?;
    redirect(&at.run(made.run.id));
    Ok(made)
}
