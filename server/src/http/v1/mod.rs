//! The OpenAI-compatible door.
//!
//! Handlers hand the body to `kernel::gateway` as it came and shape what comes back: a whole answer, a stream, or OpenAI's
//! error envelope, which every refusal below `/v1` gets, whoever refused. Invariant: nothing of a body is judged here.

mod body;
mod chat;
mod completion;
mod embeddings;
mod envelope;
mod headers;
mod models;
mod stream;

use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::middleware::from_fn_with_state;
use axum::routing::{get, post};
use types::problem::Code;

use super::denial;
use super::problem::Error;
use crate::compose::App;

/// Everything below `/v1`.
pub(super) fn router(app: &App) -> Router<App> {
    Router::new()
        .route("/chat/completions", post(chat::create_chat_completion))
        .route("/embeddings", post(embeddings::create_embeddings))
        .route("/models", get(models::list_models))
        .route("/models/{*id}", get(models::find_model))
        .fallback(not_found)
        .method_not_allowed_fallback(method_not_allowed)
        .layer(DefaultBodyLimit::max(body::MAX_BODY))
        .layer(from_fn_with_state(app.clone(), denial::note))
        .layer(from_fn_with_state(app.clone(), envelope::wrap))
}

async fn not_found() -> Error {
    Error::new(Code::NotFound, "there is no such path here; soit serves chat/completions, embeddings and models")
}

async fn method_not_allowed() -> Error {
    Error::new(Code::MethodNotAllowed, "the path exists, but not with this method")
}
