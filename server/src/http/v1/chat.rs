//! Chat completions.

use axum::extract::{Request, State};
use axum::response::Response;
use kernel::gateway::Operation;

use super::completion::answer;
use crate::compose::App;
use crate::http::context::Authenticated;

/// `POST /v1/chat/completions`: whole or streamed.
pub(super) async fn create_chat_completion(
    State(app): State<App>,
    Authenticated(ctx): Authenticated,
    request: Request,
) -> Response {
    answer(&app, ctx, Operation::Chat, request).await
}
