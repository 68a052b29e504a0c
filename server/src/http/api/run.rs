//! `/runs`: what happened.

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use kernel::port::EventRange;
use serde::Deserialize;
use types::cost::Cost;
use types::id::RunId;
use types::page::Page;
use types::run::{CanceledRuns, Run, RunEvent, RunPage, Step};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::run_filter::{ExportParameters, RunExport, RunFilters, RunParameters, RunSearch, RunSelection, RunTime};
use crate::compose::App;
use crate::http::{Authenticated, Json, Path, Query, Result, export};

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
        .routes(routes!(export_runs))
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

/// Every run that matches, oldest first, as a file that is streamed. Each export is recorded in the audit, whole or cut.
#[utoipa::path(
    get, path = "/exports/runs", tag = "observe", params(ExportParameters, RunFilters),
    responses((
        status = 200, content_type = "application/jsonl", body = String,
        description = "`{schema_version, record_type, record}` a line; the last, a `trailer`, counts the runs and holds the SHA-256 of all lines before",
    )),
)]
async fn export_runs(
    State(app): State<App>,
    Authenticated(ctx): Authenticated,
    RunExport { filter, after, format }: RunExport,
) -> Result<Response> {
    Ok(export::answer(app.observe.export_runs_on(&ctx, filter, after).await?, format, "runs"))
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
