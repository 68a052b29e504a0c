//! `/test-provider`: what the built-in provider received.

use adapter_outbound::ReceivedCall;
use axum::extract::State;
use kernel::policy::guard;
use serde::{Deserialize, Serialize};
use types::id::RunId;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::compose::App;
use crate::http::{Authenticated, Json, Query, Result};

pub(super) fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new().routes(routes!(list_received_calls))
}

/// Which calls.
#[derive(Clone, Copy, Debug, Default, Deserialize, utoipa::IntoParams)]
#[serde(deny_unknown_fields, default)]
#[into_params(parameter_in = Query)]
struct Wanted {
    /// Of this run only.
    run_id: Option<RunId>,
}

/// The latest calls.
#[derive(Serialize)]
struct Received {
    items: Vec<ReceivedCall>,
}

/// What the built-in provider received from the workspace, oldest first. Not there in production.
#[utoipa::path(
    get, path = "/test-provider/calls", tag = "observe", params(Wanted),
    responses((status = 200, description = "The calls it remembers, with the time each connection closed", body = Object)),
)]
async fn list_received_calls(
    State(app): State<App>,
    Authenticated(ctx): Authenticated,
    Query(wanted): Query<Wanted>,
) -> Result<Json<Received>> {
    guard::authorize(&ctx, "run.read")?;
    let provider = app.test_provider.as_ref().ok_or_else(kernel::Error::not_found)?;
    Ok(Json(Received { items: provider.calls(ctx.scope, wanted.run_id) }))
}
