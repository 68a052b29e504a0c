//! Invitations into a workspace, and accepting one.

use axum::extract::State;
use axum::http::StatusCode;
use kernel::page::{Order, page};
use types::id::{InvitationId, WorkspaceId};
use types::member::{AcceptInvitation, AcceptedInvitation, CreateInvitation, Invitation, IssuedInvitation};
use types::page::{Page, PageQuery};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::compose::App;
use crate::http::{Authenticated, Caller, Json, Path, PerhapsPerson, Query, Result};

pub(super) fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(list_invitations, create_invitation))
        .routes(routes!(revoke_invitation))
        .routes(routes!(accept_invitation))
}

/// The invitations of a workspace, newest first, those included that wait no more.
#[utoipa::path(get, path = "/workspaces/{id}/invitations", tag = "identity",
    params(("id" = WorkspaceId, Path, description = "The workspace"), PageQuery),
    responses((status = 200, description = "Its invitations, without their links", body = Page<Invitation>)))]
async fn list_invitations(
    State(app): State<App>,
    Authenticated(ctx): Authenticated,
    Query(query): Query<PageQuery>,
) -> Result<Json<Page<Invitation>>> {
    Ok(Json(page(app.identity.list_invitations(&ctx).await?, Order::NewestFirst, &query)?))
}

/// Invites an address. An invitation of the same address that still waits is taken back.
#[utoipa::path(post, path = "/workspaces/{id}/invitations", tag = "identity", request_body = CreateInvitation,
    params(("id" = WorkspaceId, Path, description = "The workspace")),
    responses((status = 201, description = "The invitation; its link is shown this once, unless it was sent by mail", body = IssuedInvitation)))]
async fn create_invitation(
    State(app): State<App>,
    Authenticated(ctx): Authenticated,
    Json(command): Json<CreateInvitation>,
) -> Result<(StatusCode, Json<IssuedInvitation>)> {
    let (item, token) = app.identity.create_invitation(&ctx, &command).await?.shown()?;
    let link = token.map(|token| app.config.http.link(app::route::INVITE, &token));
    Ok((StatusCode::CREATED, Json(IssuedInvitation { item, link })))
}

/// Takes an invitation back.
#[utoipa::path(delete, path = "/invitations/{id}", tag = "identity",
    params(("id" = InvitationId, Path, description = "The invitation")),
    responses((status = 204, description = "Taken back: nobody joins with it any more")))]
async fn revoke_invitation(
    State(app): State<App>,
    Authenticated(ctx): Authenticated,
    Path(id): Path<InvitationId>,
) -> Result<StatusCode> {
    app.identity.revoke_invitation(&ctx, id).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Accepts an invitation. With a credential, one joins as its account; without, the account is made.
#[utoipa::path(post, path = "/invitations/accept", tag = "identity", security(()), request_body = AcceptInvitation,
    responses((status = 200, description = "Where it led", body = AcceptedInvitation)))]
async fn accept_invitation(
    State(app): State<App>,
    PerhapsPerson(ctx): PerhapsPerson,
    Caller(client): Caller,
    Json(command): Json<AcceptInvitation>,
) -> Result<Json<AcceptedInvitation>> {
    Ok(Json(app.identity.accept_invitation(&client, ctx.as_ref(), &command).await?))
}
