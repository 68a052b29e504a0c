//! Figures from counters: how runs went and what was used.

use axum::extract::State;
use types::usage::{DailyUsage, Dashboard, DayQuery, RunSummary, StepMetrics, SummaryQuery, UsageQuery};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::compose::App;
use crate::http::{Authenticated, Json, Query, Result};

pub(super) fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(find_run_summary))
        .routes(routes!(find_step_metrics))
        .routes(routes!(find_dashboard))
        .routes(routes!(list_daily_usage))
}

/// How the runs of a window went, in buckets, in groups, and against the window before; rehearsals are left out.
#[utoipa::path(
    get, path = "/runs/summary/window", tag = "observe", params(SummaryQuery),
    responses((status = 200, description = "The figures", body = RunSummary)),
)]
async fn find_run_summary(
    State(app): State<App>,
    Authenticated(ctx): Authenticated,
    Query(query): Query<SummaryQuery>,
) -> Result<Json<RunSummary>> {
    Ok(Json(app.usage.find_run_summary(&ctx, &query).await?))
}

/// How the attempts of some days went, by what was called for; rehearsals are left out.
#[utoipa::path(
    get, path = "/runs/steps/metrics", tag = "observe", params(DayQuery),
    responses((status = 200, description = "The figures", body = StepMetrics)),
)]
async fn find_step_metrics(
    State(app): State<App>,
    Authenticated(ctx): Authenticated,
    Query(query): Query<DayQuery>,
) -> Result<Json<StepMetrics>> {
    Ok(Json(app.usage.find_step_metrics(&ctx, &query).await?))
}

/// How it stands: the last 24 hours against the 24 before.
#[utoipa::path(
    get, path = "/observe/dashboard", tag = "observe",
    responses((status = 200, description = "The figures", body = Dashboard)),
)]
async fn find_dashboard(State(app): State<App>, Authenticated(ctx): Authenticated) -> Result<Json<Dashboard>> {
    Ok(Json(app.usage.find_dashboard(&ctx).await?))
}

/// What was used by day, by calls that have something in common; rehearsals are left out.
#[utoipa::path(
    get, path = "/usage/daily", tag = "observe", params(UsageQuery),
    responses((status = 200, description = "The figures", body = DailyUsage)),
)]
async fn list_daily_usage(
    State(app): State<App>,
    Authenticated(ctx): Authenticated,
    Query(query): Query<UsageQuery>,
) -> Result<Json<DailyUsage>> {
    Ok(Json(app.usage.list_daily_usage(&ctx, &query).await?))
}
