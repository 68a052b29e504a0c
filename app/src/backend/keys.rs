//! API keys.

use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use types::id::{ApiKeyId, FormKey};
use types::key::{ApiKey, CreateApiKey, RotateApiKey};
use types::money::Money;
use types::name::Slug;

use super::budgets::BudgetView;
use super::{Answer, List};

/// A limit of a key that counts something, and where it stands.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LimitState {
    /// `requests_per_minute`, `requests_per_day` or `tokens_per_day`.
    pub name: String,
    /// What is allowed.
    pub limit: u64,
    /// What is used of it now.
    pub used: u64,
}

/// A key as the list shows it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeyView {
    /// The key.
    pub key: ApiKey,
    /// Its issuer's name.
    pub issuer: Option<String>,
    /// The name of the service principal that acts with it, if one does.
    pub principal: Option<String>,
    /// Charges of this calendar month, one entry a currency.
    pub spent: Vec<Money>,
    /// Its own counted limits.
    pub limits: Vec<LimitState>,
    /// The active budgets that bind it.
    pub budgets: Vec<BudgetView>,
}

/// The secret of a key, on its way to whoever made it.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reveal {
    /// It is handed out by this answer.
    Secret(String),
    /// It waits for a POST.
    Waiting,
    /// It was handed out, or it waited too long.
    Gone,
    /// It was never to be shown: a mail brings it.
    Sent,
}

/// API keys.
///
/// The secret of a new key never travels in a URL or in the answer of a form. [`create_key`](Keys::create_key) and
/// [`rotate_key`](Keys::rotate_key) keep it for the session that made it, for five minutes, and
/// [`take_reveal`](Keys::take_reveal) hands it out once, in the answer to a POST: to look at a page, or to load it ahead,
/// takes nothing.
#[async_trait]
pub trait Keys: Send + Sync {
    /// The keys one may see, newest first, after a cursor.
    async fn list_keys(&self, workspace: &Slug, after: Option<String>) -> Answer<List<KeyView>>;

    /// The names of all of them.
    async fn list_key_names(&self, workspace: &Slug) -> Answer<Vec<(ApiKeyId, String)>>;

    /// One of them.
    async fn find_key(&self, workspace: &Slug, id: ApiKeyId) -> Answer<KeyView>;

    /// Makes a key and keeps its secret for one reveal.
    async fn create_key(&self, workspace: &Slug, form_key: Option<FormKey>, command: CreateApiKey) -> Answer<ApiKey>;

    /// Gives a key a new secret and keeps it for one reveal.
    async fn rotate_key(
        &self,
        workspace: &Slug,
        form_key: Option<FormKey>,
        id: ApiKeyId,
        command: RotateApiKey,
    ) -> Answer<ApiKey>;

    /// Ends a key.
    async fn revoke_key(&self, workspace: &Slug, id: ApiKeyId) -> Answer<ApiKey>;

    /// The kept secret of a key this session made or rotated, the first time a POST asks for it.
    async fn take_reveal(&self, workspace: &Slug, id: ApiKeyId) -> Answer<Reveal>;
}
