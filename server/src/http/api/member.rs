//! The members of a workspace. The path names the workspace the request is about.

use axum::extract::State;
use axum::http::StatusCode;
use kernel::page::{Order, page};
use types::id::{UserId, WorkspaceId};
use types::member::{AddMember, Member, UpdateMember};
use types::page::{Page, PageQuery};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::compose::App;
use crate::http::{Authenticated, IfMatch, Json, Path, Query, Result, Tagged};

pub(super) fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new().routes(routes!(list_members, add_member)).routes(routes!(
        find_member,
        update_member,
        remove_member
    ))
}

/// Everybody who belongs to a workspace, in the order they joined.
#[utoipa::path(get, path = "/workspaces/{id}/members", tag = "identity",
    params(("id" = WorkspaceId, Path, description = "The workspace"), PageQuery),
    responses((status = 200, description = "Its members", body = Page<Member>)))]
async fn list_members(
    State(app): State<App>,
    Authenticated(ctx): Authenticated,
    Query(query): Query<PageQuery>,
) -> Result<Json<Page<Member>>> {
    Ok(Json(page(app.identity.list_members(&ctx).await?, Order::OldestFirst, &query)?))
}

/// Gives a person of the tenant a place in the workspace. Who has no account yet is invited.
#[utoipa::path(post, path = "/workspaces/{id}/members", tag = "identity", request_body = AddMember,
    params(("id" = WorkspaceId, Path, description = "The workspace")),
    responses((status = 201, description = "The member", body = Member)))]
async fn add_member(
    State(app): State<App>,
    Authenticated(ctx): Authenticated,
    Json(command): Json<AddMember>,
) -> Result<Tagged<Member>> {
    let member = app.identity.add_member(&ctx, &command).await?;
    let version = member.version;
    Ok(Tagged::created(member, version))
}

/// One member.
#[utoipa::path(get, path = "/workspaces/{id}/members/{user}", tag = "identity",
    params(("id" = WorkspaceId, Path, description = "The workspace"), ("user" = UserId, Path, description = "The person")),
    responses((status = 200, description = "The member", body = Member)))]
async fn find_member(
    State(app): State<App>,
    Authenticated(ctx): Authenticated,
    Path((_, user)): Path<(WorkspaceId, UserId)>,
) -> Result<Tagged<Member>> {
    let member = app.identity.find_member(&ctx, user).await?;
    let version = member.version;
    Ok(Tagged::new(member, version))
}

/// Gives a member another role. Their keys act with it at once.
#[utoipa::path(patch, path = "/workspaces/{id}/members/{user}", tag = "identity", request_body = UpdateMember,
    params(
        ("id" = WorkspaceId, Path, description = "The workspace"),
        ("user" = UserId, Path, description = "The person"),
        ("If-Match" = String, Header, description = "The member's `ETag`"),
    ),
    responses((status = 200, description = "The member as it is now", body = Member)))]
async fn update_member(
    State(app): State<App>,
    Authenticated(ctx): Authenticated,
    Path((_, user)): Path<(WorkspaceId, UserId)>,
    seen: IfMatch,
    Json(command): Json<UpdateMember>,
) -> Result<Tagged<Member>> {
    let member = app.identity.update_member(&ctx, user, seen.version(), &command).await?;
    let version = member.version;
    Ok(Tagged::new(member, version))
}

/// Removes a member with their keys and sessions of the workspace; oneself, one leaves.
#[utoipa::path(delete, path = "/workspaces/{id}/members/{user}", tag = "identity",
    params(("id" = WorkspaceId, Path, description = "The workspace"), ("user" = UserId, Path, description = "The person")),
    responses((status = 204, description = "Removed: nothing starts any more with what they held here")))]
async fn remove_member(
    State(app): State<App>,
    Authenticated(ctx): Authenticated,
    Path((_, user)): Path<(WorkspaceId, UserId)>,
) -> Result<StatusCode> {
    app.identity.remove_member(&ctx, user).await?;
    Ok(StatusCode::NO_CONTENT)
}
