//! `/runs/trace/{trace_id}/otlp`: the runs of a trace, for tools that show traces.

use axum::extract::State;
use serde_json::Value;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::compose::App;
use crate::http::otlp::request;
use crate::http::{Authenticated, Error, Json, Path, Result};

pub(super) fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new().routes(routes!(export_trace))
}

/// The runs of a trace and their steps as spans, in OTLP's JSON: ids, words and numbers, no content. Recorded in the audit.
#[utoipa::path(
    get, path = "/runs/trace/{trace_id}/otlp", tag = "observe",
    params(("trace_id" = String, Path, description = "W3C trace id, 32 hex digits")),
    responses((status = 200, description = "An `ExportTraceServiceRequest`", body = Object)),
)]
async fn export_trace(
    State(app): State<App>,
    Authenticated(ctx): Authenticated,
    Path(trace_id): Path<String>,
) -> Result<Json<Value>> {
    let runs = app.observe.export_trace(&ctx, &trace_id).await?;
    Ok(Json(serde_json::to_value(request(&runs)).map_err(|error| Error::from(kernel::Error::internal(error)))?))
}
