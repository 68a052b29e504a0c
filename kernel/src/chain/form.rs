//! What the digest of a record covers, field by field: the canonical forms, each with its version.
//!
//! A form is never changed: a field more is a new version, beside the old one. Content is not in it, only how long it
//! is; content enters by its commitment ([`super::Parts`]). Not in it either: what may still move once a run is over (how
//! many refusals it stands for, numbers given out), and the database's own times.

use chrono::{DateTime, SecondsFormat, Utc};
use serde_json::{Map, Value, json};
use types::audit::AuditEntry;
use types::cost::Cost;
use types::run::{Content, Failure, Run, Step, Totals, Usage};

use super::{ClosedRun, Hash};
use crate::context::Scope;
use crate::digest::{canonical, digest_of};

/// The canonical form of a record.
#[derive(Clone, Debug, PartialEq)]
pub struct Form(Value);

impl Form {
    fn new(mut value: Value) -> Self {
        clean(&mut value);
        Self(value)
    }

    /// The digest: SHA-256 of the RFC 8785 bytes.
    pub fn hash(&self) -> Hash {
        Hash(digest_of(&self.0))
    }

    /// The RFC 8785 bytes.
    pub fn bytes(&self) -> Vec<u8> {
        canonical(&self.0)
    }

    /// The form as JSON.
    pub fn into_value(self) -> Value {
        self.0
    }
}

/// An audit row.
pub fn audit(scope: Scope, entry: &AuditEntry) -> Form {
    Form::new(json!({
        "form": "soit/audit/1",
        "tenant_id": scope.tenant_id,
        "workspace_id": scope.workspace_id,
        "id": entry.id,
        "seq": entry.seq,
        "event_type": entry.event_type,
        "operation": entry.operation,
        "outcome": entry.outcome,
        "resource_type": entry.resource.kind,
        "resource_id": entry.resource.id,
        "actor_kind": entry.actor.kind,
        "actor_id": entry.actor.id,
        "run_id": entry.run_id,
        "address": entry.address,
        "credential_id": entry.credential_id,
        "payload": entry.payload,
        "occurred_at": time(entry.occurred_at),
    }))
}

/// A run, without its steps and costs.
pub fn run(closed: &ClosedRun) -> Form {
    let Run { caller, error, totals, .. } = &closed.run;
    let run = &closed.run;
    Form::new(json!({
        "form": "soit/run/1",
        "tenant_id": closed.scope.tenant_id,
        "workspace_id": closed.scope.workspace_id,
        "id": run.id,
        "mode": run.mode,
        "source": run.source,
        "entry": run.entry,
        "status": run.status,
        "caller_kind": caller.kind,
        "caller_id": caller.id,
        "user_id": closed.user_id,
        "api_key_id": run.api_key_id,
        "root_run_id": run.root_run_id,
        "parent_run_id": run.parent_run_id,
        "source_run_id": run.source_run_id,
        "attempt_no": run.attempt_no,
        "capture": run.capture,
        "trace_id": run.trace_id,
        "request_id": run.request_id,
        "policy_revision": run.policy_revision,
        "sandbox": run.sandbox,
        "model_ref": run.model_ref,
        "input_chars": chars(&run.input),
        "input_artifact_id": run.input.artifact_id,
        "output_chars": chars(&run.output),
        "output_artifact_id": run.output.artifact_id,
        "labels": run.labels,
        "started_at": time(run.started_at),
        "ended_at": run.ended_at.map(time),
        "duration_ms": run.duration_ms,
        "error": error.as_ref().map(failure),
        "totals": sums(totals),
        "delivered": run.delivered,
        "flags": run.flags,
    }))
}

/// A step.
pub fn step(step: &Step) -> Form {
    Form::new(json!({
        "form": "soit/step/1",
        "id": step.id,
        "run_id": step.run_id,
        "seq": step.seq,
        "parent_step_id": step.parent_step_id,
        "call_id": step.call_id,
        "type": step.step_type,
        "status": step.status,
        "attempt_no": step.attempt_no,
        "effect": step.effect,
        "decision": step.decision,
        "request_digest": step.request_digest,
        "input_chars": chars(&step.input),
        "input_artifact_id": step.input.artifact_id,
        "output_chars": chars(&step.output),
        "output_artifact_id": step.output.artifact_id,
        "metrics": step.metrics,
        "error": step.error.as_ref().map(failure),
        "started_at": time(step.started_at),
        "outbound_at": step.outbound_at.map(time),
        "ended_at": step.ended_at.map(time),
        "latency_ms": step.latency_ms,
        "ttft_ms": step.ttft_ms,
    }))
}

/// A cost row.
pub fn cost(cost: &Cost) -> Form {
    Form::new(json!({
        "form": "soit/cost/1",
        "id": cost.id,
        "run_id": cost.run_id,
        "step_id": cost.step_id,
        "kind": cost.kind,
        "occurred_at": time(cost.occurred_at),
        "source_ref": cost.source_ref,
        "source_port": cost.source_port,
        "operation": cost.operation,
        "provider": cost.provider,
        "provider_id": cost.provider_id,
        "model_ref": cost.model_ref,
        "target_ref": cost.target_ref,
        "upstream_model": cost.upstream_model,
        "upstream_id": cost.upstream_id,
        "upstream_request_id": cost.upstream_request_id,
        "api_key_id": cost.api_key_id,
        "usage": usage(&cost.usage),
        "usage_basis": cost.usage_basis,
        "pricing_status": cost.pricing_status,
        "reason": cost.reason,
        "currency": cost.currency,
        "amount": cost.amount,
        "price_id": cost.price_id,
        "snapshot": cost.snapshot,
    }))
}

fn sums(totals: &Totals) -> Value {
    let cost: Map<String, Value> =
        totals.cost.iter().map(|sum| (sum.currency.to_string(), json!(sum.amount))).collect();
    json!({
        "model_calls": totals.model_calls,
        "tool_calls": totals.tool_calls,
        "usage": usage(&totals.usage),
        "cost": cost,
        "unpriced": totals.unpriced,
        "estimated": totals.estimated,
    })
}

fn usage(usage: &Usage) -> Map<String, Value> {
    usage.0.iter().map(|(class, quantity)| (class.to_string(), json!(quantity))).collect()
}

fn failure(failure: &Failure) -> Value {
    json!({ "code": failure.code, "message": failure.message, "step_id": failure.step_id })
}

fn chars(content: &Content) -> u64 {
    content.chars
}

/// As stores keep times: microseconds.
pub(super) fn time(time: DateTime<Utc>) -> String {
    time.to_rfc3339_opts(SecondsFormat::Micros, true)
}

/// As stores keep text: U+0000 as U+FFFD.
fn clean(value: &mut Value) {
    let stored = |text: &str| text.replace('\0', "\u{FFFD}");
    match value {
        Value::String(text) if text.contains('\0') => *text = stored(text),
        Value::Array(items) => items.iter_mut().for_each(clean),
        Value::Object(fields) => {
            if fields.keys().any(|key| key.contains('\0')) {
                *fields = std::mem::take(fields).into_iter().map(|(key, value)| (stored(&key), value)).collect();
            }
            fields.values_mut().for_each(clean);
        }
        _ => {}
    }
}
