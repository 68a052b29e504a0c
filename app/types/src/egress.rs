//! Egress rules of a workspace, first part: scheme, exact host and port.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use crate::id::EgressRuleId;
use crate::word::words;

words! {
    /// How an outgoing call may speak.
    pub enum Scheme {
        /// TLS.
        Https = "https",
        /// Plain.
        Http = "http",
    }
}

/// Who a call out is made for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct EgressSubject {
    /// The provider account's id; `test` for the built-in provider.
    pub provider: String,
}

/// One allow rule.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct EgressRule {
    /// Given by soit when absent.
    #[serde(default)]
    pub id: Option<EgressRuleId>,
    /// Default `["https"]`.
    #[serde(default = "https_only")]
    pub schemes: Vec<Scheme>,
    /// An exact host name or IP literal; lower case, no trailing dot.
    pub host: String,
    /// Default: the scheme's own port.
    #[serde(default)]
    pub ports: Vec<u16>,
    /// At most 200 characters.
    #[serde(default)]
    pub note: String,
}

fn https_only() -> Vec<Scheme> {
    vec![Scheme::Https]
}

/// A workspace's egress layer. Empty means nothing leaves.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct EgressPolicy {
    /// `pb_` + 16 hex digits over the canonical rules; for `If-Match`.
    pub bundle_id: String,
    /// Allow rules, at most 500.
    pub rules: Vec<EgressRule>,
    /// Private networks (CIDR) this workspace opens, within what the deployment opens.
    pub private_networks: Vec<String>,
    /// When it was last changed.
    pub updated_at: Option<DateTime<Utc>>,
}

/// Replaces a workspace's egress layer.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct PutEgressPolicy {
    /// Allow rules, at most 500.
    pub rules: Vec<EgressRule>,
    /// Private networks (CIDR) to open.
    #[serde(default)]
    pub private_networks: Vec<String>,
    /// Why, at most 500 characters.
    #[serde(default)]
    pub reason: String,
}

/// What a provider's base URL would need before a call may leave.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct EgressOffer {
    /// Whether the present policy lets it out already.
    pub allowed: bool,
    /// The rule that fits exactly.
    pub rule: EgressRule,
    /// The private networks that must be opened too, when the host is private.
    pub private_networks: Vec<String>,
    /// Whether the deployment lets those networks be opened at all.
    pub openable: bool,
}
