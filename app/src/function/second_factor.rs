//! The server function of the second factor. Its forms are posted to its page.

use leptos::prelude::*;

use super::ask;
use crate::backend::second_factor::Shown;
use crate::error::AppError;

/// Where one's second factor stands.
#[server(prefix = "/ui/fn", endpoint = "find_second_factor")]
pub(crate) async fn find_second_factor() -> Result<Shown, AppError> {
    ask(|backend| async move { backend.second_factor.find_second_factor().await }).await
}
