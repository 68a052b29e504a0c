//! `/audit/chain`: the hash chain over audit rows and runs that ended; `/tenants/{id}/audit/chain`: that of a tenant.

use axum::extract::State;
use serde::Deserialize;
use types::chain::{ChainState, ChainVerification};
use types::id::TenantId;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::compose::App;
use crate::http::{Authenticated, InTenant, Json, Query, Result};

pub(super) fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(find_chain))
        .routes(routes!(verify_chain))
        .routes(routes!(find_tenant_chain))
        .routes(routes!(verify_tenant_chain))
}

/// Where the workspace's hash chain stands.
#[utoipa::path(
    get, path = "/audit/chain", tag = "observe",
    responses((status = 200, description = "The chain", body = ChainState)),
)]
async fn find_chain(State(app): State<App>, Authenticated(ctx): Authenticated) -> Result<Json<ChainState>> {
    Ok(Json(app.chain.find_state(&ctx).await?))
}

/// Which entries.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
struct Stretch {
    /// The first entry, default 1.
    from: Option<u64>,
    /// The last entry, default the last there is.
    to: Option<u64>,
}

/// Checks the workspace's hash chain: every entry, the record it is of, and every checkpoint. At most 50,000 entries at once;
/// `next_from` says where to go on.
#[utoipa::path(
    get, path = "/audit/chain/verify", tag = "observe", params(Stretch),
    responses((status = 200, description = "What was found", body = ChainVerification)),
)]
async fn verify_chain(
    State(app): State<App>,
    Authenticated(ctx): Authenticated,
    Query(Stretch { from, to }): Query<Stretch>,
) -> Result<Json<ChainVerification>> {
    Ok(Json(app.chain.verify(&ctx, from, to).await?))
}

/// Where the hash chain over what was done in a tenant as a whole stands. Each of its workspaces has a chain of its own.
#[utoipa::path(
    get, path = "/tenants/{id}/audit/chain", tag = "observe",
    params(("id" = TenantId, Path, description = "The tenant")),
    responses((status = 200, description = "The chain", body = ChainState)),
)]
async fn find_tenant_chain(State(app): State<App>, InTenant(ctx): InTenant) -> Result<Json<ChainState>> {
    Ok(Json(app.chain.find_tenant_state(&ctx).await?))
}

/// Checks the hash chain over what was done in a tenant as a whole, like `/audit/chain/verify`.
#[utoipa::path(
    get, path = "/tenants/{id}/audit/chain/verify", tag = "observe",
    params(("id" = TenantId, Path, description = "The tenant"), Stretch),
    responses((status = 200, description = "What was found", body = ChainVerification)),
)]
async fn verify_tenant_chain(
    State(app): State<App>,
    InTenant(ctx): InTenant,
    Query(Stretch { from, to }): Query<Stretch>,
) -> Result<Json<ChainVerification>> {
    Ok(Json(app.chain.verify_tenant(&ctx, from, to).await?))
}
