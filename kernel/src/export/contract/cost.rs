//! A cost row.

use super::part::{CREATED, TENANT, WORKSPACE, caller};
use crate::export::Field;
use crate::export::Kind::{Count, Decimal, Document, Map, Text, Time};

pub(super) const FIELDS: &[Field] = &[
    Field::new("id", Text, "The row"),
    Field::new("run_id", Text, "Its run"),
    Field::new("step_id", Text, "Its step"),
    Field::new("kind", Text, "A charge, or a correction"),
    Field::new("occurred_at", Time, "Admission: decides day, period and price"),
    Field::new("source_port", Text, "`llm`, `tools`, `egress` or `resource`"),
    Field::new("operation", Text, "`chat`, `embedding` …"),
    Field::new("provider", Text, "Provider kind"),
    Field::new("provider_id", Text, "Provider account; null for built-in models").or_null(),
    Field::new("model_ref", Text, "The model asked for"),
    Field::new("target_ref", Text, "The model that answered"),
    Field::new("upstream_model", Text, "The provider's own name of the model"),
    caller("caller", "Who asked, by the run; null where the run was purged").or_null(),
    Field::new("api_key_id", Text, "Who pays").or_null(),
    Field::new("labels", Map(&Text), "Labels of the caller, by the run"),
    Field::new("currency", Text, "Null when unpriced").or_null(),
    Field::new("amount", Decimal, "In the currency; null when unpriced").or_null(),
    Field::new("pricing_status", Text, "How sure the amount is"),
    Field::new("reason", Text, "Why it is unpriced").or_null(),
    Field::new("usage", Map(&Count), "Quantities by usage class"),
    Field::new("usage_basis", Text, "Where they come from"),
    Field::new("price_id", Text, "The price used").or_null(),
    Field::new("snapshot", Document, "Rates and lines as used, and the hold placed"),
    Field::new("source_ref", Text, "What it books, once"),
    Field::new("upstream_id", Text, "The provider's id of the answer").or_null(),
    Field::new("upstream_request_id", Text, "The provider's id of the request").or_null(),
    TENANT,
    WORKSPACE,
    CREATED,
];
