//! Values between records and columns.

use std::str::FromStr;

use kernel::chain::Hash;
use kernel::context::Scope;
use kernel::ledger::Sequence;
use kernel::record::Digest;
use sea_orm::DbErr;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use types::id::{ArtifactId, StepId, TenantId, Uuid, WorkspaceId};
use types::run::{Content, Failure};

/// A column holds what it never should.
#[derive(Debug, thiserror::Error)]
#[error("column `{column}` holds what cannot be read: {problem}")]
pub(crate) struct Corrupt {
    column: &'static str,
    problem: String,
}

impl Corrupt {
    pub(crate) fn new(column: &'static str, problem: impl ToString) -> Self {
        Self { column, problem: problem.to_string() }
    }
}

impl From<Corrupt> for DbErr {
    fn from(corrupt: Corrupt) -> Self {
        Self::Custom(corrupt.to_string())
    }
}

/// A word, name, slug or id.
pub(crate) fn word<T: FromStr<Err: ToString>>(text: &str, column: &'static str) -> Result<T, Corrupt> {
    text.parse().map_err(|problem: T::Err| Corrupt::new(column, problem))
}

/// A JSON document.
pub(crate) fn document<T: DeserializeOwned>(text: &str, column: &'static str) -> Result<T, Corrupt> {
    serde_json::from_str(text).map_err(|problem| Corrupt::new(column, problem))
}

/// The text of a JSON document, with U+0000 as U+FFFD.
pub(crate) fn text<T: Serialize + ?Sized>(document: &T, column: &'static str) -> Result<String, Corrupt> {
    let text = serde_json::to_string(document).map_err(|problem| Corrupt::new(column, problem))?;
    if !text.contains("\\u0000") {
        return Ok(text);
    }
    let clean = cleaned(serde_json::from_str(&text).map_err(|problem| Corrupt::new(column, problem))?);
    serde_json::to_string(&clean).map_err(|problem| Corrupt::new(column, problem))
}

fn cleaned(value: Value) -> Value {
    let clean = |text: String| text.replace('\0', "\u{FFFD}");
    match value {
        Value::String(text) => Value::String(clean(text)),
        Value::Array(items) => items.into_iter().map(cleaned).collect(),
        Value::Object(members) => members.into_iter().map(|(key, value)| (clean(key), cleaned(value))).collect(),
        other => other,
    }
}

/// A count as a column keeps it; what does not fit stands at the most.
pub(crate) fn number(count: u64) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

/// A count from a column.
pub(crate) fn count(number: i64) -> u64 {
    u64::try_from(number).unwrap_or_default()
}

/// A small count from a column.
pub(crate) fn small(number: i64) -> u32 {
    u32::try_from(number).unwrap_or_default()
}

pub(crate) fn scope(tenant_id: Uuid, workspace_id: Uuid) -> Scope {
    Scope { tenant_id: TenantId::from_uuid(tenant_id), workspace_id: WorkspaceId::from_uuid(workspace_id) }
}

pub(crate) fn digest(bytes: &[u8], column: &'static str) -> Result<Digest, Corrupt> {
    bytes.try_into().map(Digest).map_err(|_| Corrupt::new(column, "not 32 bytes"))
}

pub(crate) fn hash(bytes: &[u8], column: &'static str) -> Result<Hash, Corrupt> {
    bytes.try_into().map_err(|_| Corrupt::new(column, "not 32 bytes"))
}

pub(crate) fn content(preview: Option<String>, chars: i64, artifact_id: Option<Uuid>) -> Content {
    Content { preview, chars: count(chars), artifact_id: artifact_id.map(ArtifactId::from_uuid) }
}

pub(crate) fn failure(code: Option<String>, message: Option<String>, step_id: Option<Uuid>) -> Option<Failure> {
    let message = message.unwrap_or_default();
    code.map(|code| Failure { code, message, step_id: step_id.map(StepId::from_uuid) })
}

/// Tenant and key of a number series in `sequences`.
pub(crate) fn sequence_key(sequence: &Sequence) -> (Uuid, String) {
    match sequence {
        Sequence::Audit(scope) => (scope.tenant_id.as_uuid(), format!("audit:{}", scope.workspace_id)),
        Sequence::Subject(tenant_id, subject) => (tenant_id.as_uuid(), format!("subject:{subject}")),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn no_document_holds_u0000() {
        let text = text(&json!({ "a\0": ["b\0", "\\u0000"] }), "test").expect("a document");
        assert_eq!(
            document::<Value>(&text, "test").expect("a document"),
            json!({ "a\u{FFFD}": ["b\u{FFFD}", "\\u0000"] })
        );
    }

    #[test]
    fn what_cannot_be_read_names_its_column() {
        let error = word::<types::run::RunStatus>("gone", "runs.status").expect_err("no such word");
        assert!(error.to_string().contains("runs.status"), "{error}");
    }
}
