//! How a claim ends, as operations: with the event that others are told where the task was given up.

use std::sync::Arc;

use chrono::{DateTime, Utc};
use serde_json::{Value, json};
use types::run::Failure;
use types::task::Task;

use super::backoff;
use crate::ledger::{Event, Op, TaskEnd, TaskOutcome};
use crate::port::Ids;

/// The event of a task that was given up.
pub const FAILED: &str = "task.failed";
/// The event of a task that is tried again after it was given up.
pub const REDRIVEN: &str = "task.redriven";

/// What a failed attempt comes to: another one later, or the end.
pub(super) fn after_failure(ids: &dyn Ids, task: &Task, error: Failure, is_retryable: bool) -> TaskOutcome {
    if is_retryable && task.attempts < task.max_attempts {
        let after = backoff::wait(ids, task.attempts);
        return TaskOutcome::Retry { error, after };
    }
    TaskOutcome::Failed(error)
}

/// The end of a claim, and the event of one that was given up.
pub(super) fn ending(
    ids: &dyn Ids,
    task: &Task,
    outcome: TaskOutcome,
    at: DateTime<Utc>,
) -> (Arc<TaskEnd>, Option<Op>) {
    let failed = match &outcome {
        TaskOutcome::Failed(error) => Some(told(ids, FAILED, task, json!({ "code": error.code }), at)),
        _ => None,
    };
    (Arc::new(TaskEnd { task_id: task.id, epoch: task.epoch, outcome }), failed)
}

/// An event about a task.
pub(super) fn told(ids: &dyn Ids, event_type: &str, task: &Task, more: Value, at: DateTime<Utc>) -> Op {
    let mut payload = json!({
        "task_id": task.id,
        "task_type": task.task_type,
        "subject": task.subject,
        "run_id": task.run_id,
        "attempts": task.attempts,
    });
    if let (Value::Object(payload), Value::Object(more)) = (&mut payload, more) {
        payload.extend(more);
    }
    Event { run_id: task.run_id, ..Event::new(ids, event_type, task.id, payload, at) }.into()
}
