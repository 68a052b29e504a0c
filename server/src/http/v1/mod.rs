//! The OpenAI-compatible door.
//!
//! Handlers hand the body to `kernel::gateway` as it came and shape what comes back: a whole answer, a stream, or OpenAI's
//! error envelope, which every refusal below `/v1` gets, whoever refused. Invariant: nothing of a body is judged here.

mod body;
mod caller;
mod chat;
mod completion;
mod embeddings;
mod envelope;
mod headers;
mod models;
mod stream;

use axum::Router;
use axum::extract::{DefaultBodyLimit, State};
use axum::middleware::from_fn_with_state;
use axum::routing::{any, get, post};
use types::problem::Code;

use self::caller::Caller;
pub(super) use self::envelope::write as in_envelope;
use super::denial;
use super::problem::Error;
use crate::compose::App;

/// Everything below `/v1`.
pub(super) fn router(app: &App) -> Router<App> {
    let paths = Router::new()
        .route("/chat/completions", post(chat::create_chat_completion))
        .route("/embeddings", post(embeddings::create_embeddings))
        .route("/models", get(models::list_models))
        .route("/models/{*id}", get(models::find_model))
        .fallback(not_found)
        .method_not_allowed_fallback(method_not_allowed);
    Router::new()
        .nest("/v1", paths)
        .route("/v1/", any(not_found))
        .layer(DefaultBodyLimit::max(body::MAX_BODY))
        .layer(from_fn_with_state(app.clone(), denial::note))
        .layer(from_fn_with_state(app.clone(), envelope::wrap))
}

/// Whether a path lies behind this door.
pub(super) fn serves(path: &str) -> bool {
    path.strip_prefix("/v1").is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

async fn not_found(State(app): State<App>, caller: Result<Caller, Error>) -> Error {
    let detail = "there is no such path here; soit serves chat/completions, embeddings and models";
    refuse(&app, caller, kernel::Error::new(Code::NotFound, detail)).await
}

async fn method_not_allowed(State(app): State<App>, caller: Result<Caller, Error>) -> Error {
    let detail = "the path exists, but not with this method";
    refuse(&app, caller, kernel::Error::new(Code::MethodNotAllowed, detail)).await
}

/// What is not there is not there for anybody; who is known gets a run for asking.
async fn refuse(app: &App, caller: Result<Caller, Error>, error: kernel::Error) -> Error {
    match caller {
        Ok(caller) => caller.refuse(app, error).await,
        Err(turned_away) if turned_away.0.run_id.is_some() => turned_away,
        Err(_) => error.into(),
    }
}
