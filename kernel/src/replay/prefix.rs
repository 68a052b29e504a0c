//! Steps that are taken from the record: written anew as they ended, each naming the one it repeats.

use std::sync::Arc;

use chrono::{DateTime, Utc};
use serde_json::{Value, json};
use types::id::RunId;
use types::run::{Capture, Content, Effect, Step, StepStatus};

use crate::ledger::{NewRunEvent, NewStep, Op, StepEnd};
use crate::port::Ids;

/// The member of a step's metrics that names the step it repeats.
pub(crate) const REPLAY_OF: &str = "replay_of";

/// What writes recorded steps into the run `run_id`. They have no effect, no cost, and of the record's content what `capture`
/// keeps; what is longer than a preview stays with the steps they repeat.
pub(crate) fn copied(ids: &dyn Ids, run_id: RunId, steps: &[Step], capture: Capture, at: DateTime<Utc>) -> Vec<Op> {
    steps.iter().flat_map(|step| copy(ids, run_id, step, capture, at)).collect()
}

fn copy(ids: &dyn Ids, run_id: RunId, step: &Step, capture: Capture, at: DateTime<Utc>) -> [Op; 4] {
    let step_id = ids.step();
    let content = |content: &Content| Content {
        preview: content.preview.clone().filter(|_| capture == Capture::Full),
        chars: content.chars,
        artifact_id: None,
    };
    let opened = NewStep {
        id: step_id,
        run_id,
        parent_step_id: None,
        call_id: step.call_id,
        step_type: step.step_type,
        attempt_no: step.attempt_no,
        effect: Effect::None,
        decision: step.decision.clone(),
        request_digest: step.request_digest.clone(),
        input: content(&step.input),
        metrics: metrics(step),
        started_at: at,
        outbound_at: None,
    };
    let status = if step.status.is_closed() { step.status } else { StepStatus::Skipped };
    let closed = StepEnd {
        step_id,
        status,
        ended_at: at,
        error: step.error.clone(),
        input_artifact: None,
        output: content(&step.output),
        metrics: metrics(step),
        ttft_ms: None,
    };
    let event = |event_type, payload: Value| {
        let step_id = Some(step_id);
        Op::RunEventAppend(Arc::new(NewRunEvent { run_id, event_type, step_id, payload, occurred_at: at }))
    };
    let of_open = json!({ "type": step.step_type, "attempt_no": step.attempt_no, REPLAY_OF: step.id });
    let of_close =
        json!({ "status": status, "code": step.error.as_ref().map(|error| &error.code), REPLAY_OF: step.id });
    [
        Op::StepOpen(Arc::new(opened)),
        event("step.opened", of_open),
        Op::StepClose(Arc::new(closed)),
        event("step.closed", of_close),
    ]
}

/// What is known of the step itself. What it used and cost was paid for then, by the run it is taken from.
fn metrics(step: &Step) -> Value {
    let mut metrics = step.metrics.clone();
    if let Value::Object(members) = &mut metrics {
        for paid in ["usage", "usage_basis", "usage_reported", "cost", "pricing_status", "hold", "sent", "gates"] {
            members.shift_remove(paid);
        }
        members.insert(REPLAY_OF.to_owned(), json!(step.id));
    }
    metrics
}
