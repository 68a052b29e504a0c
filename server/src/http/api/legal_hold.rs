//! `/legal-holds`: what is kept whatever its age.

use axum::extract::State;
use axum::http::StatusCode;
use kernel::page::{Order, page};
use types::id::LegalHoldId;
use types::page::{Page, PageQuery};
use types::retention::{CreateLegalHold, LegalHold, ReleaseLegalHold};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::compose::App;
use crate::http::{Authenticated, Json, Path, Query, Result};

pub(super) fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new().routes(routes!(list_legal_holds, create_legal_hold)).routes(routes!(release_legal_hold))
}

/// The legal holds of the workspace, released ones too, the newest first.
#[utoipa::path(
    get, path = "/legal-holds", tag = "security", params(PageQuery),
    responses((status = 200, description = "The holds", body = Page<LegalHold>)),
)]
async fn list_legal_holds(
    State(app): State<App>,
    Authenticated(ctx): Authenticated,
    Query(query): Query<PageQuery>,
) -> Result<Json<Page<LegalHold>>> {
    let holds = app.retention.list_legal_holds(&ctx).await?;
    Ok(Json(page(holds, Order::NewestFirst, &query)?))
}

/// Keeps what the filter says whatever its age, also what will match it later: against retention, erasure and the closing of an
/// account. At least one member of the filter is needed; all that are given must be true of a run. In a session it needs a
/// fresh proof of identity.
#[utoipa::path(
    post, path = "/legal-holds", tag = "security", request_body = CreateLegalHold,
    responses((status = 201, description = "The hold", body = LegalHold)),
)]
async fn create_legal_hold(
    State(app): State<App>,
    Authenticated(ctx): Authenticated,
    Json(command): Json<CreateLegalHold>,
) -> Result<(StatusCode, Json<LegalHold>)> {
    Ok((StatusCode::CREATED, Json(app.retention.create_legal_hold(&ctx, &command).await?)))
}

/// Releases a hold: what it kept goes when its time is over, which may be with the next purge. In a session it needs a fresh
/// proof of identity.
#[utoipa::path(
    post, path = "/legal-holds/{id}/release", tag = "security", request_body = ReleaseLegalHold,
    params(("id" = LegalHoldId, Path, description = "The hold")),
    responses((status = 200, description = "The hold as it is now", body = LegalHold)),
)]
async fn release_legal_hold(
    State(app): State<App>,
    Authenticated(ctx): Authenticated,
    Path(id): Path<LegalHoldId>,
    Json(command): Json<ReleaseLegalHold>,
) -> Result<Json<LegalHold>> {
    Ok(Json(app.retention.release_legal_hold(&ctx, id, &command).await?))
}
