//! What the test provider received, and when each connection to it closed.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use chrono::{DateTime, Utc};
use kernel::context::Scope;
use kernel::port::{Clock, ModelCall, Wire};
use serde::Serialize;
use serde_json::Value;
use types::id::RunId;

/// Calls that are remembered; older ones are forgotten.
const MAX_CALLS: usize = 1000;
/// Bodies with more text are not kept.
const MAX_TEXT: usize = 16 * 1024;

/// A call as the provider saw it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ReceivedCall {
    /// The run it belongs to.
    pub run_id: RunId,
    /// Which attempt of the run, from 1.
    pub attempt_no: u32,
    /// The model's name behind `model:test:`.
    pub model: String,
    /// `chat` or `embeddings`.
    pub operation: &'static str,
    /// Whether a stream was asked for.
    pub stream: bool,
    /// The body; null when it was long.
    pub body: Option<Arc<Value>>,
    /// When it came.
    pub received_at: DateTime<Utc>,
    /// When its connection closed, by whichever side.
    pub closed_at: Option<DateTime<Utc>>,
    /// Whether everything was said before that.
    pub completed: bool,
}

/// The latest calls.
#[derive(Clone)]
pub(super) struct Received {
    calls: Arc<Mutex<Calls>>,
    clock: Arc<dyn Clock>,
}

#[derive(Default)]
struct Calls {
    /// How many came before the first that is remembered.
    forgotten: u64,
    latest: VecDeque<(Scope, ReceivedCall)>,
}

impl Received {
    pub(super) fn new(clock: Arc<dyn Clock>) -> Self {
        Self { calls: Arc::default(), clock }
    }

    /// Notes a call; it counts as open until the value that comes back is dropped.
    pub(super) fn open(&self, call: &ModelCall, body: &Arc<Value>) -> Open {
        let entry = ReceivedCall {
            run_id: call.run_id,
            attempt_no: call.attempt_no,
            model: call.upstream_model.clone(),
            operation: match call.wire {
                Wire::Chat => "chat",
                Wire::Embeddings => "embeddings",
            },
            stream: call.stream,
            body: (size(body) <= MAX_TEXT).then(|| Arc::clone(body)),
            received_at: self.clock.now(),
            closed_at: None,
            completed: false,
        };
        let mut calls = self.calls.lock().unwrap_or_else(PoisonError::into_inner);
        if calls.latest.len() == MAX_CALLS {
            calls.latest.pop_front();
            calls.forgotten += 1;
        }
        calls.latest.push_back((call.scope, entry));
        let number = calls.forgotten + u64::try_from(calls.latest.len()).unwrap_or(u64::MAX) - 1;
        Open { received: self.clone(), number, completed: false }
    }

    /// The calls of a workspace; of one run where it is named.
    pub(super) fn of(&self, scope: Scope, run_id: Option<RunId>) -> Vec<ReceivedCall> {
        let calls = self.calls.lock().unwrap_or_else(PoisonError::into_inner);
        let is_wanted = |call: &ReceivedCall| run_id.is_none_or(|run_id| call.run_id == run_id);
        let wanted = calls.latest.iter().filter(|(owner, call)| *owner == scope && is_wanted(call));
        wanted.map(|(_, call)| call.clone()).collect()
    }

    fn close(&self, number: u64, completed: bool) {
        let now = self.clock.now();
        let mut calls = self.calls.lock().unwrap_or_else(PoisonError::into_inner);
        let index = number.checked_sub(calls.forgotten).and_then(|index| usize::try_from(index).ok());
        if let Some((_, call)) = index.and_then(|index| calls.latest.get_mut(index)) {
            call.closed_at = Some(now);
            call.completed = completed;
        }
    }
}

impl std::fmt::Debug for Received {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Received").finish_non_exhaustive()
    }
}

/// Bytes of text in a body, keys left out.
fn size(value: &Value) -> usize {
    match value {
        Value::String(text) => text.len(),
        Value::Array(items) => items.iter().map(size).sum::<usize>() + items.len(),
        Value::Object(fields) => fields.values().map(size).sum::<usize>() + fields.len(),
        _ => 1,
    }
}

/// A call that goes on.
#[derive(Debug)]
pub(super) struct Open {
    received: Received,
    number: u64,
    completed: bool,
}

impl Open {
    /// Everything was said.
    pub(super) fn complete(&mut self) {
        self.completed = true;
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        self.received.close(self.number, self.completed);
    }
}
