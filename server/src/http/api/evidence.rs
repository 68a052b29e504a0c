//! `/runs/{id}/evidence`: a run with everything that proves it.

use axum::extract::State;
use axum::response::Response;
use types::id::RunId;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::compose::App;
use crate::http::{Authenticated, Path, Result, evidence};

pub(super) fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new().routes(routes!(find_evidence))
}

/// The evidence of a run that is over: a zip that `soit verify` checks without a database. The same bytes each time.
#[utoipa::path(
    get, path = "/runs/{id}/evidence", tag = "observe", params(("id" = RunId, Path)),
    responses((
        status = 200, content_type = "application/zip", body = Vec<u8>,
        description = "The zip; its SHA-256 stands in `X-SOIT-Evidence-SHA256`",
    )),
)]
async fn find_evidence(
    State(app): State<App>,
    Authenticated(ctx): Authenticated,
    Path(id): Path<RunId>,
) -> Result<Response> {
    Ok(evidence::answer(app.evidence.collect(&ctx, id).await?, id))
}
