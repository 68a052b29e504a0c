//! The members of a tenant. The path names the tenant the request is about.

use axum::extract::State;
use axum::http::StatusCode;
use kernel::page::{Order, page};
use types::id::{TenantId, UserId};
use types::page::{Page, PageQuery};
use types::tenant::{AddTenantMember, TenantMember, UpdateTenantMember};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::compose::App;
use crate::http::{IfMatch, InTenant, Json, Path, Query, Result, Tagged};

pub(super) fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new().routes(routes!(list_tenant_members, add_tenant_member)).routes(routes!(
        find_tenant_member,
        update_tenant_member,
        remove_tenant_member
    ))
}

/// Everybody who belongs to a tenant, by name.
#[utoipa::path(get, path = "/tenants/{id}/members", tag = "identity",
    params(("id" = TenantId, Path, description = "The tenant"), PageQuery),
    responses((status = 200, description = "Its members", body = Page<TenantMember>)))]
async fn list_tenant_members(
    State(app): State<App>,
    InTenant(ctx): InTenant,
    Query(query): Query<PageQuery>,
) -> Result<Json<Page<TenantMember>>> {
    Ok(Json(page(app.identity.list_tenant_members(&ctx).await?, Order::ByName, &query)?))
}

/// Gives somebody who once belonged a place in the tenant again. Who never did is invited into a workspace.
#[utoipa::path(post, path = "/tenants/{id}/members", tag = "identity", request_body = AddTenantMember,
    params(("id" = TenantId, Path, description = "The tenant")),
    responses((status = 201, description = "The member", body = TenantMember)))]
async fn add_tenant_member(
    State(app): State<App>,
    InTenant(ctx): InTenant,
    Json(command): Json<AddTenantMember>,
) -> Result<Tagged<TenantMember>> {
    let member = app.identity.add_tenant_member(&ctx, &command).await?;
    let version = member.version;
    Ok(Tagged::created(member, version))
}

/// One member.
#[utoipa::path(get, path = "/tenants/{id}/members/{user}", tag = "identity",
    params(("id" = TenantId, Path, description = "The tenant"), ("user" = UserId, Path, description = "The person")),
    responses((status = 200, description = "The member", body = TenantMember)))]
async fn find_tenant_member(
    State(app): State<App>,
    InTenant(ctx): InTenant,
    Path((_, user)): Path<(TenantId, UserId)>,
) -> Result<Tagged<TenantMember>> {
    let member = app.identity.find_tenant_member(&ctx, user).await?;
    let version = member.version;
    Ok(Tagged::new(member, version))
}

/// Gives a member another role in the tenant.
#[utoipa::path(patch, path = "/tenants/{id}/members/{user}", tag = "identity", request_body = UpdateTenantMember,
    params(
        ("id" = TenantId, Path, description = "The tenant"),
        ("user" = UserId, Path, description = "The person"),
        ("If-Match" = String, Header, description = "The member's `ETag`"),
    ),
    responses((status = 200, description = "The member as it is now", body = TenantMember)))]
async fn update_tenant_member(
    State(app): State<App>,
    InTenant(ctx): InTenant,
    Path((_, user)): Path<(TenantId, UserId)>,
    seen: IfMatch,
    Json(command): Json<UpdateTenantMember>,
) -> Result<Tagged<TenantMember>> {
    let member = app.identity.update_tenant_member(&ctx, user, seen.version(), &command).await?;
    let version = member.version;
    Ok(Tagged::new(member, version))
}

/// Removes a member from the tenant and from every workspace of it, with what they held there.
#[utoipa::path(delete, path = "/tenants/{id}/members/{user}", tag = "identity",
    params(("id" = TenantId, Path, description = "The tenant"), ("user" = UserId, Path, description = "The person")),
    responses((status = 204, description = "Removed: nothing starts any more with what they held there")))]
async fn remove_tenant_member(
    State(app): State<App>,
    InTenant(ctx): InTenant,
    Path((_, user)): Path<(TenantId, UserId)>,
) -> Result<StatusCode> {
    app.identity.remove_tenant_member(&ctx, user).await?;
    Ok(StatusCode::NO_CONTENT)
}
