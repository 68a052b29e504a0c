//! Cost rows: one for each metered attempt.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use crate::id::{ApiKeyId, CostId, PriceId, ProviderId, RunId, StepId};
use crate::money::{Amount, Currency};
use crate::run::Usage;
use crate::word::words;

words! {
    /// Whether a row charges or corrects.
    pub enum CostKind {
        /// A charge.
        Charge = "charge",
        /// A correction.
        Adjustment = "adjustment",
    }
}
words! {
    /// Where the quantities come from.
    pub enum UsageBasis {
        /// The provider's own numbers.
        Provider = "provider",
        /// Counted with the model's tokenizer.
        Tokenizer = "tokenizer",
        /// Counted and scaled by a learned ratio.
        Calibrated = "calibrated",
        /// The worst case held.
        Hold = "hold",
        /// The images asked for.
        RequestedImages = "requested_images",
    }
}
words! {
    /// How sure the amount is.
    pub enum PricingStatus {
        /// The provider's usage at a known price.
        Priced = "priced",
        /// Counted or held usage at a known price.
        Estimated = "estimated",
        /// A price of zero, or a cache answered.
        Free = "free",
        /// No usable price: the amount is unknown, not zero.
        Unpriced = "unpriced",
    }
}

/// One metered attempt.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Cost {
    /// The row's id.
    pub id: CostId,
    /// Its run.
    pub run_id: RunId,
    /// Its step.
    pub step_id: StepId,
    /// Charge or correction.
    pub kind: CostKind,
    /// Admission: decides day, period and price.
    pub occurred_at: DateTime<Utc>,
    /// `step:{id}`: unique, so nothing is booked twice.
    pub source_ref: String,
    /// `llm`, `tools`, `egress` or `resource`.
    pub source_port: String,
    /// `chat`, `embedding` …
    pub operation: String,
    /// Provider kind.
    pub provider: String,
    /// Provider account; null for built-in models.
    pub provider_id: Option<ProviderId>,
    /// The model asked for.
    pub model_ref: String,
    /// The model that answered.
    pub target_ref: String,
    /// The provider's own name of the model.
    pub upstream_model: String,
    /// The provider's id of the answer.
    pub upstream_id: Option<String>,
    /// The provider's id of the request.
    pub upstream_request_id: Option<String>,
    /// Who pays.
    pub api_key_id: Option<ApiKeyId>,
    /// Quantities by class.
    pub usage: Usage,
    /// Where they come from.
    pub usage_basis: UsageBasis,
    /// How sure the amount is.
    pub pricing_status: PricingStatus,
    /// Why it is unpriced.
    pub reason: Option<String>,
    /// Null when unpriced.
    pub currency: Option<Currency>,
    /// Null when unpriced.
    pub amount: Option<Amount>,
    /// The price used.
    pub price_id: Option<PriceId>,
    /// Rates and lines as used, and the hold placed.
    #[schema(value_type = Object)]
    pub snapshot: serde_json::Value,
}
