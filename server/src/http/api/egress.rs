//! `/security/egress/workspace`: what may leave the workspace.

use axum::extract::State;
use types::egress::{EgressPolicy, PutEgressPolicy};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::compose::App;
use crate::http::{Authenticated, IfMatch, Json, Result, Tagged};

pub(super) fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new().routes(routes!(find_egress_policy, put_egress_policy))
}

/// The workspace's egress layer. Empty means nothing leaves.
#[utoipa::path(
    get, path = "/security/egress/workspace", tag = "security",
    responses((status = 200, description = "The layer", body = EgressPolicy)),
)]
async fn find_egress_policy(State(app): State<App>, Authenticated(ctx): Authenticated) -> Result<Tagged<EgressPolicy>> {
    let policy = app.egress_policies.find_policy(&ctx).await?;
    let bundle_id = policy.bundle_id.clone();
    Ok(Tagged::new(policy, bundle_id))
}

/// Replaces the workspace's egress layer. Needs `If-Match`, and in a session a fresh proof of identity.
#[utoipa::path(
    put, path = "/security/egress/workspace", tag = "security", request_body = PutEgressPolicy,
    params(("If-Match" = String, Header, description = "The `ETag` that was read")),
    responses((status = 200, description = "The layer as it is now", body = EgressPolicy)),
)]
async fn put_egress_policy(
    State(app): State<App>,
    Authenticated(ctx): Authenticated,
    if_match: IfMatch,
    Json(command): Json<PutEgressPolicy>,
) -> Result<Tagged<EgressPolicy>> {
    let policy = app.egress_policies.put_policy(&ctx, if_match.name(), command).await?;
    let bundle_id = policy.bundle_id.clone();
    Ok(Tagged::new(policy, bundle_id))
}
