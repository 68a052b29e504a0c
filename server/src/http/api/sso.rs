//! Connections of a tenant to identity providers, and one's own links.

use axum::extract::State;
use axum::http::StatusCode;
use types::id::{SsoConnectionId, SsoLinkId, TenantId};
use types::page::Page;
use types::sso::{CreateOidcConnection, OidcCheck, OidcConnection, SsoLinks, UpdateOidcConnection};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::compose::App;
use crate::http::{IfMatch, InTenant, Json, Path, Person, Result, Tagged};

pub(super) fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(list_sso_connections, create_sso_connection))
        .routes(routes!(find_sso_connection, update_sso_connection, delete_sso_connection))
        .routes(routes!(test_sso_connection))
        .routes(routes!(list_sso_links))
        .routes(routes!(unlink_sso))
}

/// The tenant's connections, oldest first, at most five.
#[utoipa::path(get, path = "/tenants/{id}/sso", tag = "identity",
    params(("id" = TenantId, Path, description = "The tenant")),
    responses((status = 200, description = "The connections, all of them", body = Page<OidcConnection>)))]
async fn list_sso_connections(State(app): State<App>, InTenant(ctx): InTenant) -> Result<Json<Page<OidcConnection>>> {
    Ok(Json(app.identity.list_sso_connections(&ctx).await?.into()))
}

/// Connects the tenant to an identity provider.
#[utoipa::path(post, path = "/tenants/{id}/sso", tag = "identity", request_body = CreateOidcConnection,
    params(("id" = TenantId, Path, description = "The tenant")),
    responses((status = 201, description = "The connection", body = OidcConnection)))]
async fn create_sso_connection(
    State(app): State<App>,
    InTenant(ctx): InTenant,
    Json(command): Json<CreateOidcConnection>,
) -> Result<Tagged<OidcConnection>> {
    let connection = app.identity.create_sso_connection(&ctx, &command).await?;
    let version = connection.version;
    Ok(Tagged::created(connection, version))
}

/// One connection.
#[utoipa::path(get, path = "/tenants/{id}/sso/{connection}", tag = "identity",
    params(
        ("id" = TenantId, Path, description = "The tenant"),
        ("connection" = SsoConnectionId, Path, description = "The connection"),
    ),
    responses((status = 200, description = "The connection", body = OidcConnection)))]
async fn find_sso_connection(
    State(app): State<App>,
    InTenant(ctx): InTenant,
    Path((_, connection)): Path<(TenantId, SsoConnectionId)>,
) -> Result<Tagged<OidcConnection>> {
    let connection = app.identity.find_sso_connection(&ctx, connection).await?;
    let version = connection.version;
    Ok(Tagged::new(connection, version))
}

/// Changes a connection.
#[utoipa::path(patch, path = "/tenants/{id}/sso/{connection}", tag = "identity", request_body = UpdateOidcConnection,
    params(
        ("id" = TenantId, Path, description = "The tenant"),
        ("connection" = SsoConnectionId, Path, description = "The connection"),
        ("If-Match" = String, Header, description = "Its `ETag`"),
    ),
    responses((status = 200, description = "The connection as it is now", body = OidcConnection)))]
async fn update_sso_connection(
    State(app): State<App>,
    InTenant(ctx): InTenant,
    Path((_, connection)): Path<(TenantId, SsoConnectionId)>,
    seen: IfMatch,
    Json(command): Json<UpdateOidcConnection>,
) -> Result<Tagged<OidcConnection>> {
    let connection = app.identity.update_sso_connection(&ctx, connection, seen.version(), &command).await?;
    let version = connection.version;
    Ok(Tagged::new(connection, version))
}

/// Deletes a connection: nobody signs in by it any more.
#[utoipa::path(delete, path = "/tenants/{id}/sso/{connection}", tag = "identity",
    params(
        ("id" = TenantId, Path, description = "The tenant"),
        ("connection" = SsoConnectionId, Path, description = "The connection"),
    ),
    responses((status = 204, description = "Deleted")))]
async fn delete_sso_connection(
    State(app): State<App>,
    InTenant(ctx): InTenant,
    Path((_, connection)): Path<(TenantId, SsoConnectionId)>,
) -> Result<StatusCode> {
    app.identity.delete_sso_connection(&ctx, connection).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Asks the provider what it says of itself and for its keys. That it fails is an outcome, not an error.
#[utoipa::path(post, path = "/tenants/{id}/sso/{connection}/test", tag = "identity",
    params(
        ("id" = TenantId, Path, description = "The tenant"),
        ("connection" = SsoConnectionId, Path, description = "The connection"),
    ),
    responses((status = 200, description = "Whether it answers as it must", body = OidcCheck)))]
async fn test_sso_connection(
    State(app): State<App>,
    InTenant(ctx): InTenant,
    Path((_, connection)): Path<(TenantId, SsoConnectionId)>,
) -> Result<Json<OidcCheck>> {
    Ok(Json(app.identity.test_sso_connection(&ctx, connection).await?))
}

/// The accounts of identity providers that sign in to one's own, and what can be linked.
#[utoipa::path(get, path = "/me/sso", tag = "identity",
    responses((status = 200, description = "One's links", body = SsoLinks)))]
async fn list_sso_links(State(app): State<App>, Person(ctx): Person) -> Result<Json<SsoLinks>> {
    Ok(Json(app.identity.list_sso_links(&ctx).await?))
}

/// Takes one of one's links away.
#[utoipa::path(delete, path = "/me/sso/{id}", tag = "identity",
    params(("id" = SsoLinkId, Path, description = "The link")),
    responses((status = 204, description = "Taken away")))]
async fn unlink_sso(State(app): State<App>, Person(ctx): Person, Path(id): Path<SsoLinkId>) -> Result<StatusCode> {
    app.identity.unlink_sso(&ctx, id).await?;
    Ok(StatusCode::NO_CONTENT)
}
