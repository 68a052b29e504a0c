//! Server functions of the home page.

use leptos::prelude::*;
use types::name::Slug;
use types::observe::Overview;
use types::run::Run;

use super::ask;
use crate::error::AppError;
use crate::query::Range;

/// The home page's figures.
#[server(prefix = "/ui/fn", endpoint = "find_overview")]
pub(crate) async fn find_overview(workspace: Slug, range: Range) -> Result<Overview, AppError> {
    ask(|backend| async move { backend.overview.find_overview(&workspace, range).await }).await
}

/// The newest runs going on now.
#[server(prefix = "/ui/fn", endpoint = "list_running")]
pub(crate) async fn list_running(workspace: Slug) -> Result<Vec<Run>, AppError> {
    ask(|backend| async move { backend.overview.list_running(&workspace).await }).await
}
