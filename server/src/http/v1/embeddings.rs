//! Embeddings.

use axum::extract::{Request, State};
use axum::response::Response;
use kernel::gateway::Operation;

use super::completion::answer;
use crate::compose::App;
use crate::http::context::Authenticated;

/// `POST /v1/embeddings`.
pub(super) async fn create_embeddings(
    State(app): State<App>,
    Authenticated(ctx): Authenticated,
    request: Request,
) -> Response {
    answer(&app, ctx, Operation::Embeddings, request).await
}
