//! What an answer says, whichever operation it belongs to.

use serde_json::Value;

/// The parts of an answer that accounting and records need.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Said {
    /// Everything that was answered as text, tool calls included.
    pub(super) text: String,
    /// Whether anything was answered at all.
    pub(super) answered: bool,
    /// The provider's usage object.
    pub(super) usage: Option<Value>,
    /// The provider's id of the answer.
    pub(super) upstream_id: Option<String>,
    /// Why the answer ended.
    pub(super) finish_reason: Option<String>,
}

impl Said {
    /// Notes the id and usage a body or frame carries.
    pub(super) fn note(&mut self, body: &Value) {
        if let Some(id) = body.get("id").and_then(Value::as_str).filter(|id| !id.is_empty()) {
            self.upstream_id.get_or_insert_with(|| id.chars().take(200).collect());
        }
        if let Some(usage) = body.get("usage").filter(|usage| !usage.is_null()) {
            self.usage = Some(usage.clone());
        }
    }
}
