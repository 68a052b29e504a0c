//! Server functions of provider accounts, models and prices.

use leptos::prelude::*;
use types::id::{FormKey, ModelId, ProviderId};
use types::modelhub::{self, Model, Price, Provider, ProviderStatus};
use types::name::Slug;

use super::{Seen, ask, change, submit};
use crate::backend::models::{ModelHub, ProviderView};
use crate::backend::{List, redirect};
use crate::error::{AppError, Typed};
use crate::form::{ModelForm, PriceForm, ProviderForm};
use crate::route::At;

/// Everything that can be called; one page of the accounts.
#[server(prefix = "/ui/fn", endpoint = "find_model_hub")]
pub(crate) async fn find_model_hub(workspace: Slug, after: Option<String>) -> Result<ModelHub, AppError> {
    ask(|backend| async move { backend.models.find_model_hub(&workspace, after).await }).await
}

/// One page of the prices.
#[server(prefix = "/ui/fn", endpoint = "list_prices")]
pub(crate) async fn list_prices(workspace: Slug, after: Option<String>) -> Result<List<Price>, AppError> {
    ask(|backend| async move { backend.models.list_prices(&workspace, after).await }).await
}

/// One provider account.
#[server(prefix = "/ui/fn", endpoint = "find_provider")]
pub(crate) async fn find_provider(workspace: Slug, id: ProviderId) -> Result<ProviderView, AppError> {
    ask(|backend| async move { backend.models.find_provider(&workspace, id).await }).await
}

/// Makes a provider account and leads to it.
#[server(prefix = "/ui/fn", endpoint = "create_provider")]
pub(crate) async fn create_provider(
    workspace: Slug,
    form_key: Option<FormKey>,
    form: ProviderForm,
    credential: String,
) -> Result<Provider, AppError> {
    let at = At::workspace(&workspace);
    let provider = submit(&form, form.create(&credential), |backend, command| async move {
        backend.models.create_provider(&workspace, form_key, command).await
    })
    .await?;
    redirect(&at.provider(provider.id));
    Ok(provider)
}

/// Changes a provider account.
#[server(prefix = "/ui/fn", endpoint = "update_provider")]
pub(crate) async fn update_provider(
    workspace: Slug,
    id: ProviderId,
    version: u64,
    form: ProviderForm,
    credential: String,
    seen: Option<Typed>,
) -> Result<Provider, AppError> {
    let seen = Seen { id: Some(id.to_string()), version, fields: seen };
    change(&form, seen, form.update(&credential), |backend, command| async move {
        backend.models.update_provider(&workspace, id, version, command).await
    })
    .await
}

/// Switches a provider account on or off.
#[server(prefix = "/ui/fn", endpoint = "set_provider_status")]
pub(crate) async fn set_provider_status(
    workspace: Slug,
    id: ProviderId,
    version: u64,
    status: ProviderStatus,
) -> Result<Provider, AppError> {
    let command = modelhub::UpdateProvider { status: Some(status), ..modelhub::UpdateProvider::default() };
    ask(|backend| async move { backend.models.update_provider(&workspace, id, version, command).await }).await
}

/// Deletes a provider account.
#[server(prefix = "/ui/fn", endpoint = "delete_provider")]
pub(crate) async fn delete_provider(workspace: Slug, id: ProviderId) -> Result<(), AppError> {
    let at = At::workspace(&workspace);
    ask(|backend| async move { backend.models.delete_provider(&workspace, id).await }).await?;
    redirect(&at.models());
    Ok(())
}

/// Adds a model to an account.
#[server(prefix = "/ui/fn", endpoint = "create_model")]
pub(crate) async fn create_model(
    workspace: Slug,
    form_key: Option<FormKey>,
    provider: ProviderId,
    form: ModelForm,
) -> Result<Model, AppError> {
    submit(&form, form.create(), |backend, command| async move {
        backend.models.create_model(&workspace, form_key, provider, command).await
    })
    .await
}

/// Changes a model.
#[server(prefix = "/ui/fn", endpoint = "update_model")]
pub(crate) async fn update_model(
    workspace: Slug,
    id: ModelId,
    version: u64,
    form: ModelForm,
    seen: Option<Typed>,
) -> Result<Model, AppError> {
    let at = At::workspace(&workspace);
    let seen = Seen { id: Some(id.to_string()), version, fields: seen };
    let model = change(&form, seen, form.update(), |backend, command| async move {
        backend.models.update_model(&workspace, id, version, command).await
    })
    .await?;
    redirect(&at.provider(model.provider_id));
    Ok(model)
}

/// Switches a model on or off.
#[server(prefix = "/ui/fn", endpoint = "set_model_enabled")]
pub(crate) async fn set_model_enabled(
    workspace: Slug,
    id: ModelId,
    version: u64,
    enabled: bool,
) -> Result<Model, AppError> {
    let command = modelhub::UpdateModel { enabled: Some(enabled), ..modelhub::UpdateModel::default() };
    ask(|backend| async move { backend.models.update_model(&workspace, id, version, command).await }).await
}

/// Makes a price.
#[server(prefix = "/ui/fn", endpoint = "create_price")]
pub(crate) async fn create_price(
    workspace: Slug,
    form_key: Option<FormKey>,
    form: PriceForm,
) -> Result<Price, AppError> {
    submit(&form, form.read(), |backend, command| async move {
        backend.models.create_price(&workspace, form_key, command).await
    })
    .await
}
