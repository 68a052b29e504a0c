//! Runs that come out of others: `/runs/{id}/rerun`, `/reexecute`, `/fork`, and `/observe/runs/{id}/replay`.

use axum::extract::State;
use axum::http::StatusCode;
use kernel::port::EventRange;
use serde::Deserialize;
use types::id::RunId;
use types::replay::{ForkRun, Replayed, RerunRun, Timeline};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::compose::App;
use crate::http::{Authenticated, Json, Path, Query, Result};

pub(super) fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(rerun_run))
        .routes(routes!(reexecute_run))
        .routes(routes!(fork_run))
        .routes(routes!(inspect_run))
}

/// Does a run again: a new run with all its effects, through every gate, at the expense of who asks. Answered once it has
/// begun.
#[utoipa::path(
    post, path = "/runs/{id}/rerun", tag = "observe", params(("id" = RunId, Path)), request_body = RerunRun,
    responses((status = 201, description = "The new run", body = Replayed)),
)]
async fn rerun_run(
    State(app): State<App>,
    Authenticated(ctx): Authenticated,
    Path(id): Path<RunId>,
    Json(command): Json<RerunRun>,
) -> Result<(StatusCode, Json<Replayed>)> {
    Ok((StatusCode::CREATED, Json(app.replays.rerun_run(&ctx, id, &command).await?)))
}

/// Repeats a run from its record, without any effect or cost, and says whether it came to the same. Answered once it is over.
#[utoipa::path(
    post, path = "/runs/{id}/reexecute", tag = "observe", params(("id" = RunId, Path)),
    responses((status = 201, description = "The new run, and what it came to", body = Replayed)),
)]
async fn reexecute_run(
    State(app): State<App>,
    Authenticated(ctx): Authenticated,
    Path(id): Path<RunId>,
) -> Result<(StatusCode, Json<Replayed>)> {
    Ok((StatusCode::CREATED, Json(app.replays.reexecute_run(&ctx, id).await?)))
}

/// Goes on from a step of a run: those before it are taken from the record, later model calls are made and charged, with what
/// is given anew. Answered once the new run has begun.
#[utoipa::path(
    post, path = "/runs/{id}/fork", tag = "observe", params(("id" = RunId, Path)), request_body = ForkRun,
    responses((status = 201, description = "The new run", body = Replayed)),
)]
async fn fork_run(
    State(app): State<App>,
    Authenticated(ctx): Authenticated,
    Path(id): Path<RunId>,
    Json(command): Json<ForkRun>,
) -> Result<(StatusCode, Json<Replayed>)> {
    Ok((StatusCode::CREATED, Json(app.replays.fork_run(&ctx, id, &command).await?)))
}

/// Which part of the timeline.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
struct Part {
    /// Offsets above this, default 0.
    #[serde(default)]
    after: u64,
    /// 1–1000, default 100.
    #[serde(default = "hundred")]
    limit: u32,
}

fn hundred() -> u32 {
    100
}

/// How a run went: its events, and how it stood after each of them. Nothing is executed.
#[utoipa::path(
    get, path = "/observe/runs/{id}/replay", tag = "observe", params(("id" = RunId, Path), Part),
    responses((status = 200, description = "One page of the timeline", body = Timeline)),
)]
async fn inspect_run(
    State(app): State<App>,
    Authenticated(ctx): Authenticated,
    Path(id): Path<RunId>,
    Query(Part { after, limit }): Query<Part>,
) -> Result<Json<Timeline>> {
    Ok(Json(app.replays.inspect_run(&ctx, id, EventRange { after, limit }).await?))
}
