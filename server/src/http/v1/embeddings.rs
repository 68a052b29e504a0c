//! Embeddings.

use axum::extract::{Request, State};
use axum::response::Response;
use kernel::gateway::Operation;

use super::caller::Caller;
use super::completion::answer;
use crate::compose::App;

/// `POST /v1/embeddings`.
pub(super) async fn create_embeddings(State(app): State<App>, caller: Caller, request: Request) -> Response {
    answer(&app, caller, Operation::Embeddings, request).await
}
