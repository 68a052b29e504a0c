//! Server functions of settings.

use leptos::prelude::*;
use types::identity::Workspace;
use types::name::Slug;

use super::{Seen, ask, change};
use crate::backend::settings::About;
use crate::error::{AppError, Typed};
use crate::form::WorkspaceForm;

/// The workspace.
#[server(prefix = "/ui/fn", endpoint = "find_workspace")]
pub(crate) async fn find_workspace(workspace: Slug) -> Result<Workspace, AppError> {
    ask(|backend| async move { backend.settings.find_workspace(&workspace).await }).await
}

/// Changes the workspace.
#[server(prefix = "/ui/fn", endpoint = "update_workspace")]
pub(crate) async fn update_workspace(
    workspace: Slug,
    version: u64,
    form: WorkspaceForm,
    seen: Option<Typed>,
) -> Result<Workspace, AppError> {
    let seen = Seen { id: None, version, fields: seen };
    change(&form, seen, form.read(), |backend, command| async move {
        backend.settings.update_workspace(&workspace, version, command).await
    })
    .await
}

/// What this installation is.
#[server(prefix = "/ui/fn", endpoint = "find_about")]
pub(crate) async fn find_about() -> Result<About, AppError> {
    ask(|backend| async move { backend.settings.find_about().await }).await
}
