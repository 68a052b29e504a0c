//! How many bytes a batch roughly is: what back-pressure and the size of a transaction count.

use kernel::ledger::{Batch, Op, Place, TaskOp};
use serde_json::Value;
use types::run::Content;

/// What an operation weighs besides its texts.
const OP: usize = 256;

pub(super) fn weight(batch: &Batch) -> usize {
    batch.ops.iter().map(|op| OP + texts(op)).sum()
}

fn texts(op: &Op) -> usize {
    match op {
        Op::RunOpen(run) => {
            content(&run.input) + run.labels.iter().map(|(key, value)| key.len() + value.len()).sum::<usize>()
        }
        Op::RunMove { end, .. } => end.as_ref().map_or(0, |end| content(&end.output)),
        Op::StepOpen(step) => content(&step.input) + json(&step.decision) + json(&step.metrics),
        Op::StepClose(end) => content(&end.output) + json(&end.metrics),
        Op::CostAdd(cost) => json(&cost.snapshot),
        Op::HoldPlace(hold) => hold.worst_case.as_ref().map_or(0, |cost| OP + json(&cost.snapshot)),
        Op::KeyFinish(end) => end.outcome.body.as_ref().map_or(0, |body| body.ciphertext.len()),
        Op::ArtifactAdd(artifact) => match &artifact.place {
            Place::Inline(bytes) => bytes.len(),
            Place::Object(key) => key.as_str().len(),
        },
        Op::Task(TaskOp::Open(task)) => json(&task.params),
        Op::AuditAppend(audit) => json(&audit.payload),
        Op::EventEmit(event) => json(&event.payload),
        Op::RunEventAppend(event) => json(&event.payload),
        _ => 0,
    }
}

fn content(content: &Content) -> usize {
    content.preview.as_ref().map_or(0, String::len)
}

fn json(value: &Value) -> usize {
    match value {
        Value::String(text) => text.len(),
        Value::Array(items) => items.iter().map(|item| 8 + json(item)).sum(),
        Value::Object(members) => members.iter().map(|(key, value)| 8 + key.len() + json(value)).sum(),
        Value::Null | Value::Bool(_) | Value::Number(_) => 8,
    }
}
