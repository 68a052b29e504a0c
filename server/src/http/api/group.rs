//! Groups of members. The path names the workspace the request is about.

use axum::extract::State;
use axum::http::StatusCode;
use kernel::page::{Order, page};
use types::access::{CreateGroup, Group, UpdateGroup};
use types::id::{GroupId, WorkspaceId};
use types::page::{Page, PageQuery};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::compose::App;
use crate::http::{Authenticated, IfMatch, Json, Path, Query, Result, Tagged};

pub(super) fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new().routes(routes!(list_groups, create_group)).routes(routes!(
        find_group,
        update_group,
        delete_group
    ))
}

/// The groups of a workspace, by name, each with who is in it.
#[utoipa::path(get, path = "/workspaces/{id}/groups", tag = "identity",
    params(("id" = WorkspaceId, Path, description = "The workspace"), PageQuery),
    responses((status = 200, description = "Its groups", body = Page<Group>)))]
async fn list_groups(
    State(app): State<App>,
    Authenticated(ctx): Authenticated,
    Query(query): Query<PageQuery>,
) -> Result<Json<Page<Group>>> {
    Ok(Json(page(app.identity.list_groups(&ctx).await?, Order::ByName, &query)?))
}

/// Makes a group.
#[utoipa::path(post, path = "/workspaces/{id}/groups", tag = "identity", request_body = CreateGroup,
    params(("id" = WorkspaceId, Path, description = "The workspace")),
    responses((status = 201, description = "The group", body = Group)))]
async fn create_group(
    State(app): State<App>,
    Authenticated(ctx): Authenticated,
    Json(command): Json<CreateGroup>,
) -> Result<Tagged<Group>> {
    let group = app.identity.create_group(&ctx, &command).await?;
    let version = group.version;
    Ok(Tagged::created(group, version))
}

/// One group.
#[utoipa::path(get, path = "/workspaces/{id}/groups/{group}", tag = "identity",
    params(("id" = WorkspaceId, Path, description = "The workspace"), ("group" = GroupId, Path, description = "The group")),
    responses((status = 200, description = "The group", body = Group)))]
async fn find_group(
    State(app): State<App>,
    Authenticated(ctx): Authenticated,
    Path((_, group)): Path<(WorkspaceId, GroupId)>,
) -> Result<Tagged<Group>> {
    let group = app.identity.find_group(&ctx, group).await?;
    let version = group.version;
    Ok(Tagged::new(group, version))
}

/// Changes a group's name, or who is in it.
#[utoipa::path(patch, path = "/workspaces/{id}/groups/{group}", tag = "identity", request_body = UpdateGroup,
    params(
        ("id" = WorkspaceId, Path, description = "The workspace"),
        ("group" = GroupId, Path, description = "The group"),
        ("If-Match" = String, Header, description = "The group's `ETag`"),
    ),
    responses((status = 200, description = "The group as it is now", body = Group)))]
async fn update_group(
    State(app): State<App>,
    Authenticated(ctx): Authenticated,
    Path((_, group)): Path<(WorkspaceId, GroupId)>,
    seen: IfMatch,
    Json(command): Json<UpdateGroup>,
) -> Result<Tagged<Group>> {
    let group = app.identity.update_group(&ctx, group, seen.version(), &command).await?;
    let version = group.version;
    Ok(Tagged::new(group, version))
}

/// Deletes a group. What was granted to it ends with it.
#[utoipa::path(delete, path = "/workspaces/{id}/groups/{group}", tag = "identity",
    params(("id" = WorkspaceId, Path, description = "The workspace"), ("group" = GroupId, Path, description = "The group")),
    responses((status = 204, description = "Deleted: nothing is allowed any more by what was granted to it")))]
async fn delete_group(
    State(app): State<App>,
    Authenticated(ctx): Authenticated,
    Path((_, group)): Path<(WorkspaceId, GroupId)>,
) -> Result<StatusCode> {
    app.identity.delete_group(&ctx, group).await?;
    Ok(StatusCode::NO_CONTENT)
}
