//! One's own account, workspaces, permissions and sessions.

use axum::extract::State;
use axum::http::StatusCode;
use serde::Deserialize;
use types::id::SessionId;
use types::identity::{ChangePassword, Me, Membership, Permissions, Session, StepUp, UpdateMe};
use types::page::Page;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::compose::App;
use crate::http::{Authenticated, Caller, Json, Path, Person, Query, Result};

pub(super) fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(find_me, update_me))
        .routes(routes!(step_up))
        .routes(routes!(change_password))
        .routes(routes!(list_permissions))
        .routes(routes!(list_my_workspaces))
        .routes(routes!(list_sessions))
        .routes(routes!(find_session, revoke_session))
        .routes(routes!(revoke_other_sessions))
}

/// Who one is, where, and with what power.
#[utoipa::path(get, path = "/me", tag = "identity", responses((status = 200, description = "Oneself", body = Me)))]
async fn find_me(State(app): State<App>, Person(ctx): Person) -> Result<Json<Me>> {
    Ok(Json(app.identity.find_me(&ctx).await?))
}

/// Changes one's name.
#[utoipa::path(patch, path = "/me", tag = "identity", request_body = UpdateMe,
    responses((status = 200, description = "Oneself, as one is now", body = Me)))]
async fn update_me(State(app): State<App>, Person(ctx): Person, Json(command): Json<UpdateMe>) -> Result<Json<Me>> {
    Ok(Json(app.identity.update_me(&ctx, &command).await?))
}

/// Proves oneself again, for the actions that answer `step_up_required`. Lasts ten minutes.
#[utoipa::path(post, path = "/me/step-up", tag = "identity", request_body = StepUp,
    responses((status = 204, description = "Proved")))]
async fn step_up(
    State(app): State<App>,
    Person(ctx): Person,
    Caller(client): Caller,
    Json(command): Json<StepUp>,
) -> Result<StatusCode> {
    app.identity.step_up(&ctx, &client, &command, None).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Changes one's password and ends all one's other sessions.
#[utoipa::path(post, path = "/me/password", tag = "identity", request_body = ChangePassword,
    responses((status = 204, description = "Changed")))]
async fn change_password(
    State(app): State<App>,
    Person(ctx): Person,
    Caller(client): Caller,
    Json(command): Json<ChangePassword>,
) -> Result<StatusCode> {
    app.identity.change_password(&ctx, &client, &command, None).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Which permissions are asked for.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct PermissionQuery {
    resource_type: Option<String>,
    resource_id: Option<String>,
}

/// What one may do now in the workspace of the request, fresh proof aside.
#[utoipa::path(get, path = "/me/permissions", tag = "identity",
    params(
        ("resource_type" = Option<String>, Query, description = "Only actions on this kind of thing: `api_key`"),
        ("resource_id" = Option<String>, Query, description = "Only what is allowed on this one of them"),
    ),
    responses((status = 200, description = "Allowed actions, sorted", body = Permissions)))]
async fn list_permissions(
    State(app): State<App>,
    Authenticated(ctx): Authenticated,
    Query(query): Query<PermissionQuery>,
) -> Result<Json<Permissions>> {
    let (kind, id) = (query.resource_type.as_deref(), query.resource_id.as_deref());
    Ok(Json(app.identity.list_permissions(&ctx, kind, id).await?))
}

/// Where one belongs.
#[utoipa::path(get, path = "/me/workspaces", tag = "identity",
    responses((status = 200, description = "One's workspaces", body = Page<Membership>)))]
async fn list_my_workspaces(State(app): State<App>, Person(ctx): Person) -> Result<Json<Page<Membership>>> {
    Ok(Json(app.identity.list_workspaces(&ctx).await?.into()))
}

/// One's live sessions, newest first.
#[utoipa::path(get, path = "/me/sessions", tag = "identity",
    responses((status = 200, description = "One's sessions, the present one marked", body = Page<Session>)))]
async fn list_sessions(State(app): State<App>, Person(ctx): Person) -> Result<Json<Page<Session>>> {
    Ok(Json(app.identity.list_sessions(&ctx).await?.into()))
}

/// One of one's live sessions.
#[utoipa::path(get, path = "/me/sessions/{id}", tag = "identity", params(("id" = SessionId, Path, description = "The session")),
    responses((status = 200, description = "The session", body = Session)))]
async fn find_session(State(app): State<App>, Person(ctx): Person, Path(id): Path<SessionId>) -> Result<Json<Session>> {
    Ok(Json(app.identity.find_session(&ctx, id).await?))
}

/// Ends one of one's sessions.
#[utoipa::path(delete, path = "/me/sessions/{id}", tag = "identity", params(("id" = SessionId, Path, description = "The session")),
    responses((status = 204, description = "Ended")))]
async fn revoke_session(State(app): State<App>, Person(ctx): Person, Path(id): Path<SessionId>) -> Result<StatusCode> {
    app.identity.revoke_session(&ctx, id).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Ends all one's sessions but the present one.
#[utoipa::path(post, path = "/me/sessions/revoke-all", tag = "identity", responses((status = 204, description = "Ended")))]
async fn revoke_other_sessions(State(app): State<App>, Person(ctx): Person) -> Result<StatusCode> {
    app.identity.revoke_other_sessions(&ctx).await?;
    Ok(StatusCode::NO_CONTENT)
}
