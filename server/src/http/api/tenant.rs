//! Tenants: those one belongs to; for who runs the instance, every one there is. The path names the tenant the request is about.

use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use types::audit::AuditEntry;
use types::id::TenantId;
use types::page::Page;
use types::tenant::{Ceilings, CreateTenant, Tenant, TenantQuery, UpdateCeilings, UpdateTenant};
use types::usage::{DailyUsage, UsageQuery};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::audit::{AuditParameters, AuditSearch};
use super::export::RecordWindow;
use crate::compose::App;
use crate::http::export::{Encoding, answer};
use crate::http::{IfMatch, InTenant, Json, Path, Person, Query, Result, Tagged};

pub(super) fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(list_tenants, create_tenant))
        .routes(routes!(find_tenant, update_tenant, delete_tenant))
        .routes(routes!(suspend_tenant))
        .routes(routes!(activate_tenant))
        .routes(routes!(find_ceilings, update_ceilings))
        .routes(routes!(list_tenant_audit))
        .routes(routes!(export_tenant_audit))
        .routes(routes!(list_tenant_usage))
}

/// The tenants one belongs to, in the order they were made; with `all`, for who runs the instance, every one there is.
#[utoipa::path(get, path = "/tenants", tag = "identity", params(TenantQuery),
    responses((status = 200, description = "One page of tenants", body = Page<Tenant>)))]
async fn list_tenants(
    State(app): State<App>,
    Person(ctx): Person,
    Query(query): Query<TenantQuery>,
) -> Result<Json<Page<Tenant>>> {
    Ok(Json(app.identity.list_tenants(&ctx, &query).await?))
}

/// Makes a tenant for somebody who has an account; for who runs the instance.
#[utoipa::path(post, path = "/tenants", tag = "identity", request_body = CreateTenant,
    responses((status = 201, description = "The tenant, without a workspace yet", body = Tenant)))]
async fn create_tenant(
    State(app): State<App>,
    Person(ctx): Person,
    Json(command): Json<CreateTenant>,
) -> Result<Tagged<Tenant>> {
    let tenant = app.identity.create_tenant(&ctx, &command).await?;
    let version = tenant.version;
    Ok(Tagged::created(tenant, version))
}

/// A tenant one belongs to.
#[utoipa::path(get, path = "/tenants/{id}", tag = "identity", params(("id" = TenantId, Path, description = "The tenant")),
    responses((status = 200, description = "The tenant", body = Tenant)))]
async fn find_tenant(State(app): State<App>, InTenant(ctx): InTenant) -> Result<Tagged<Tenant>> {
    let tenant = app.identity.find_tenant(&ctx).await?;
    let version = tenant.version;
    Ok(Tagged::new(tenant, version))
}

/// Changes a tenant's names; absent members stay.
#[utoipa::path(patch, path = "/tenants/{id}", tag = "identity", request_body = UpdateTenant,
    params(
        ("id" = TenantId, Path, description = "The tenant"),
        ("If-Match" = String, Header, description = "Its `ETag`"),
    ),
    responses((status = 200, description = "The tenant as it is now", body = Tenant)))]
async fn update_tenant(
    State(app): State<App>,
    InTenant(ctx): InTenant,
    seen: IfMatch,
    Json(command): Json<UpdateTenant>,
) -> Result<Tagged<Tenant>> {
    let tenant = app.identity.update_tenant(&ctx, seen.version(), &command).await?;
    let version = tenant.version;
    Ok(Tagged::new(tenant, version))
}

/// Deletes a tenant all whose workspaces are archived.
#[utoipa::path(delete, path = "/tenants/{id}", tag = "identity", params(("id" = TenantId, Path, description = "The tenant")),
    responses((status = 204, description = "Deleted: nobody belongs to it any more, its short name is free")))]
async fn delete_tenant(State(app): State<App>, InTenant(ctx): InTenant) -> Result<StatusCode> {
    app.identity.delete_tenant(&ctx).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Suspends a tenant; for who runs the instance. Everybody and every key of it is answered 403 `subject_disabled` at once.
#[utoipa::path(post, path = "/tenants/{id}/suspend", tag = "identity",
    params(("id" = TenantId, Path, description = "The tenant")),
    responses((status = 200, description = "The tenant", body = Tenant)))]
