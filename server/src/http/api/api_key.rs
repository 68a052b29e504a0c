//! API keys.

use axum::extract::State;
use axum::http::StatusCode;
use kernel::page::{Order, page};
use types::id::ApiKeyId;
use types::key::{ApiKey, CreateApiKey, IssuedApiKey, ListedApiKey, RotateApiKey, UpdateApiKey};
use types::page::{Page, PageQuery};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::compose::App;
use crate::http::{Authenticated, IfMatch, Json, Path, Query, Result, Tagged};

pub(super) fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(list_api_keys, create_api_key))
        .routes(routes!(find_api_key, update_api_key, delete_api_key))
        .routes(routes!(revoke_api_key))
        .routes(routes!(rotate_api_key))
}

/// The keys one may see, newest first, revoked and expired ones included.
#[utoipa::path(get, path = "/api-keys", tag = "identity",
    params(PageQuery), responses((status = 200, description = "Keys without their secrets", body = Page<ListedApiKey>)))]
async fn list_api_keys(
    State(app): State<App>,
    Authenticated(ctx): Authenticated,
    Query(query): Query<PageQuery>,
) -> Result<Json<Page<ListedApiKey>>> {
    let Page { items, next_cursor } = page(app.identity.list_keys(&ctx).await?, Order::NewestFirst, &query)?;
    let spent = app.budgets.list_key_spend(&ctx, &items).await?;
    let items = items.into_iter().zip(spent).map(|(key, spent)| ListedApiKey { key, spent }).collect();
    Ok(Json(Page { items, next_cursor }))
}

/// Makes a key.
#[utoipa::path(post, path = "/api-keys", tag = "identity", request_body = CreateApiKey,
    responses((status = 201, description = "The key; its secret is shown this once", body = IssuedApiKey)))]
async fn create_api_key(
    State(app): State<App>,
    Authenticated(ctx): Authenticated,
    Json(command): Json<CreateApiKey>,
) -> Result<(StatusCode, Json<IssuedApiKey>)> {
    Ok((StatusCode::CREATED, Json(app.identity.create_key(&ctx, &command).await?.shown()?)))
}

/// One key.
#[utoipa::path(get, path = "/api-keys/{id}", tag = "identity", params(("id" = ApiKeyId, Path, description = "The key")),
    responses((status = 200, description = "The key without its secret", body = ApiKey)))]
async fn find_api_key(
    State(app): State<App>,
    Authenticated(ctx): Authenticated,
    Path(id): Path<ApiKeyId>,
) -> Result<Tagged<ApiKey>> {
    let key = app.identity.find_key(&ctx, id).await?;
    let version = key.version;
    Ok(Tagged::new(key, version))
}

/// Changes a key's name and limits. Lifting a limit takes more power than setting one.
#[utoipa::path(patch, path = "/api-keys/{id}", tag = "identity", request_body = UpdateApiKey,
    params(("id" = ApiKeyId, Path, description = "The key"), ("If-Match" = String, Header, description = "Its `ETag`")),
    responses((status = 200, description = "The key as it is now", body = ApiKey)))]
async fn update_api_key(
    State(app): State<App>,
    Authenticated(ctx): Authenticated,
    Path(id): Path<ApiKeyId>,
    seen: IfMatch,
    Json(command): Json<UpdateApiKey>,
) -> Result<Tagged<ApiKey>> {
    let key = app.identity.update_key(&ctx, id, seen.version(), &command).await?;
    let version = key.version;
    Ok(Tagged::new(key, version))
}

/// Ends a key. It stays listed as revoked.
#[utoipa::path(delete, path = "/api-keys/{id}", tag = "identity", params(("id" = ApiKeyId, Path, description = "The key")),
    responses((status = 204, description = "Ended: no call starts with it any more")))]
async fn delete_api_key(
    State(app): State<App>,
    Authenticated(ctx): Authenticated,
    Path(id): Path<ApiKeyId>,
) -> Result<StatusCode> {
    app.identity.revoke_key(&ctx, id).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Ends a key and shows what is left of it.
#[utoipa::path(post, path = "/api-keys/{id}/revoke", tag = "identity", params(("id" = ApiKeyId, Path, description = "The key")),
    responses((status = 200, description = "Ended: no call starts with it any more", body = ApiKey)))]
async fn revoke_api_key(
    State(app): State<App>,
    Authenticated(ctx): Authenticated,
    Path(id): Path<ApiKeyId>,
) -> Result<Json<ApiKey>> {
    Ok(Json(app.identity.revoke_key(&ctx, id).await?))
}

/// Gives a key a new secret. The old one may live on for `overlap_seconds`.
#[utoipa::path(post, path = "/api-keys/{id}/rotate", tag = "identity", request_body = RotateApiKey,
    params(("id" = ApiKeyId, Path, description = "The key")),
    responses((status = 200, description = "The key; its new secret is shown this once", body = IssuedApiKey)))]
async fn rotate_api_key(
    State(app): State<App>,
    Authenticated(ctx): Authenticated,
    Path(id): Path<ApiKeyId>,
    Json(command): Json<RotateApiKey>,
) -> Result<Json<IssuedApiKey>> {
    Ok(Json(app.identity.rotate_key(&ctx, id, &command).await?.shown()?))
}
