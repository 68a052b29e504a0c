//! Provider accounts, their models and prices.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use crate::egress::EgressOffer;
use crate::id::{ModelId, PriceId, ProviderId, RunId, SecretId};
use crate::money::{Currency, Rate};
use crate::name::{Name, Slug};
use crate::problem::Code;
use crate::run::UsageClass;
use crate::word::words;

words! {
    /// Which wire a provider account speaks.
    pub enum ProviderKind {
        /// Chat, embeddings and models as OpenAI's public API has them.
        OpenaiCompatible = "openai_compatible",
        /// The built-in deterministic provider.
        Test = "test",
    }
}
words! {
    /// Whether an account may be called.
    pub enum ProviderStatus {
        /// It may.
        Active = "active",
        /// It may not.
        Disabled = "disabled",
    }
}
words! {
    /// What a model can do.
    pub enum Capability {
        /// Chat completions.
        Chat = "chat",
        /// Streams.
        Stream = "stream",
        /// Tool calls.
        Tools = "tools",
        /// JSON output by schema.
        JsonSchema = "json_schema",
        /// Image input.
        Vision = "vision",
        /// Embeddings.
        Embedding = "embedding",
    }
}
words! {
    /// What counts a model's tokens before a call, and after it where the provider does not.
    pub enum Tokenizer {
        /// The encoding that is public for the model's name, else a careful guess.
        Auto = "auto",
        /// Of GPT-4o and later.
        O200kBase = "o200k_base",
        /// Of GPT-4 and GPT-3.5.
        Cl100kBase = "cl100k_base",
    }
}

/// A provider account.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Provider {
    /// The account's id.
    pub id: ProviderId,
    /// Its name.
    pub name: Name,
    /// The middle of its models' refs: `model:{slug}:{id}`.
    pub slug: Slug,
    /// Which wire it speaks.
    pub kind: ProviderKind,
    /// Where, ending in the version segment: `https://api.example.com/v1`.
    pub base_url: String,
    /// The sealed credential, if one is set.
    pub secret_id: Option<SecretId>,
    /// Whether it may be called.
    pub status: ProviderStatus,
    /// Calls at once from one process.
    pub max_concurrency: u32,
    /// Own retries of one call before content arrived.
    pub max_retries: u32,
    /// Milliseconds a whole call may take; null means the deployment's.
    pub timeout_ms: Option<u64>,
    /// For `If-Match`.
    pub version: u64,
    /// When it was made.
    pub created_at: DateTime<Utc>,
}

/// A provider account, and what it takes to let its calls out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct ProviderAnswer {
    /// The account.
    #[serde(flatten)]
    pub provider: Provider,
    /// The egress rule that fits its base URL; null where that could not be judged in time.
    pub egress: Option<EgressOffer>,
}

/// Makes a provider account.
#[derive(Clone, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct CreateProvider {
    /// 1–80 characters.
    pub name: Name,
    /// Unique in the workspace; `test` is taken.
    pub slug: Slug,
    /// Which wire it speaks.
    pub kind: ProviderKind,
    /// Where.
    pub base_url: String,
    /// Write-only; kept sealed.
    #[serde(default)]
    pub credential: Option<String>,
    /// 1–10000, default 256.
    #[serde(default)]
    pub max_concurrency: Option<u32>,
    /// 0–5, default 2.
    #[serde(default)]
    pub max_retries: Option<u32>,
    /// 1000–1800000.
    #[serde(default)]
    pub timeout_ms: Option<u64>,
}

/// Changes a provider account; absent members stay.
#[derive(Clone, Default, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields, default)]
pub struct UpdateProvider {
    /// A new name.
    pub name: Option<Name>,
    /// A new base URL.
    pub base_url: Option<String>,
    /// A new credential; write-only. Null removes the present one.
    #[serde(deserialize_with = "crate::patch::present", skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    pub credential: Option<Option<String>>,
    /// Active or disabled.
    pub status: Option<ProviderStatus>,
    /// 1–10000.
    pub max_concurrency: Option<u32>,
    /// 0–5.
    pub max_retries: Option<u32>,
    /// 1000–1800000.
    pub timeout_ms: Option<u64>,
}