async fn suspend_tenant(State(app): State<App>, Person(ctx): Person, Path(id): Path<TenantId>) -> Result<Json<Tenant>> {
    Ok(Json(app.identity.suspend_tenant(&ctx, id).await?))
}

/// Lets a suspended tenant act again; for who runs the instance.
#[utoipa::path(post, path = "/tenants/{id}/activate", tag = "identity",
    params(("id" = TenantId, Path, description = "The tenant")),
    responses((status = 200, description = "The tenant", body = Tenant)))]
async fn activate_tenant(
    State(app): State<App>,
    Person(ctx): Person,
    Path(id): Path<TenantId>,
) -> Result<Json<Tenant>> {
    Ok(Json(app.identity.activate_tenant(&ctx, id).await?))
}

/// What binds every workspace of a tenant.
#[utoipa::path(get, path = "/tenants/{id}/ceilings", tag = "identity",
    params(("id" = TenantId, Path, description = "The tenant")),
    responses((status = 200, description = "The ceilings", body = Ceilings)))]
async fn find_ceilings(State(app): State<App>, InTenant(ctx): InTenant) -> Result<Tagged<Ceilings>> {
    let ceilings = app.identity.find_ceilings(&ctx).await?;
    let version = ceilings.version;
    Ok(Tagged::new(ceilings, version))
}

/// Changes what binds every workspace of a tenant; absent members stay.
#[utoipa::path(patch, path = "/tenants/{id}/ceilings", tag = "identity", request_body = UpdateCeilings,
    params(
        ("id" = TenantId, Path, description = "The tenant"),
        ("If-Match" = String, Header, description = "Their `ETag`, which is the tenant's"),
    ),
    responses((status = 200, description = "The ceilings as they are now", body = Ceilings)))]
async fn update_ceilings(
    State(app): State<App>,
    InTenant(ctx): InTenant,
    seen: IfMatch,
    Json(command): Json<UpdateCeilings>,
) -> Result<Tagged<Ceilings>> {
    let ceilings = app.identity.update_ceilings(&ctx, seen.version(), &command).await?;
    let version = ceilings.version;
    Ok(Tagged::new(ceilings, version))
}

/// What was done in a tenant as a whole, newest first; filters as those of `/audit`. What is done in its workspaces is theirs.
#[utoipa::path(get, path = "/tenants/{id}/audit", tag = "observe",
    params(("id" = TenantId, Path, description = "The tenant"), AuditParameters),
    responses((status = 200, description = "One page of audit rows", body = Page<AuditEntry>)))]
async fn list_tenant_audit(
    State(app): State<App>,
    InTenant(ctx): InTenant,
    AuditSearch(query): AuditSearch,
) -> Result<Json<Page<AuditEntry>>> {
    Ok(Json(app.observe.list_tenant_audit(&ctx, &query).await?))
}

/// What was done in a tenant as a whole, oldest first, as a file that is streamed; as `/exports/audit` for a workspace.
#[utoipa::path(get, path = "/tenants/{id}/audit/export", tag = "observe",
    params(("id" = TenantId, Path, description = "The tenant"), RecordWindow),
    responses((
        status = 200, content_type = "application/jsonl", body = String,
        description = "`{schema_version, record_type, record}` a line; the last, a `trailer`, counts the records and holds the SHA-256 of all lines before",
    )))]
async fn export_tenant_audit(
    State(app): State<App>,
    InTenant(ctx): InTenant,
    headers: HeaderMap,
    Query(asked): Query<RecordWindow>,
) -> Result<Response> {
    let (format, window) = asked.read()?;
    let export = app.observe.export_tenant_audit(&ctx, window).await?;
    Ok(answer(export, format, Encoding::of(&headers), "tenant-audit"))
}

/// What was used by day over every workspace of a tenant; rehearsals are left out.
#[utoipa::path(get, path = "/tenants/{id}/usage", tag = "observe",
    params(("id" = TenantId, Path, description = "The tenant"), UsageQuery),
    responses((status = 200, description = "The figures", body = DailyUsage)))]
async fn list_tenant_usage(
    State(app): State<App>,
    InTenant(ctx): InTenant,
    Query(query): Query<UsageQuery>,
) -> Result<Json<DailyUsage>> {
    Ok(Json(app.usage.list_tenant_usage(&ctx, &query).await?))
}
