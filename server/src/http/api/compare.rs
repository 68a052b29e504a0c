//! `/runs/compare`: two runs side by side.

use axum::extract::State;
use serde::Deserialize;
use types::compare::Comparison;
use types::id::RunId;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::compose::App;
use crate::http::{Authenticated, Json, Query, Result};

pub(super) fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new().routes(routes!(compare_runs))
}

/// Which two.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
struct Pair {
    /// The first run.
    a: RunId,
    /// The second run; it may be the same.
    b: RunId,
}

/// Two runs, step by step: what differs, texts word by word, and how much longer, larger and dearer the second was.
#[utoipa::path(
    get, path = "/runs/compare", tag = "observe", params(Pair),
    responses((status = 200, description = "The comparison", body = Comparison)),
)]
async fn compare_runs(
    State(app): State<App>,
    Authenticated(ctx): Authenticated,
    Query(Pair { a, b }): Query<Pair>,
) -> Result<Json<Comparison>> {
    Ok(Json(app.observe.compare_runs(&ctx, a, b).await?))
}
