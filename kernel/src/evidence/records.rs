//! Records as a bundle holds them: the canonical form, and beside it the content it commits to.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};
use types::run::{Run, RunEvent, Step};

use crate::chain::{ClosedRun, Form, Hash, Shown, commitment};
use crate::digest::digest_of;

/// Whether content is in a bundle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Disclosure {
    Kept,
    Withheld,
}

impl Disclosure {
    pub(super) const fn as_str(self) -> &'static str {
        match self {
            Self::Kept => "kept",
            Self::Withheld => "withheld",
        }
    }
}

/// A record and the content that belongs to it.
pub(super) fn with_content(id: &str, form: Form, shown: &[Shown]) -> Value {
    let own = shown.iter().filter_map(|one| {
        let field = one.place.strip_prefix(id)?.strip_prefix('.')?;
        Some((field.to_owned(), json!({ "salt": one.salt, "text": one.text })))
    });
    json!({ "content": own.collect::<Map<String, Value>>(), "record": form.into_value() })
}

/// A record without content.
pub(super) fn plain(form: Form) -> Value {
    json!({ "record": form.into_value() })
}

/// A stored event of a run. What an event says may be content.
pub(super) fn event(event: &RunEvent, disclosure: Disclosure) -> Value {
    let payload = (disclosure == Disclosure::Kept).then_some(&event.payload);
    json!({
        "run_id": event.run_id,
        "offset": event.offset,
        "type": event.event_type,
        "step_id": event.step_id,
        "occurred_at": event.occurred_at,
        "payload": payload,
    })
}

/// Under which rules the run was let through.
pub(super) fn policy(closed: &ClosedRun) -> Value {
    let decision = |step: &Step| json!({ "step_id": step.id, "decision": step.decision });
    let decisions: Vec<Value> = closed.steps.iter().map(decision).collect();
    json!({ "policy_revision": closed.run.policy_revision, "decisions": decisions })
}

/// What was to be kept of the run, and what this bundle shows of it.
pub(super) fn governance(run: &Run, disclosure: Disclosure) -> Value {
    json!({
        "capture": run.capture,
        "content": disclosure.as_str(),
        "sandbox": run.sandbox,
        "flags": run.flags,
    })
}

/// A record as it is read back.
pub(super) struct Read {
    pub(super) id: String,
    pub(super) hash: Hash,
    /// Commitments to the texts beside it, by place.
    pub(super) content: BTreeMap<String, Hash>,
}

impl Read {
    /// Reads what [`with_content`] and [`plain`] write.
    pub(super) fn of(line: &Value) -> Option<Self> {
        let record = line.get("record")?;
        let id = record.get("id")?.as_str()?.to_owned();
        let mut content = BTreeMap::new();
        for (field, shown) in line.get("content").and_then(Value::as_object).into_iter().flatten() {
            let salt: Hash = shown.get("salt")?.as_str()?.parse().ok()?;
            content.insert(format!("{id}.{field}"), commitment(&salt, shown.get("text")?.as_str()?));
        }
        Some(Self { hash: Hash(digest_of(record)), id, content })
    }
}
