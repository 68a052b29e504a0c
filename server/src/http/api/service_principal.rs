//! Service principals of the workspace.

use axum::extract::State;
use axum::http::StatusCode;
use kernel::page::{Order, page};
use types::access::{CreateServicePrincipal, ServicePrincipal, UpdateServicePrincipal};
use types::id::ServicePrincipalId;
use types::page::{Page, PageQuery};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::compose::App;
use crate::http::{Authenticated, IfMatch, Json, Path, Query, Result, Tagged};

pub(super) fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new().routes(routes!(list_service_principals, create_service_principal)).routes(routes!(
        find_service_principal,
        update_service_principal,
        disable_service_principal
    ))
}

/// The service principals, newest first, those included that may not act.
#[utoipa::path(get, path = "/service-principals", tag = "identity", params(PageQuery),
    responses((status = 200, description = "The service principals", body = Page<ServicePrincipal>)))]
async fn list_service_principals(
    State(app): State<App>,
    Authenticated(ctx): Authenticated,
    Query(query): Query<PageQuery>,
) -> Result<Json<Page<ServicePrincipal>>> {
    Ok(Json(page(app.identity.list_principals(&ctx).await?, Order::NewestFirst, &query)?))
}

/// Makes a service principal. Its keys are made as `POST /api-keys` with its `principal_id`.
#[utoipa::path(post, path = "/service-principals", tag = "identity", request_body = CreateServicePrincipal,
    responses((status = 201, description = "The service principal", body = ServicePrincipal)))]
async fn create_service_principal(
    State(app): State<App>,
    Authenticated(ctx): Authenticated,
    Json(command): Json<CreateServicePrincipal>,
) -> Result<Tagged<ServicePrincipal>> {
    let principal = app.identity.create_principal(&ctx, &command).await?;
    let version = principal.version;
    Ok(Tagged::created(principal, version))
}

/// One service principal.
#[utoipa::path(get, path = "/service-principals/{id}", tag = "identity",
    params(("id" = ServicePrincipalId, Path, description = "The service principal")),
    responses((status = 200, description = "The service principal", body = ServicePrincipal)))]
async fn find_service_principal(
    State(app): State<App>,
    Authenticated(ctx): Authenticated,
    Path(id): Path<ServicePrincipalId>,
) -> Result<Tagged<ServicePrincipal>> {
    let principal = app.identity.find_principal(&ctx, id).await?;
    let version = principal.version;
    Ok(Tagged::new(principal, version))
}

/// Changes a service principal. Its keys act as it then is, at once; an orphaned one acts again once it has an owner who may.
#[utoipa::path(patch, path = "/service-principals/{id}", tag = "identity", request_body = UpdateServicePrincipal,
    params(
        ("id" = ServicePrincipalId, Path, description = "The service principal"),
        ("If-Match" = String, Header, description = "Its `ETag`"),
    ),
    responses((status = 200, description = "The service principal as it is now", body = ServicePrincipal)))]
async fn update_service_principal(
    State(app): State<App>,
    Authenticated(ctx): Authenticated,
    Path(id): Path<ServicePrincipalId>,
    seen: IfMatch,
    Json(command): Json<UpdateServicePrincipal>,
) -> Result<Tagged<ServicePrincipal>> {
    let principal = app.identity.update_principal(&ctx, id, seen.version(), &command).await?;
    let version = principal.version;
    Ok(Tagged::new(principal, version))
}

/// Switches a service principal off. It stays listed as disabled.
#[utoipa::path(delete, path = "/service-principals/{id}", tag = "identity",
    params(("id" = ServicePrincipalId, Path, description = "The service principal")),
    responses((status = 204, description = "Switched off: nothing starts with its keys any more")))]
async fn disable_service_principal(
    State(app): State<App>,
    Authenticated(ctx): Authenticated,
    Path(id): Path<ServicePrincipalId>,
) -> Result<StatusCode> {
    app.identity.disable_principal(&ctx, id).await?;
    Ok(StatusCode::NO_CONTENT)
}
