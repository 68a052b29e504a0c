//! API keys: what they may, and the one time their secret is shown.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use crate::id::{ApiKeyId, ServicePrincipalId, UserId};
use crate::identity::Scope;
use crate::money::Money;
use crate::name::Name;
use crate::run::Capture;
use crate::word::words;

words! {
    /// Whether a key works.
    pub enum KeyStatus {
        /// It works.
        Active = "active",
        /// Its time is over.
        Expired = "expired",
        /// Someone revoked it.
        Revoked = "revoked",
    }
}

/// An API key, without its secret.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct ApiKey {
    /// The key's id; rotation keeps it.
    pub id: ApiKeyId,
    /// Its name.
    pub name: Name,
    /// First 7 and last 4 characters of the newest secret.
    pub hint: String,
    /// Whether it works.
    pub status: KeyStatus,
    /// How far it reaches.
    pub scopes: Vec<Scope>,
    /// Who made it.
    pub created_by: UserId,
    /// The service principal that acts with it; null means who made it does.
    pub principal_id: Option<ServicePrincipalId>,
    /// When.
    pub created_at: DateTime<Utc>,
    /// When its time is over.
    pub expires_at: DateTime<Utc>,
    /// When it was revoked.
    pub revoked_at: Option<DateTime<Utc>>,
    /// When it was last used, to the minute.
    pub last_used_at: Option<DateTime<Utc>>,
    /// From where.
    pub last_used_address: Option<String>,
    /// Calls a minute; null means no such limit.
    pub rate_limit_per_minute: Option<u32>,
    /// Calls a UTC day; null means no such limit.
    pub daily_request_quota: Option<u64>,
    /// Tokens a UTC day; null means no such limit.
    pub daily_token_quota: Option<u64>,
    /// Networks it may be used from; null means any, empty means none.
    pub ip_allowlist: Option<Vec<String>>,
    /// Models it may call; null means any, empty means none.
    pub allowed_models: Option<Vec<String>>,
    /// Tools it may call; null means any, empty means none.
    pub allowed_tools: Option<Vec<String>>,
    /// How much content its runs keep at most; null means as much as the workspace says.
    pub content_capture: Option<Capture>,
    /// Labels that all its runs carry.
    pub labels: BTreeMap<String, String>,
    /// For `If-Match`.
    pub version: u64,
}

/// A key in a list, with what its calls cost.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct ListedApiKey {
    /// The key.
    #[serde(flatten)]
    pub key: ApiKey,
    /// What its calls cost in this calendar month (UTC), one entry a currency.
    pub spent: Vec<Money>,
}

/// Makes a key.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct CreateApiKey {
    /// 1–80 characters.
    pub name: Name,
    /// Not empty.
    pub scopes: Vec<Scope>,
    /// 1–365, default 90.
    #[serde(default)]
    pub expires_in_days: Option<u32>,
    /// 1–100000.
    #[serde(default)]
    pub rate_limit_per_minute: Option<u32>,
    /// 1–10^12.
    #[serde(default)]
    pub daily_request_quota: Option<u64>,
    /// 1–10^12.
    #[serde(default)]
    pub daily_token_quota: Option<u64>,
    /// At most 64 networks in CIDR form.
    #[serde(default)]
    pub ip_allowlist: Option<Vec<String>>,
    /// At most 200 model refs.
    #[serde(default)]
    pub allowed_models: Option<Vec<String>>,
    /// At most 500 tool refs.
    #[serde(default)]
    pub allowed_tools: Option<Vec<String>>,
    /// The service principal that is to act with it; without it, one acts oneself.
    #[serde(default)]
    pub principal_id: Option<ServicePrincipalId>,
    /// How much content its runs keep at most; never more than the workspace says.
    #[serde(default)]
    pub content_capture: Option<Capture>,
    /// At most 10 labels that all its runs carry, like `{"team": "search"}`.
    #[serde(default)]
    pub labels: Option<BTreeMap<String, String>>,
}

/// Changes a key's name and limits. Absent members stay; null lifts a limit, which takes more power than setting one.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields, default)]
pub struct UpdateApiKey {
    /// 1–80 characters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<Name>,
    /// 1–100000.
    #[serde(deserialize_with = "crate::patch::present", skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<u32>)]
    pub rate_limit_per_minute: Option<Option<u32>>,
    /// 1–10^12.
    #[serde(deserialize_with = "crate::patch::present", skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<u64>)]
    pub daily_request_quota: Option<Option<u64>>,
    /// 1–10^12.
    #[serde(deserialize_with = "crate::patch::present", skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<u64>)]
    pub daily_token_quota: Option<Option<u64>>,
    /// At most 64 networks in CIDR form.
    #[serde(deserialize_with = "crate::patch::present", skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Vec<String>>)]
    pub ip_allowlist: Option<Option<Vec<String>>>,
    /// At most 200 model refs.
    #[serde(deserialize_with = "crate::patch::present", skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Vec<String>>)]
    pub allowed_models: Option<Option<Vec<String>>>,
    /// At most 500 tool refs.
    #[serde(deserialize_with = "crate::patch::present", skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Vec<String>>)]
    pub allowed_tools: Option<Option<Vec<String>>>,
    /// How much content its runs keep at most; never more than the workspace says.
    #[serde(deserialize_with = "crate::patch::present", skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Capture>)]
    pub content_capture: Option<Option<Capture>>,
    /// At most 10 labels that all its runs carry, in place of those before. To change or drop one takes as much power as
    /// lifting a limit: budgets bind by labels.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub labels: Option<BTreeMap<String, String>>,
}

/// Gives a key a new secret.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields, default)]
pub struct RotateApiKey {
    /// How long the old secret still works: 0–604800 seconds.
    pub overlap_seconds: u32,
}

/// A key and its secret, shown this once.
#[derive(Clone, Serialize, Deserialize, utoipa::ToSchema)]
pub struct IssuedApiKey {
    /// The key.
    pub item: ApiKey,
    /// `sk_…`: never shown again.
    pub api_key: String,
}

impl std::fmt::Debug for IssuedApiKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("IssuedApiKey").field("item", &self.item).finish_non_exhaustive()
    }
}
