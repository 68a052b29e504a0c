//! The names of the files, and how they are written.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::digest::canonical;

/// Files by name.
pub(super) type Files = BTreeMap<String, Vec<u8>>;

pub(super) const RUN: &str = "run.json";
pub(super) const STEPS: &str = "steps.jsonl";
pub(super) const COSTS: &str = "costs.jsonl";
pub(super) const AUDIT: &str = "audit.jsonl";
pub(super) const RUN_EVENTS: &str = "run_events.jsonl";
pub(super) const POLICY: &str = "policy.json";
pub(super) const GOVERNANCE: &str = "governance.json";
pub(super) const CHILDREN: &str = "children.json";
pub(super) const CHAIN: &str = "chain.json";
pub(super) const MANIFEST: &str = "manifest.json";
pub(super) const SUMS: &str = "SHA256SUMS";
pub(super) const SIGNATURE: &str = "signature.json";

/// What the manifest lists. Records that soit does not make yet have empty files.
pub(super) const LISTED: [&str; 13] = [
    AUDIT,
    CHAIN,
    CHILDREN,
    COSTS,
    GOVERNANCE,
    POLICY,
    RUN,
    RUN_EVENTS,
    STEPS,
    "approvals.jsonl",
    "citations.jsonl",
    "content_safety.jsonl",
    "tool_calls.jsonl",
];

/// One RFC 8785 line.
pub(super) fn line(value: &Value) -> Vec<u8> {
    let mut bytes = canonical(value);
    bytes.push(b'\n');
    bytes
}

/// A line for each.
pub(super) fn lines(values: impl IntoIterator<Item = Value>) -> Vec<u8> {
    values.into_iter().flat_map(|value| line(&value)).collect()
}

/// Reads lines; the number of the first one that [`line()`] does not write otherwise.
pub(super) fn read_lines(bytes: &[u8]) -> Result<Vec<Value>, usize> {
    let mut values = Vec::new();
    for (number, text) in bytes.split_inclusive(|byte| *byte == b'\n').enumerate() {
        match serde_json::from_slice::<Value>(text) {
            Ok(value) if line(&value) == text => values.push(value),
            _ => return Err(number + 1),
        }
    }
    Ok(values)
}
