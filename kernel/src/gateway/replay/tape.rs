//! What is kept of a call so that it can be replayed: the request as it came, what went out, what came back.
//!
//! Kept only where everything is, and only of attempts that came to an answer or a failure of the provider.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use types::artifact::ArtifactKind;
use types::run::Capture;

use crate::artifact::Of;
use crate::gateway::Operation;
use crate::gateway::flight::{Ended, Flight, Outcome};
use crate::gateway::intent::{Attempt, Call};
use crate::ledger::NewArtifact;
use crate::port::UpstreamError;
use crate::replay::{RecordedCall, Recording};

/// Most bytes that are kept of a call.
const MOST: usize = 4 * 1024 * 1024;

/// What came back from the provider, as JSON texts: no form of theirs is lost on the way.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(in crate::gateway) struct Met {
    /// A whole answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) body: Option<String>,
    /// The frames of a stream.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) frames: Option<Vec<String>>,
    /// How it failed, after the frames if there are some.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) failed: Option<UpstreamError>,
    /// The provider's id of the request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) request_id: Option<String>,
    /// Bytes so far.
    #[serde(skip)]
    bytes: usize,
}

impl Met {
    /// Notes a whole answer.
    pub(in crate::gateway) fn note_body(&mut self, body: &Value) {
        let text = body.to_string();
        self.bytes = text.len();
        self.body = self.fits().then_some(text);
    }

    /// Notes that a stream began.
    pub(in crate::gateway) fn note_stream(&mut self) {
        self.frames = Some(Vec::new());
    }

    /// Notes a frame.
    pub(in crate::gateway) fn note_frame(&mut self, frame: &Value) {
        let Some(frames) = &mut self.frames else { return };
        let text = frame.to_string();
        self.bytes = self.bytes.saturating_add(text.len());
        frames.push(text);
        if !self.fits() {
            self.frames = None;
        }
    }

    fn fits(&self) -> bool {
        self.bytes <= MOST
    }

    fn is_something(&self) -> bool {
        self.body.is_some() || self.frames.is_some() || self.failed.is_some()
    }
}

/// What went out, beside the request: what soit wrote into it.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Sent {
    /// The model it went to.
    pub(super) target_ref: String,
    /// Members that were written, as the JSON text of an object.
    pub(super) written: String,
    /// Members that were left out.
    pub(super) left_out: Vec<String>,
    /// Whether the cap of the answer had to bind.
    pub(super) is_capped: bool,
}

impl Sent {
    fn of(call: &Call) -> Self {
        let (asked, sent) = (&call.wish.body, &call.plan.body);
        let written = sent.iter().filter(|(name, value)| asked.get(*name) != Some(*value));
        let written: Map<String, Value> = written.map(|(name, value)| (name.clone(), value.clone())).collect();
        Self {
            target_ref: call.plan.target.model_ref.clone(),
            written: Value::Object(written).to_string(),
            left_out: asked.keys().filter(|name| !sent.contains_key(*name)).cloned().collect(),
            is_capped: call.plan.is_capped,
        }
    }
}

/// What was asked for.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Asked {
    /// `chat` or `embedding`.
    pub(super) operation: String,
    /// The body's JSON text.
    pub(super) body: String,
    /// Labels of the caller.
    #[serde(default)]
    pub(super) labels: std::collections::BTreeMap<String, String>,
    /// The caller's own limit.
    #[serde(default)]
    pub(super) timeout_ms: Option<u64>,
}

impl Asked {
    fn of(call: &Call) -> Self {
        let options = &call.wish.options;
        Self {
            operation: call.wish.operation.as_str().to_owned(),
            body: Value::Object(call.wish.body.clone()).to_string(),
            labels: options.labels.clone(),
            timeout_ms: options.timeout.and_then(|timeout| u64::try_from(timeout.as_millis()).ok()),
        }
    }

    pub(super) fn operation(&self) -> Option<Operation> {
        [Operation::Chat, Operation::Embeddings].into_iter().find(|operation| operation.as_str() == self.operation)
    }
}

/// The calls of a flight so far.
#[derive(Debug, Default)]
pub(in crate::gateway) struct Tape {
    calls: Vec<RecordedCall>,
    bytes: usize,
}

impl Tape {
    /// Notes an attempt that has ended.
    pub(in crate::gateway) fn note(&mut self, call: &Call, attempt: &Attempt, ended: &mut Ended) {
        if !is_kept(call) {
            return;
        }
        let mut met = std::mem::take(&mut ended.trace.met);
        match &ended.outcome {
            Outcome::Answered(_) | Outcome::Withheld(_) | Outcome::OverCap => {}
            // A whole answer that cannot be read is found to be so again.
            Outcome::Failed(error) if met.body.is_none() => met.failed = Some(error.clone()),
            Outcome::Failed(_) => {}
            Outcome::Refused(_) | Outcome::Interrupted(_) => return,
        }
        met.request_id.clone_from(&ended.trace.upstream_request_id);
        self.bytes = self.bytes.saturating_add(met.bytes);
        if !met.is_something() || !met.fits() || self.bytes > MOST {
            return;
        }
        self.calls.push(RecordedCall {
            step_id: attempt.step_id,
            request_digest: call.plan.digest.clone(),
            sent: json!(Sent::of(call)),
            answer: json!(met),
        });
    }
}

/// Whether the record of a call is kept.
pub(in crate::gateway) fn is_kept(call: &Call) -> bool {
    call.plan.capture == Capture::Full
}

impl Flight {
    /// Keeps the record of the call, which is over: without its answers where they are too long, or not at all.
    pub(in crate::gateway) async fn keep_record(&mut self) -> Option<Arc<NewArtifact>> {
        if !is_kept(&self.call) {
            return None;
        }
        let asked = json!(Asked::of(&self.call));
        let calls = std::mem::take(&mut self.tape.calls);
        let bytes = serde_json::to_vec(&Recording::new(Some(asked.clone()), calls)).ok()?;
        let bytes = match bytes.len() {
            0..=MOST => bytes,
            _ => serde_json::to_vec(&Recording::new(Some(asked), Vec::new())).ok()?,
        };
        if bytes.len() > MOST {
            return None;
        }
        let of = Of { run_id: Some(self.call.run_id), step_id: None, expires_at: None };
        let kept = self.gateway.ports.keeper.keep(self.call.ctx.scope, bytes, of).await.ok()?;
        // The bytes alone say no more than that they are a document.
        let kept = NewArtifact { kind: ArtifactKind::Messages, ..Arc::unwrap_or_clone(kept) };
        Some(Arc::new(kept))
    }
}
