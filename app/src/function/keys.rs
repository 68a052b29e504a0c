//! Server functions of API keys.

use leptos::prelude::*;
use types::id::{ApiKeyId, FormKey};
use types::key::{ApiKey, RotateApiKey};
use types::name::Slug;

use super::{ask, submit};
use crate::backend::keys::{KeyView, Reveal};
use crate::backend::{List, redirect, redirect_as_post};
use crate::error::AppError;
use crate::form::KeyForm;
use crate::route::At;

/// One page of the keys.
#[server(prefix = "/ui/fn", endpoint = "list_keys")]
pub(crate) async fn list_keys(workspace: Slug, after: Option<String>) -> Result<List<KeyView>, AppError> {
    ask(|backend| async move { backend.keys.list_keys(&workspace, after).await }).await
}

/// The names of all keys.
#[server(prefix = "/ui/fn", endpoint = "list_key_names")]
pub(crate) async fn list_key_names(workspace: Slug) -> Result<Vec<(ApiKeyId, String)>, AppError> {
    ask(|backend| async move { backend.keys.list_key_names(&workspace).await }).await
}

/// One key.
#[server(prefix = "/ui/fn", endpoint = "find_key")]
pub(crate) async fn find_key(workspace: Slug, id: ApiKeyId) -> Result<KeyView, AppError> {
    ask(|backend| async move { backend.keys.find_key(&workspace, id).await }).await
}

/// Makes a key and leads to its one reveal.
#[server(prefix = "/ui/fn", endpoint = "create_key")]
pub(crate) async fn create_key(workspace: Slug, form_key: Option<FormKey>, form: KeyForm) -> Result<ApiKey, AppError> {
    let at = At::workspace(&workspace);
    let key = submit(&form, form.read(), |backend, command| async move {
        backend.keys.create_key(&workspace, form_key, command).await
    })
    .await?;
    redirect_as_post(&at.key_reveal(key.id));
    Ok(key)
}

/// Gives a key a new secret and leads to its one reveal.
#[server(prefix = "/ui/fn", endpoint = "rotate_key")]
pub(crate) async fn rotate_key(
    workspace: Slug,
    form_key: Option<FormKey>,
    id: ApiKeyId,
    overlap_seconds: u32,
) -> Result<ApiKey, AppError> {
    let at = At::workspace(&workspace);
    let command = RotateApiKey { overlap_seconds };
    let key = ask(|backend| async move { backend.keys.rotate_key(&workspace, form_key, id, command).await }).await?;
    redirect_as_post(&at.key_reveal(key.id));
    Ok(key)
}

/// Ends a key.
#[server(prefix = "/ui/fn", endpoint = "revoke_key")]
pub(crate) async fn revoke_key(workspace: Slug, id: ApiKeyId) -> Result<ApiKey, AppError> {
    let at = At::workspace(&workspace);
    let key = ask(|backend| async move { backend.keys.revoke_key(&workspace, id).await }).await?;
    redirect(&at.keys());
    Ok(key)
}

/// The secret of a new key, once.
#[server(prefix = "/ui/fn", endpoint = "take_reveal")]
pub(crate) async fn take_reveal(workspace: Slug, id: ApiKeyId) -> Result<Reveal, AppError> {
    ask(|backend| async move { backend.keys.take_reveal(&workspace, id).await }).await
}
