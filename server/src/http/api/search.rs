//! `/search`: what a workspace holds, by name or id.

use axum::extract::State;
use serde::Deserialize;
use types::page::Page;
use types::search::{Hit, HitKind, Search};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::compose::App;
use crate::http::{Authenticated, Error, Json, Query, Result};

pub(super) fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new().routes(routes!(search))
}

/// What is looked for.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
struct Parameters {
    /// 2–200 characters of a name, or an id.
    q: String,
    /// `run`, `api_key`, `budget`, `provider`, `model`, joined by commas; absent means all.
    kinds: Option<String>,
    /// 1–20, default 10.
    limit: Option<u32>,
}

/// Things whose name holds the letters, or that have the id; only those the caller may read.
#[utoipa::path(
    get, path = "/search", tag = "observe", params(Parameters),
    responses((status = 200, description = "What was found, the best first", body = Page<Hit>)),
)]
async fn search(
    State(app): State<App>,
    Authenticated(ctx): Authenticated,
    Query(Parameters { q, kinds, limit }): Query<Parameters>,
) -> Result<Json<Page<Hit>>> {
    let any = Search::of(q);
    let kinds = kinds.iter().flat_map(|kinds| kinds.split(',')).map(read_kind).collect::<Result<_>>()?;
    let search = Search { kinds, limit: limit.unwrap_or(any.limit), ..any };
    Ok(Json(app.finder.search(&ctx, &search).await?.into()))
}

fn read_kind(word: &str) -> Result<HitKind> {
    word.parse().map_err(|error| Error::invalid("kinds", format!("{error}")))
}
