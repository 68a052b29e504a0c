//! Provider accounts, their models and prices.

use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use types::egress::EgressOffer;
use types::id::{FormKey, ModelId, ProviderId};
use types::modelhub::{
    Capability, CreateModel, CreatePrice, CreateProvider, Model, Price, Provider, UpdateModel, UpdateProvider,
};
use types::name::Slug;

use super::{Answer, List};

/// A model and what it costs now.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModelView {
    /// The model.
    pub model: Model,
    /// The price in force; absent means calls to it are unpriced.
    pub price: Option<Price>,
}

/// A provider account with its models.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProviderView {
    /// The account.
    pub provider: Provider,
    /// Its models, by name.
    pub models: Vec<ModelView>,
    /// Whether calls to it may leave, and the rule that would let them; absent when that could not be judged.
    pub egress: Option<EgressOffer>,
}

/// A family of built-in test models: `model:test:{name}`, where the name may hold a parameter.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TestModel {
    /// The ref with its parameter in braces: `model:test:tokens-{n}`.
    pub pattern: String,
    /// A ref that can be called as it stands.
    pub example: String,
    /// What it can do.
    pub capabilities: Vec<Capability>,
}

/// Everything that can be called.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ModelHub {
    /// Provider accounts, newest first.
    pub providers: List<ProviderView>,
    /// Models of all accounts.
    pub model_count: usize,
    /// The built-in models; empty where the deployment refuses them.
    pub test_models: Vec<TestModel>,
}

/// Provider accounts, their models and prices.
#[async_trait]
pub trait Models: Send + Sync {
    /// Everything that can be called; the accounts after a cursor.
    async fn find_model_hub(&self, workspace: &Slug, after: Option<String>) -> Answer<ModelHub>;

    /// Prices of the workspace, newest first, after a cursor.
    async fn list_prices(&self, workspace: &Slug, after: Option<String>) -> Answer<List<Price>>;

    /// One account with its models.
    async fn find_provider(&self, workspace: &Slug, id: ProviderId) -> Answer<ProviderView>;

    /// Makes a provider account.
    async fn create_provider(
        &self,
        workspace: &Slug,
        form_key: Option<FormKey>,
        command: CreateProvider,
    ) -> Answer<Provider>;

    /// Changes an account that is still at `version`.
    async fn update_provider(
        &self,
        workspace: &Slug,
        id: ProviderId,
        version: u64,
        command: UpdateProvider,
    ) -> Answer<Provider>;

    /// Deletes an account without models.
    async fn delete_provider(&self, workspace: &Slug, id: ProviderId) -> Answer<()>;

    /// Adds a model to an account.
    async fn create_model(
        &self,
        workspace: &Slug,
        form_key: Option<FormKey>,
        provider: ProviderId,
        command: CreateModel,
    ) -> Answer<Model>;

    /// Changes a model that is still at `version`.
    async fn update_model(&self, workspace: &Slug, id: ModelId, version: u64, command: UpdateModel) -> Answer<Model>;

    /// Makes a price.
    async fn create_price(&self, workspace: &Slug, form_key: Option<FormKey>, command: CreatePrice) -> Answer<Price>;
}
