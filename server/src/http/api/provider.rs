//! `/modelhub/providers`: provider accounts.

use axum::extract::State;
use axum::http::StatusCode;
use kernel::page::{Order, page};
use types::id::ProviderId;
use types::modelhub::{CreateProvider, Provider, ProviderAnswer, ProviderCheck, UpdateProvider};
use types::page::{Page, PageQuery};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::compose::App;
use crate::http::{Authenticated, IfMatch, Json, Path, Query, Result, Tagged};

pub(super) fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(list_providers, create_provider))
        .routes(routes!(find_provider, update_provider, delete_provider))
        .routes(routes!(check_provider))
}

/// The workspace's provider accounts, oldest first.
#[utoipa::path(
    get, path = "/modelhub/providers", tag = "modelhub",
    params(PageQuery), responses((status = 200, description = "The accounts", body = Page<Provider>)),
)]
async fn list_providers(
    State(app): State<App>,
    Authenticated(ctx): Authenticated,
    Query(query): Query<PageQuery>,
) -> Result<Json<Page<Provider>>> {
    Ok(Json(page(app.modelhub.list_providers(&ctx).await?, Order::OldestFirst, &query)?))
}

/// Makes a provider account. The answer offers the egress rule that would let its calls out; adding it is another act.
#[utoipa::path(
    post, path = "/modelhub/providers", tag = "modelhub", request_body = CreateProvider,
    responses((status = 201, description = "The account, and what it takes to let its calls out", body = ProviderAnswer)),
)]
async fn create_provider(
    State(app): State<App>,
    Authenticated(ctx): Authenticated,
    Json(command): Json<CreateProvider>,
) -> Result<Tagged<ProviderAnswer>> {
    let provider = app.modelhub.create_provider(&ctx, command).await?;
    let egress = app.modelhub.find_egress_offer(&ctx, &provider).await?;
    Ok(Tagged::created(ProviderAnswer { provider, egress }, 1))
}

/// One provider account.
#[utoipa::path(
    get, path = "/modelhub/providers/{id}", tag = "modelhub", params(("id" = ProviderId, Path)),
    responses((status = 200, description = "The account, and what it takes to let its calls out", body = ProviderAnswer)),
)]
async fn find_provider(
    State(app): State<App>,
    Authenticated(ctx): Authenticated,
    Path(id): Path<ProviderId>,
) -> Result<Tagged<ProviderAnswer>> {
    let provider = app.modelhub.find_provider(&ctx, id).await?;
    let egress = app.modelhub.find_egress_offer(&ctx, &provider).await?;
    let version = provider.version;
    Ok(Tagged::new(ProviderAnswer { provider, egress }, version))
}

/// Changes a provider account; absent members stay. Needs `If-Match`.
#[utoipa::path(
    patch, path = "/modelhub/providers/{id}", tag = "modelhub", request_body = UpdateProvider,
    params(("id" = ProviderId, Path), ("If-Match" = String, Header, description = "The `ETag` that was read")),
    responses((status = 200, description = "The account as it is now", body = ProviderAnswer)),
)]
async fn update_provider(
    State(app): State<App>,
    Authenticated(ctx): Authenticated,
    Path(id): Path<ProviderId>,
    if_match: IfMatch,
    Json(command): Json<UpdateProvider>,
) -> Result<Tagged<ProviderAnswer>> {
    let provider = app.modelhub.update_provider(&ctx, id, if_match.version(), command).await?;
    let egress = app.modelhub.find_egress_offer(&ctx, &provider).await?;
    let version = provider.version;
    Ok(Tagged::new(ProviderAnswer { provider, egress }, version))
}

/// Deletes a provider account none of whose models is enabled, and its credential.
#[utoipa::path(
    delete, path = "/modelhub/providers/{id}", tag = "modelhub", params(("id" = ProviderId, Path)),
    responses((status = 204, description = "It is gone")),
)]
async fn delete_provider(
    State(app): State<App>,
    Authenticated(ctx): Authenticated,
    Path(id): Path<ProviderId>,
) -> Result<StatusCode> {
    app.modelhub.delete_provider(&ctx, id).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Calls the account's first enabled model with a few tokens. The call is a run like any other, and is charged like one.
#[utoipa::path(
    post, path = "/modelhub/providers/{id}/healthcheck", tag = "modelhub", params(("id" = ProviderId, Path)),
    responses((status = 200, description = "Whether it answered", body = ProviderCheck)),
)]
async fn check_provider(
    State(app): State<App>,
    Authenticated(ctx): Authenticated,
    Path(id): Path<ProviderId>,
) -> Result<Json<ProviderCheck>> {
    Ok(Json(app.modelhub.check_provider(&ctx, &app.gateway, id).await?))
}
