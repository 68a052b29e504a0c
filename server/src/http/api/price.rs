//! `/modelhub/prices`: what calls cost.

use axum::extract::State;
use axum::http::StatusCode;
use chrono::{DateTime, Utc};
use kernel::page::{Order, page};
use serde::Deserialize;
use types::modelhub::{CreatePrice, Price, PriceResolution};
use types::page::{Page, PageQuery};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::compose::App;
use crate::http::{Authenticated, Json, Query, Result};

pub(super) fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new().routes(routes!(list_prices, create_price)).routes(routes!(resolve_price))
}

/// The workspace's prices, newest `valid_from` first.
#[utoipa::path(
    get, path = "/modelhub/prices", tag = "modelhub",
    params(PageQuery), responses((status = 200, description = "The prices", body = Page<Price>)),
)]
async fn list_prices(
    State(app): State<App>,
    Authenticated(ctx): Authenticated,
    Query(query): Query<PageQuery>,
) -> Result<Json<Page<Price>>> {
    Ok(Json(page(app.modelhub.list_prices(&ctx).await?, Order::NewestFirst, &query)?))
}

/// Makes a price, from now or later.
#[utoipa::path(
    post, path = "/modelhub/prices", tag = "modelhub", request_body = CreatePrice,
    responses((status = 201, description = "The price", body = Price)),
)]
async fn create_price(
    State(app): State<App>,
    Authenticated(ctx): Authenticated,
    Json(command): Json<CreatePrice>,
) -> Result<(StatusCode, Json<Price>)> {
    Ok((StatusCode::CREATED, Json(app.modelhub.create_price(&ctx, command).await?)))
}

/// Which call is asked about.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
struct Call {
    /// `model:{account slug}:{model id}`.
    model_ref: String,
    /// The moment of admission, default now.
    at: Option<DateTime<Utc>>,
}

/// Which price a call of a model at a moment would have, and why.
#[utoipa::path(
    get, path = "/modelhub/prices/resolve", tag = "modelhub", params(Call),
    responses((status = 200, description = "The price and why", body = PriceResolution)),
)]
async fn resolve_price(
    State(app): State<App>,
    Authenticated(ctx): Authenticated,
    Query(call): Query<Call>,
) -> Result<Json<PriceResolution>> {
    Ok(Json(app.modelhub.resolve_price(&ctx, &call.model_ref, call.at).await?))
}
