//! `/me/views`: saved views of lists, one's own and those others share in the workspace of the request.

use axum::extract::State;
use axum::http::StatusCode;
use kernel::page::{Order, page};
use serde::Deserialize;
use types::id::ViewId;
use types::page::{Page, PageQuery};
use types::view::{CreateView, SavedView, UpdateView, ViewPage};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::compose::App;
use crate::http::{Authenticated, IfMatch, Json, Path, Query, Result, Tagged};

pub(super) fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new().routes(routes!(list_views, create_view)).routes(routes!(find_view, update_view, delete_view))
}

/// Which views.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
struct ViewQuery {
    /// Of which list; without it, of all.
    page: Option<ViewPage>,
    /// 1–200, default 50.
    limit: Option<u32>,
    /// `next_cursor` of the page before, of the same list.
    cursor: Option<String>,
}

/// The views one sees, one's own and the shared ones, by name.
#[utoipa::path(
    get, path = "/me/views", tag = "identity", params(ViewQuery),
    responses((status = 200, description = "The views", body = Page<SavedView>)),
)]
async fn list_views(
    State(app): State<App>,
    Authenticated(ctx): Authenticated,
    Query(query): Query<ViewQuery>,
) -> Result<Json<Page<SavedView>>> {
    let views = app.views.list_views(&ctx, query.page).await?;
    Ok(Json(page(views, Order::ByName, &PageQuery { limit: query.limit, cursor: query.cursor })?))
}

/// Saves a view of one's own, at most 100 in a workspace. Sharing it takes the role of a developer.
#[utoipa::path(
    post, path = "/me/views", tag = "identity", request_body = CreateView,
    responses((status = 201, description = "The view", body = SavedView)),
)]
async fn create_view(
    State(app): State<App>,
    Authenticated(ctx): Authenticated,
    Json(command): Json<CreateView>,
) -> Result<Tagged<SavedView>> {
    let view = app.views.create_view(&ctx, &command).await?;
    let version = view.version;
    Ok(Tagged::created(view, version))
}

/// One view.
#[utoipa::path(
    get, path = "/me/views/{id}", tag = "identity", params(("id" = ViewId, Path, description = "The view")),
    responses((status = 200, description = "The view", body = SavedView)),
)]
async fn find_view(
    State(app): State<App>,
    Authenticated(ctx): Authenticated,
    Path(id): Path<ViewId>,
) -> Result<Tagged<SavedView>> {
    let view = app.views.find_view(&ctx, id).await?;
    let version = view.version;
    Ok(Tagged::new(view, version))
}

/// Changes a view; absent members stay. Only its owner changes name, query and sharing, with `If-Match`; `default` everybody
/// who sees it says for themselves, alone also without.
#[utoipa::path(
    patch, path = "/me/views/{id}", tag = "identity", request_body = UpdateView,
    params(
        ("id" = ViewId, Path, description = "The view"),
        ("If-Match" = Option<String>, Header, description = "The `ETag` that was read; not needed where only `default` is sent"),
    ),
    responses((status = 200, description = "The view as it is now", body = SavedView)),
)]
async fn update_view(
    State(app): State<App>,
    Authenticated(ctx): Authenticated,
    Path(id): Path<ViewId>,
    seen: IfMatch,
    Json(command): Json<UpdateView>,
) -> Result<Tagged<SavedView>> {
    let view = app.views.update_view(&ctx, id, seen.version(), &command).await?;
    let version = view.version;
    Ok(Tagged::new(view, version))
}

/// Deletes a view of one's own, or, as who may change the workspace, a shared one of somebody else.
#[utoipa::path(
    delete, path = "/me/views/{id}", tag = "identity", params(("id" = ViewId, Path, description = "The view")),
    responses((status = 204, description = "Deleted: no list opens with it any more")),
)]
async fn delete_view(
    State(app): State<App>,
    Authenticated(ctx): Authenticated,
    Path(id): Path<ViewId>,
) -> Result<StatusCode> {
    app.views.delete_view(&ctx, id).await?;
    Ok(StatusCode::NO_CONTENT)
}
