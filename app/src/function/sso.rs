//! Server functions of connections to identity providers, and of one's own links.

use leptos::prelude::*;
use types::id::{FormKey, SsoConnectionId, SsoLinkId};
use types::name::Slug;
use types::sso::{OidcCheck, OidcConnection, SsoLinks};

use super::{Seen, ask, change, submit};
use crate::backend::redirect;
use crate::error::{AppError, Typed};
use crate::form::SsoForm;
use crate::query::Params;
use crate::route;

/// The tenant's connections.
#[server(prefix = "/ui/fn", endpoint = "list_sso_connections")]
pub(crate) async fn list_sso_connections(tenant: Slug) -> Result<Vec<OidcConnection>, AppError> {
    ask(|backend| async move { backend.sso.list_sso_connections(&tenant).await }).await
}

/// Makes a connection.
#[server(prefix = "/ui/fn", endpoint = "create_sso_connection")]
pub(crate) async fn create_sso_connection(
    tenant: Slug,
    form_key: Option<FormKey>,
    form: SsoForm,
    client_secret: String,
) -> Result<OidcConnection, AppError> {
    submit(&form, form.create(&client_secret), |backend, command| async move {
        backend.sso.create_sso_connection(&tenant, form_key, command).await
    })
    .await
}

/// Changes a connection.
#[server(prefix = "/ui/fn", endpoint = "update_sso_connection")]
pub(crate) async fn update_sso_connection(
    tenant: Slug,
    id: SsoConnectionId,
    version: u64,
    form: SsoForm,
    client_secret: String,
    seen: Option<Typed>,
) -> Result<OidcConnection, AppError> {
    let seen = Seen { id: Some(id.to_string()), version, fields: seen };
    change(&form, seen, form.update(&client_secret), |backend, command| async move {
        backend.sso.update_sso_connection(&tenant, id, version, command).await
    })
    .await
}

/// Deletes a connection.
#[server(prefix = "/ui/fn", endpoint = "delete_sso_connection")]
pub(crate) async fn delete_sso_connection(tenant: Slug, id: SsoConnectionId) -> Result<(), AppError> {
    ask(|backend| async move { backend.sso.delete_sso_connection(&tenant, id).await }).await
}

/// Whether a provider answers as it must; leads back to the page, which says so.
#[server(prefix = "/ui/fn", endpoint = "test_sso_connection")]
pub(crate) async fn test_sso_connection(tenant: Slug, id: SsoConnectionId) -> Result<OidcCheck, AppError> {
    let page = route::tenant_sso(&tenant);
    let check = ask(|backend| async move { backend.sso.test_sso_connection(&tenant, id).await }).await?;
    let result = check.code.map_or_else(|| "ok".to_owned(), |code| code.to_string());
    redirect(&Params::default().with("tested", &id.to_string()).with("result", &result).at(&page));
    Ok(check)
}

/// One's own links.
#[server(prefix = "/ui/fn", endpoint = "list_sso_links")]
pub(crate) async fn list_sso_links() -> Result<SsoLinks, AppError> {
    ask(|backend| async move { backend.sso.list_sso_links().await }).await
}

/// Takes one of one's links away.
#[server(prefix = "/ui/fn", endpoint = "unlink_sso")]
pub(crate) async fn unlink_sso(id: SsoLinkId) -> Result<(), AppError> {
    ask(|backend| async move { backend.sso.unlink_sso(id).await }).await
}
