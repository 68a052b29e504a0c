//! The form in which a run's request and what it met are kept, so that it can be replayed: artifacts of the kind `messages`.
//!
//! What stands in `request`, `sent` and `answer` is the business of the run's mode. A run that goes on for long may write
//! several: the request stands in one of them, calls in any.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use types::id::StepId;

/// The version of the form.
const VERSION: u32 = 1;

/// What is kept of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Recording {
    version: u32,
    /// What was asked for, whole.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request: Option<Value>,
    /// What was met on the way, in order.
    #[serde(default)]
    pub calls: Vec<RecordedCall>,
}

/// One call that was made, with its answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RecordedCall {
    /// The step it belongs to.
    pub step_id: StepId,
    /// SHA-256 of the canonical call, hex.
    pub request_digest: String,
    /// What was sent.
    pub sent: Value,
    /// What came back.
    pub answer: Value,
}

impl Recording {
    /// A recording of a request and its calls.
    pub fn new(request: Option<Value>, calls: Vec<RecordedCall>) -> Self {
        Self { version: VERSION, request, calls }
    }

    /// Reads one; none where it is of another form.
    pub(super) fn read(bytes: &[u8]) -> Option<Self> {
        serde_json::from_slice(bytes).ok().filter(|recording: &Self| recording.version == VERSION)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_recording_of_another_form_is_none() {
        let bytes = serde_json::to_vec(&Recording::new(Some(json!({ "a": 1 })), Vec::new())).unwrap();
        assert_eq!(Recording::read(&bytes).and_then(|recording| recording.request), Some(json!({ "a": 1 })));
        for other in [&b"{}"[..], br#"{"version":2,"calls":[]}"#, b"no json", b"[]"] {
            assert_eq!(Recording::read(other), None);
        }
    }
}
