//! `/runs`: what happened.

use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use kernel::port::EventRange;
use serde::Deserialize;
use types::artifact::Artifact;
use types::cost::Cost;
use types::id::{ArtifactId, RunId};
use types::page::Page;
use types::run::{CanceledRuns, Run, RunEvent, RunPage, Step};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::run_filter::{RunFilters, RunParameters, RunSearch, RunSelection, RunTime};
use crate::compose::App;
use crate::http::{Authenticated, Json, Path, Query, Result, download};

pub(super) fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(list_runs))
        .routes(routes!(find_run))
        .routes(routes!(cancel_run))
        .routes(routes!(cancel_runs))
        .routes(routes!(pause_run))
        .routes(routes!(resume_run))
        .routes(routes!(list_steps))
        .routes(routes!(list_costs))
        .routes(routes!(list_run_events))
        .routes(routes!(list_artifacts))
        .routes(routes!(read_artifact))
}

/// The workspace's runs. A filter given several times means any of its values, different filters mean all of them; `!`
/// before a value of a filter that takes it means all but that value.
#[utoipa::path(
    get, path = "/runs", tag = "observe", params(RunParameters, RunTime, RunFilters),
    responses((status = 200, description = "One page of runs", body = RunPage)),
)]
async fn list_runs(
    State(app): State<App>,
    Authenticated(ctx): Authenticated,
    RunSearch { query, with_total }: RunSearch,
) -> Result<Json<RunPage>> {
    let Page { items, next_cursor } = app.observe.list_runs(&ctx, &query).await?;
    let total = if with_total { Some(app.observe.count_runs(&ctx, &query.filter).await?) } else { None };
    let total_is_lower_bound = total.map(|total| total.is_lower_bound);
    Ok(Json(RunPage { items, next_cursor, total: total.map(|total| total.count), total_is_lower_bound }))
}

/// One run.
#[utoipa::path(
    get, path = "/runs/{id}", tag = "observe", params(("id" = RunId, Path)),
    responses((status = 200, description = "The run", body = Run)),
)]
async fn find_run(
    State(app): State<App>,
    Authenticated(ctx): Authenticated,
    Path(id): Path<RunId>,
) -> Result<Json<Run>> {
    Ok(Json(app.observe.find_run(&ctx, id).await?))
}

/// Asks a run to end. May be asked again; a run that is over refuses.
#[utoipa::path(
    post, path = "/runs/{id}/cancel", tag = "observe", params(("id" = RunId, Path)),
    responses((status = 202, description = "The run, about to end or ended", body = Run)),
)]
async fn cancel_run(
    State(app): State<App>,
    Authenticated(ctx): Authenticated,
    Path(id): Path<RunId>,
) -> Result<(StatusCode, Json<Run>)> {
    Ok((StatusCode::ACCEPTED, Json(app.control.cancel_run(&ctx, id).await?)))
}

/// Asks every run that matches and is not over to end. Filters mean what they mean in the list; at least one is required.
/// May be asked again.
#[utoipa::path(
    post, path = "/runs/cancel", tag = "observe", params(RunTime, RunFilters),
    responses((status = 202, description = "What became of it", body = CanceledRuns)),
)]
async fn cancel_runs(
    State(app): State<App>,
    Authenticated(ctx): Authenticated,
    RunSelection(filter): RunSelection,
) -> Result<(StatusCode, Json<CanceledRuns>)> {
    Ok((StatusCode::ACCEPTED, Json(app.control.cancel_runs(&ctx, &filter).await?)))
}

/// Pauses a run, where its kind can be paused.
#[utoipa::path(
    post, path = "/runs/{id}/pause", tag = "observe", params(("id" = RunId, Path)),
    responses((status = 202, description = "The run", body = Run)),
)]
async fn pause_run(
    State(app): State<App>,
    Authenticated(ctx): Authenticated,
    Path(id): Path<RunId>,
) -> Result<(StatusCode, Json<Run>)> {
    Ok((StatusCode::ACCEPTED, Json(app.control.pause_run(&ctx, id).await?)))
}

/// Resumes a run that was paused.
#[utoipa::path(
    post, path = "/runs/{id}/resume", tag = "observe", params(("id" = RunId, Path)),
    responses((status = 202, description = "The run", body = Run)),
)]
async fn resume_run(
    State(app): State<App>,
    Authenticated(ctx): Authenticated,
    Path(id): Path<RunId>,
) -> Result<(StatusCode, Json<Run>)> {
    Ok((StatusCode::ACCEPTED, Json(app.control.resume_run(&ctx, id).await?)))
}

/// A run's steps, by `seq`.
#[utoipa::path(
    get, path = "/runs/{id}/steps", tag = "observe", params(("id" = RunId, Path)),
    responses((status = 200, description = "The steps", body = Page<Step>)),
)]
async fn list_steps(
    State(app): State<App>,
    Authenticated(ctx): Authenticated,
    Path(id): Path<RunId>,
) -> Result<Json<Page<Step>>> {
    Ok(Json(app.observe.list_steps(&ctx, id).await?.into()))
}

/// A run's cost rows, oldest first.
#[utoipa::path(
    get, path = "/runs/{id}/costs", tag = "observe", params(("id" = RunId, Path)),
    responses((status = 200, description = "The cost rows", body = Page<Cost>)),
)]
async fn list_costs(
    State(app): State<App>,
    Authenticated(ctx): Authenticated,
    Path(id): Path<RunId>,
) -> Result<Json<Page<Cost>>> {
    Ok(Json(app.observe.list_costs(&ctx, id).await?.into()))
}

/// What of a run is kept whole: texts of which steps and run show only the beginning.
#[utoipa::path(
    get, path = "/runs/{id}/artifacts", tag = "observe", params(("id" = RunId, Path)),
    responses((status = 200, description = "The artifacts, oldest first", body = Page<Artifact>)),
)]
async fn list_artifacts(
    State(app): State<App>,
    Authenticated(ctx): Authenticated,
    Path(id): Path<RunId>,
) -> Result<Json<Page<Artifact>>> {
    Ok(Json(app.observe.list_artifacts(&ctx, id).await?.into()))
}

/// The bytes of an artifact, as a file. They are checked against their SHA-256, which is the `ETag`, before the first is sent.
#[utoipa::path(
    get, path = "/runs/{id}/artifacts/{artifact}/content", tag = "observe",
    params(("id" = RunId, Path), ("artifact" = ArtifactId, Path)),
    responses(
        (status = 200, content_type = "application/octet-stream", description = "The bytes", body = String),
        (status = 304, description = "They are those of `If-None-Match`"),
    ),
)]
async fn read_artifact(
    State(app): State<App>,
    Authenticated(ctx): Authenticated,
    Path((id, artifact)): Path<(RunId, ArtifactId)>,
    headers: HeaderMap,
) -> Result<Response> {
    Ok(download::answer(app.observe.open_artifact(&ctx, id, artifact).await?, &headers))
}

/// Which events.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
struct Events {
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

/// A run's stored events, by offset.
#[utoipa::path(
    get, path = "/runs/{id}/events", tag = "observe", params(("id" = RunId, Path), Events),
    responses((status = 200, description = "The events", body = Page<RunEvent>)),
)]
async fn list_run_events(
    State(app): State<App>,
    Authenticated(ctx): Authenticated,
    Path(id): Path<RunId>,
    Query(Events { after, limit }): Query<Events>,
) -> Result<Json<Page<RunEvent>>> {
    Ok(Json(app.observe.list_run_events(&ctx, id, EventRange { after, limit }).await?.into()))
}
