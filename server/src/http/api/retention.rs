//! `/retention`: how long the workspace keeps what, and what purges did.

use axum::extract::State;
use types::page::{Page, PageQuery};
use types::retention::{KeptFor, Retention, RetentionReport};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::compose::App;
use crate::http::{Authenticated, IfMatch, Json, Query, Result, Tagged};

pub(super) fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new().routes(routes!(find_retention, update_retention)).routes(routes!(list_retention_reports))
}

/// How long the workspace keeps what: as it was set, as it counts, and what the tenant demands.
#[utoipa::path(
    get, path = "/retention", tag = "security",
    responses((status = 200, description = "The times", body = Retention)),
)]
async fn find_retention(State(app): State<App>, Authenticated(ctx): Authenticated) -> Result<Tagged<Retention>> {
    let retention = app.retention.find_retention(&ctx).await?;
    let version = retention.version;
    Ok(Tagged::new(retention, version))
}

/// Says how long the workspace keeps what, in days or `keep`. What is over by that goes with the next purge, which comes every
/// hour. Needs `If-Match`, and in a session a fresh proof of identity.
#[utoipa::path(
    put, path = "/retention", tag = "security", request_body = KeptFor,
    params(("If-Match" = String, Header, description = "The `ETag` that was read")),
    responses((status = 200, description = "The times as they are now", body = Retention)),
)]
async fn update_retention(
    State(app): State<App>,
    Authenticated(ctx): Authenticated,
    if_match: IfMatch,
    Json(command): Json<KeptFor>,
) -> Result<Tagged<Retention>> {
    let retention = app.retention.update_retention(&ctx, if_match.version(), &command).await?;
    let version = retention.version;
    Ok(Tagged::new(retention, version))
}

/// What purges of the workspace did, the newest first. One without `finished_at` goes on, or is gone on with after a crash.
#[utoipa::path(
    get, path = "/retention/reports", tag = "security", params(PageQuery),
    responses((status = 200, description = "The reports", body = Page<RetentionReport>)),
)]
async fn list_retention_reports(
    State(app): State<App>,
    Authenticated(ctx): Authenticated,
    Query(query): Query<PageQuery>,
) -> Result<Json<Page<RetentionReport>>> {
    Ok(Json(app.retention.list_retention_reports(&ctx, &query).await?))
}
