//! Workspaces. The path names the workspace the request is about; without an id it is about a tenant.

use axum::extract::State;
use axum::http::StatusCode;
use kernel::page::{Order, page};
use types::id::WorkspaceId;
use types::identity::{UpdateWorkspace, Workspace};
use types::member::Member;
use types::page::{Page, PageQuery};
use types::tenant::{CreateWorkspace, WorkspaceQuery};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::compose::App;
use crate::http::{Authenticated, IfMatch, Json, Path, Person, Query, Result, Tagged};

pub(super) fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(list_workspaces, create_workspace))
        .routes(routes!(find_workspace, update_workspace, archive_workspace))
        .routes(routes!(restore_workspace))
        .routes(routes!(join_workspace))
}

/// Every workspace of a tenant, by name, archived ones included: for its owners and admins.
#[utoipa::path(get, path = "/workspaces", tag = "identity", params(WorkspaceQuery),
    responses((status = 200, description = "Their settings", body = Page<Workspace>)))]
async fn list_workspaces(
    State(app): State<App>,
    Person(ctx): Person,
    Query(query): Query<WorkspaceQuery>,
) -> Result<Json<Page<Workspace>>> {
    let workspaces = app.identity.list_tenant_workspaces(&ctx, query.tenant_id).await?;
    Ok(Json(page(workspaces, Order::ByName, &PageQuery { limit: query.limit, cursor: query.cursor })?))
}

/// Makes a workspace of a tenant; who makes it owns it.
#[utoipa::path(post, path = "/workspaces", tag = "identity", request_body = CreateWorkspace,
    responses((status = 201, description = "Its settings", body = Workspace)))]
async fn create_workspace(
    State(app): State<App>,
    Person(ctx): Person,
    Json(command): Json<CreateWorkspace>,
) -> Result<Tagged<Workspace>> {
    let workspace = app.identity.create_workspace(&ctx, &command).await?;
    let version = workspace.version;
    Ok(Tagged::created(workspace, version))
}

/// A workspace one belongs to.
#[utoipa::path(get, path = "/workspaces/{id}", tag = "identity", params(("id" = WorkspaceId, Path, description = "The workspace")),
    responses((status = 200, description = "Its settings", body = Workspace)))]
async fn find_workspace(State(app): State<App>, Authenticated(ctx): Authenticated) -> Result<Tagged<Workspace>> {
    let workspace = app.identity.find_workspace(&ctx).await?;
    let version = workspace.version;
    Ok(Tagged::new(workspace, version))
}

/// Changes a workspace's settings; absent members stay.
#[utoipa::path(patch, path = "/workspaces/{id}", tag = "identity", request_body = UpdateWorkspace,
    params(
        ("id" = WorkspaceId, Path, description = "The workspace"),
        ("If-Match" = String, Header, description = "Its `ETag`"),
    ),
    responses((status = 200, description = "Its settings as they are now", body = Workspace)))]
async fn update_workspace(
    State(app): State<App>,
    Authenticated(ctx): Authenticated,
    seen: IfMatch,
    Json(command): Json<UpdateWorkspace>,
) -> Result<Tagged<Workspace>> {
    let workspace = app.identity.update_workspace(&ctx, seen.version(), &command).await?;
    let version = workspace.version;
    Ok(Tagged::new(workspace, version))
}

/// Archives a workspace: it is read and exported, calls and changes are refused with 409 `workspace_archived`.
#[utoipa::path(delete, path = "/workspaces/{id}", tag = "identity",
    params(("id" = WorkspaceId, Path, description = "The workspace")),
    responses((status = 204, description = "Archived")))]
async fn archive_workspace(State(app): State<App>, Authenticated(ctx): Authenticated) -> Result<StatusCode> {
    app.identity.archive_workspace(&ctx).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Brings an archived workspace back.
#[utoipa::path(post, path = "/workspaces/{id}/restore", tag = "identity",
    params(("id" = WorkspaceId, Path, description = "The workspace")),
    responses((status = 200, description = "Its settings", body = Workspace)))]
async fn restore_workspace(State(app): State<App>, Authenticated(ctx): Authenticated) -> Result<Tagged<Workspace>> {
    let workspace = app.identity.restore_workspace(&ctx).await?;
    let version = workspace.version;
    Ok(Tagged::new(workspace, version))
}

/// Joins a workspace as admin, by the right of an owner or admin of its tenant. Its owners see it.
#[utoipa::path(post, path = "/workspaces/{id}/join", tag = "identity",
    params(("id" = WorkspaceId, Path, description = "The workspace")),
    responses((status = 201, description = "One's place", body = Member)))]
async fn join_workspace(
    State(app): State<App>,
    Person(ctx): Person,
    Path(id): Path<WorkspaceId>,
) -> Result<Tagged<Member>> {
    let member = app.identity.join_workspace(&ctx, id).await?;
    let version = member.version;
    Ok(Tagged::created(member, version))
}
