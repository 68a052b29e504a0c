//! `/runs/{id}/feedback`: what people say of a run.

use axum::extract::State;
use axum::http::StatusCode;
use types::feedback::{Feedback, GiveFeedback};
use types::id::RunId;
use types::page::Page;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::compose::App;
use crate::http::{Authenticated, Json, Path, Result};

pub(super) fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new().routes(routes!(list_feedback, give_feedback))
}

/// What people say of a run, newest first: one word of each person, the last one.
#[utoipa::path(
    get, path = "/runs/{id}/feedback", tag = "observe", params(("id" = RunId, Path)),
    responses((status = 200, description = "What they say", body = Page<Feedback>)),
)]
async fn list_feedback(
    State(app): State<App>,
    Authenticated(ctx): Authenticated,
    Path(id): Path<RunId>,
) -> Result<Json<Page<Feedback>>> {
    Ok(Json(app.feedback.list_feedback(&ctx, id).await?.into()))
}

/// Says something of a run, in place of what one said of it before. A comment is content: where the run or its workspace
/// keeps none, it is refused.
#[utoipa::path(
    post, path = "/runs/{id}/feedback", tag = "observe", params(("id" = RunId, Path)), request_body = GiveFeedback,
    responses((status = 201, description = "What one says now", body = Feedback)),
)]
async fn give_feedback(
    State(app): State<App>,
    Authenticated(ctx): Authenticated,
    Path(id): Path<RunId>,
    Json(command): Json<GiveFeedback>,
) -> Result<(StatusCode, Json<Feedback>)> {
    Ok((StatusCode::CREATED, Json(app.feedback.give_feedback(&ctx, id, &command).await?)))
}
