//! What who runs the instance sees and does: accounts, and how the process is. Nothing of what is in a tenant.

use axum::extract::State;
use kernel::policy::guard;
use types::id::UserId;
use types::page::Page;
use types::tenant::{AccountDetail, AccountQuery, AccountView, Diagnostics, Setting};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::compose::App;
use crate::http::{Json, Path, Person, Query, Result};

pub(super) fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(list_users))
        .routes(routes!(find_user))
        .routes(routes!(disable_user))
        .routes(routes!(enable_user))
        .routes(routes!(find_diagnostics))
        .routes(routes!(list_settings))
}

/// Every account of the instance, in the order they were made.
#[utoipa::path(get, path = "/operator/users", tag = "operator", params(AccountQuery),
    responses((status = 200, description = "One page of accounts", body = Page<AccountView>)))]
async fn list_users(
    State(app): State<App>,
    Person(ctx): Person,
    Query(query): Query<AccountQuery>,
) -> Result<Json<Page<AccountView>>> {
    Ok(Json(app.identity.list_accounts(&ctx, &query).await?))
}

/// One account, with the tenants it belongs to.
#[utoipa::path(get, path = "/operator/users/{id}", tag = "operator",
    params(("id" = UserId, Path, description = "The person")),
    responses((status = 200, description = "The account", body = AccountDetail)))]
async fn find_user(State(app): State<App>, Person(ctx): Person, Path(id): Path<UserId>) -> Result<Json<AccountDetail>> {
    Ok(Json(app.identity.find_account(&ctx, id).await?))
}

/// Disables an account: its sessions end, its keys are revoked, and nothing starts with it any more.
#[utoipa::path(post, path = "/operator/users/{id}/disable", tag = "operator",
    params(("id" = UserId, Path, description = "The person")),
    responses((status = 200, description = "The account", body = AccountView)))]
async fn disable_user(
    State(app): State<App>,
    Person(ctx): Person,
    Path(id): Path<UserId>,
) -> Result<Json<AccountView>> {
    Ok(Json(app.identity.disable_user(&ctx, id).await?))
}

/// Lets a disabled account act again; what ended with it stays ended.
#[utoipa::path(post, path = "/operator/users/{id}/enable", tag = "operator",
    params(("id" = UserId, Path, description = "The person")),
    responses((status = 200, description = "The account", body = AccountView)))]
async fn enable_user(State(app): State<App>, Person(ctx): Person, Path(id): Path<UserId>) -> Result<Json<AccountView>> {
    Ok(Json(app.identity.enable_user(&ctx, id).await?))
}

/// How the process that answers is, and what it looks at.
#[utoipa::path(get, path = "/operator/diagnostics", tag = "operator",
    responses((status = 200, description = "Its health and version", body = Diagnostics)))]
async fn find_diagnostics(State(app): State<App>, Person(ctx): Person) -> Result<Json<Diagnostics>> {
    guard::authorize(&ctx, "instance.diagnostics")?;
    Ok(Json(app.health.diagnostics()))
}

/// The settings of the process that answers, as they took effect at its start. Of a secret it is told that it is set.
#[utoipa::path(get, path = "/operator/settings", tag = "operator",
    responses((status = 200, description = "Every setting", body = Page<Setting>)))]
async fn list_settings(State(app): State<App>, Person(ctx): Person) -> Result<Json<Page<Setting>>> {
    guard::authorize(&ctx, "instance.settings")?;
    let settings = app.config.settings.iter().map(|line| Setting {
        name: line.name.clone(),
        value: line.value.clone(),
        source: line.source.to_owned(),
    });
    Ok(Json(settings.collect::<Vec<_>>().into()))
}