/// Whether a provider account answered a small call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct ProviderCheck {
    /// It did.
    pub ok: bool,
    /// The model that was called.
    pub model_ref: String,
    /// Why not.
    pub code: Option<Code>,
    /// What happened and what to do.
    pub detail: Option<String>,
    /// Milliseconds the call took.
    pub latency_ms: u64,
    /// The call's run.
    pub run_id: Option<RunId>,
}

/// A model of a provider account.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Model {
    /// The model's id.
    pub id: ModelId,
    /// Its account.
    pub provider_id: ProviderId,
    /// The provider's own name, at most 200 characters.
    pub model_id: String,
    /// `model:{account slug}:{model_id}`.
    pub model_ref: String,
    /// Its name.
    pub display_name: String,
    /// What it can do.
    pub capabilities: Vec<Capability>,
    /// Tokens of prompt and answer together; null means unknown.
    pub context_window: Option<u64>,
    /// Most tokens of an answer; null means unknown.
    pub max_output_tokens: Option<u64>,
    /// What counts its tokens where the provider does not.
    pub tokenizer: Tokenizer,
    /// Whether it may be called.
    pub enabled: bool,
    /// For `If-Match`.
    pub version: u64,
    /// When it was made.
    pub created_at: DateTime<Utc>,
}

/// Makes a model.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct CreateModel {
    /// The provider's own name, 1–200 characters.
    pub model_id: String,
    /// Default: the provider's own name.
    #[serde(default)]
    pub display_name: Option<String>,
    /// What it can do; default chat, stream, tools.
    #[serde(default)]
    pub capabilities: Option<Vec<Capability>>,
    /// Tokens of prompt and answer together.
    #[serde(default)]
    pub context_window: Option<u64>,
    /// Most tokens of an answer.
    #[serde(default)]
    pub max_output_tokens: Option<u64>,
    /// What counts its tokens where the provider does not; default `auto`.
    #[serde(default)]
    pub tokenizer: Option<Tokenizer>,
    /// Makes a price for it too.
    #[serde(default)]
    pub pricing: Option<Pricing>,
}

/// Changes a model; absent members stay.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields, default)]
pub struct UpdateModel {
    /// A new name.
    pub display_name: Option<String>,
    /// What it can do.
    pub capabilities: Option<Vec<Capability>>,
    /// Tokens of prompt and answer together.
    pub context_window: Option<u64>,
    /// Most tokens of an answer.
    pub max_output_tokens: Option<u64>,
    /// What counts its tokens where the provider does not.
    pub tokenizer: Option<Tokenizer>,
    /// Whether it may be called.
    pub enabled: Option<bool>,
    /// Makes a new price for it.
    pub pricing: Option<Pricing>,
}

/// Rates by usage class, per million units.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Pricing {
    /// ISO 4217 code.
    pub currency: Currency,
    /// `{"input": "0.15", "output": "0.6"}`: per million tokens.
    pub rates: BTreeMap<UsageClass, Rate>,
}

/// An immutable price of a workspace.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Price {
    /// The price's id.
    pub id: PriceId,
    /// The model ref it matches: exact, or a prefix ending in `*`.
    pub match_ref: String,
    /// ISO 4217 code.
    pub currency: Currency,
    /// Per million units.
    pub rates: BTreeMap<UsageClass, Rate>,
    /// From when it counts.
    pub valid_from: DateTime<Utc>,
    /// Where it comes from.
    pub note: String,
    /// When it was made.
    pub created_at: DateTime<Utc>,
}

/// Makes a price.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct CreatePrice {
    /// A model ref (`model:openai:gpt-4o`), or a prefix ending in `*`.
    pub match_ref: String,
    /// ISO 4217 code.
    pub currency: Currency,
    /// Per million units; chat needs `input` and `output`.
    pub rates: BTreeMap<UsageClass, Rate>,
    /// Default now; not in the past.
    #[serde(default)]
    pub valid_from: Option<DateTime<Utc>>,
    /// At most 200 characters.
    #[serde(default)]
    pub note: String,
}

/// Which price a call at a moment would have, and why.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct PriceResolution {
    /// The model asked about.
    pub model_ref: String,
    /// The moment.
    pub at: DateTime<Utc>,
    /// The price; null means such a call is unpriced.
    pub price: Option<Price>,
    /// `exact`, `prefix`, or `pricing_not_configured`.
    pub reason: String,
}
