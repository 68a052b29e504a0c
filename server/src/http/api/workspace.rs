//! A workspace's settings. The path names the workspace the request is about.

use axum::extract::State;
use types::id::WorkspaceId;
use types::identity::{UpdateWorkspace, Workspace};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::compose::App;
use crate::http::{Authenticated, IfMatch, Json, Result, Tagged};

pub(super) fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new().routes(routes!(find_workspace, update_workspace))
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
