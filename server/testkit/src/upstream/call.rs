//! The calls an upstream received.

use std::sync::Arc;
use std::time::Instant;

use serde_json::Value;
use tokio::sync::watch;

/// A call as the upstream saw it.
#[derive(Clone, Debug)]
pub struct Call {
    /// `/v1/chat/completions`, with the fault in front when the base URL named one.
    pub path: String,
    /// The model's name.
    pub model: String,
    /// The text of the last message, or of the inputs.
    pub prompt: String,
    /// The `Authorization` header.
    pub authorization: Option<String>,
    /// The body.
    pub body: Value,
    /// The body's own text.
    pub text: String,
    /// When it came.
    pub received_at: Instant,
    /// When the answer was over or the caller had gone.
    pub closed_at: Option<Instant>,
    /// Whether everything was said before that.
    pub answered: bool,
}

/// The calls so far, in the order they came.
#[derive(Clone, Debug)]
pub(super) struct Calls(Arc<watch::Sender<Vec<Call>>>);

impl Calls {
    pub(super) fn new() -> Self {
        Self(Arc::new(watch::Sender::new(Vec::new())))
    }

    /// Notes a call; it counts as open until the value that comes back is dropped.
    pub(super) fn open(&self, call: Call) -> Open {
        let mut index = 0;
        self.0.send_modify(|calls| {
            index = calls.len();
            calls.push(call);
        });
        Open { calls: self.clone(), index, answered: false }
    }

    pub(super) fn list(&self) -> Vec<Call> {
        self.0.borrow().clone()
    }

    pub(super) fn count(&self, of: impl Fn(&Call) -> bool) -> usize {
        self.0.borrow().iter().filter(|call| of(call)).count()
    }

    pub(super) async fn wait_for(&self, mut fits: impl FnMut(&[Call]) -> bool) -> Vec<Call> {
        let mut changes = self.0.subscribe();
        // The sender lives as long as `self`.
        match changes.wait_for(|calls| fits(calls)).await {
            Ok(calls) => calls.clone(),
            Err(_) => Vec::new(),
        }
    }
}

/// A call that goes on.
#[derive(Debug)]
pub(super) struct Open {
    calls: Calls,
    index: usize,
    answered: bool,
}

impl Open {
    /// Everything was said.
    pub(super) fn answered(&mut self) {
        self.answered = true;
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        let (index, answered) = (self.index, self.answered);
        self.calls.0.send_modify(|calls| {
            if let Some(call) = calls.get_mut(index) {
                call.closed_at = Some(Instant::now());
                call.answered = answered;
            }
        });
    }
}
