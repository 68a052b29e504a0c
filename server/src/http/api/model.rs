//! `/modelhub/providers/{id}/models`: the models of an account.

use axum::extract::State;
use kernel::page::{Order, page};
use types::id::{ModelId, ProviderId};
use types::modelhub::{CreateModel, Model, UpdateModel};
use types::page::{Page, PageQuery};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::compose::App;
use crate::http::{Authenticated, IfMatch, Json, Path, Query, Result, Tagged};

pub(super) fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new().routes(routes!(list_models, create_model)).routes(routes!(find_model, update_model))
}

/// The models of an account, oldest first.
#[utoipa::path(
    get, path = "/modelhub/providers/{id}/models", tag = "modelhub", params(("id" = ProviderId, Path), PageQuery),
    responses((status = 200, description = "The models", body = Page<Model>)),
)]
async fn list_models(
    State(app): State<App>,
    Authenticated(ctx): Authenticated,
    Path(id): Path<ProviderId>,
    Query(query): Query<PageQuery>,
) -> Result<Json<Page<Model>>> {
    Ok(Json(page(app.modelhub.list_models(&ctx, id).await?, Order::OldestFirst, &query)?))
}

/// Adds a model to an account, with a price if `pricing` is given.
#[utoipa::path(
    post, path = "/modelhub/providers/{id}/models", tag = "modelhub", request_body = CreateModel,
    params(("id" = ProviderId, Path)),
    responses((status = 201, description = "The model", body = Model)),
)]
async fn create_model(
    State(app): State<App>,
    Authenticated(ctx): Authenticated,
    Path(id): Path<ProviderId>,
    Json(command): Json<CreateModel>,
) -> Result<Tagged<Model>> {
    let model = app.modelhub.create_model(&ctx, id, command).await?;
    let version = model.version;
    Ok(Tagged::created(model, version))
}

/// One model.
#[utoipa::path(
    get, path = "/modelhub/providers/{id}/models/{model_id}", tag = "modelhub",
    params(("id" = ProviderId, Path), ("model_id" = ModelId, Path)),
    responses((status = 200, description = "The model", body = Model)),
)]
async fn find_model(
    State(app): State<App>,
    Authenticated(ctx): Authenticated,
    Path((id, model_id)): Path<(ProviderId, ModelId)>,
) -> Result<Tagged<Model>> {
    let model = app.modelhub.find_model(&ctx, Some(id), model_id).await?;
    let version = model.version;
    Ok(Tagged::new(model, version))
}

/// Changes a model; absent members stay, `pricing` makes a new price. Needs `If-Match`.
#[utoipa::path(
    patch, path = "/modelhub/providers/{id}/models/{model_id}", tag = "modelhub", request_body = UpdateModel,
    params(
        ("id" = ProviderId, Path),
        ("model_id" = ModelId, Path),
        ("If-Match" = String, Header, description = "The `ETag` that was read"),
    ),
    responses((status = 200, description = "The model as it is now", body = Model)),
)]
async fn update_model(
    State(app): State<App>,
    Authenticated(ctx): Authenticated,
    Path((id, model_id)): Path<(ProviderId, ModelId)>,
    if_match: IfMatch,
    Json(command): Json<UpdateModel>,
) -> Result<Tagged<Model>> {
    app.modelhub.find_model(&ctx, Some(id), model_id).await?;
    let model = app.modelhub.update_model(&ctx, model_id, if_match.version(), command).await?;
    let version = model.version;
    Ok(Tagged::new(model, version))
}
