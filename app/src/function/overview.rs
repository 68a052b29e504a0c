//! Server functions of the home page.

use chrono::{DateTime, Utc};
use leptos::prelude::*;
use types::id::RunId;
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

/// The runs that changed, and budgets with them, since a page was read at that moment; none where they are too many.
#[server(prefix = "/ui/fn", endpoint = "list_changed")]
pub(crate) async fn list_changed(workspace: Slug, since: DateTime<Utc>) -> Result<Option<Vec<RunId>>, AppError> {
    ask(|backend| async move { backend.overview.list_changed(&workspace, since).await }).await
}

/// The newest runs going on now.
#[server(prefix = "/ui/fn", endpoint = "list_running")]
pub(crate) async fn list_running(workspace: Slug) -> Result<Vec<Run>, AppError> {
    ask(|backend| async move { backend.overview.list_running(&workspace).await }).await
}
