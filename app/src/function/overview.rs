//! Server functions of the home page.

use leptos::prelude::*;
use types::name::Slug;
use types::observe::Overview;

use super::ask;
use crate::error::AppError;
use crate::query::Range;

/// The home page's figures.
#[server(prefix = "/ui/fn", endpoint = "find_overview")]
pub(crate) async fn find_overview(workspace: Slug, range: Range) -> Result<Overview, AppError> {
    ask(|backend| async move { backend.overview.find_overview(&workspace, range).await }).await
}
