//! The record a call is made from again: what it was planned under, what its provider answers, and whether it is as it was.

use std::sync::Arc;

use async_trait::async_trait;
use futures::StreamExt;
use futures::stream;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use types::replay::Divergence;
use types::run::Step;

use super::tape::{Asked, Met, Sent};
use crate::chain::{Salt, commitment, field_salt};
use crate::gateway::plan::Plan;
use crate::ledger::StepEnd;
use crate::policy::Permit;
use crate::port::{Answer, ModelCall, ModelProvider, UpstreamError, UpstreamKind};
use crate::replay::RecordedCall;

/// Most members that a difference tells.
const MOST_MEMBERS: usize = 10;

/// The record a call is made from again.
#[derive(Debug)]
pub(in crate::gateway) struct Script {
    request: Map<String, Value>,
    calls: Vec<(Step, RecordedCall)>,
    /// The number of the attempt that is the first of them.
    first: u32,
}

impl Script {
    pub(super) fn new(asked: &Asked, calls: Vec<(Step, RecordedCall)>) -> Self {
        let request = serde_json::from_str(&asked.body).unwrap_or_default();
        let first = calls.first().map_or(1, |(step, _)| step.attempt_no);
        Self { request, calls, first }
    }

    /// Whether the cap of the answer had to bind; what decided that then may have changed.
    pub(in crate::gateway) fn is_capped(&self) -> Option<bool> {
        let (_, call) = self.calls.first()?;
        Sent::deserialize(&call.sent).ok().map(|sent| sent.is_capped)
    }

    /// The step that an attempt repeats.
    pub(in crate::gateway) fn step(&self, attempt: u32) -> Option<&Step> {
        self.at(attempt).map(|(step, _)| step)
    }

    /// Who answers an attempt.
    pub(in crate::gateway) fn player(&self, attempt: u32) -> Arc<dyn ModelProvider> {
        let met = self.at(attempt).and_then(|(_, call)| Met::deserialize(&call.answer).ok());
        Arc::new(Player(met.unwrap_or_default()))
    }

    /// In what an attempt is about to send something else than the record has, if so. Where content is kept, members are told
    /// by commitments under the salt of the run, which is erased with its content: an event outlives that.
    pub(in crate::gateway) fn check(&self, attempt: u32, plan: &Plan, salt: Option<&Salt>) -> Option<Divergence> {
        let Some((step, call)) = self.at(attempt) else {
            let seq = self.calls.last().map_or(1, |(step, _)| step.seq.saturating_add(1));
            let actual = json!({ "request_digest": plan.digest });
            return Some(Divergence { seq, expected: Value::Null, actual });
        };
        if call.request_digest == plan.digest {
            return None;
        }
        let mut told = Told::default();
        told.differ("request_digest", Some(&json!(call.request_digest)), Some(&json!(plan.digest)));
        if let (Some(salt), Ok(sent)) = (salt, Sent::deserialize(&call.sent)) {
            told.differ("target_ref", Some(&json!(sent.target_ref)), Some(&json!(plan.target.model_ref)));
            let expected = self.sent(&sent);
            let names = expected.keys().chain(plan.body.keys().filter(|name| !expected.contains_key(*name)));
            names.for_each(|name| told.differ_in_content(salt, name, expected.get(name), plan.body.get(name)));
        }
        Some(told.at(step.seq))
    }

    /// In what the end of an attempt is not the recorded one, if so.
    pub(in crate::gateway) fn compare(&self, attempt: u32, end: &StepEnd, salt: Option<&Salt>) -> Option<Divergence> {
        let (step, _) = self.at(attempt)?;
        let mut told = Told::default();
        told.differ("status", Some(&json!(step.status)), Some(&json!(end.status)));
        let code = |failure: Option<&types::run::Failure>| failure.map(|failure| json!(failure.code));
        told.differ("code", code(step.error.as_ref()).as_ref(), code(end.error.as_ref()).as_ref());
        told.differ("output_chars", Some(&json!(step.output.chars)), Some(&json!(end.output.chars)));
        if let (Some(salt), Some(was), Some(is)) = (salt, &step.output.preview, &end.output.preview) {
            told.differ_in_content(salt, "output", Some(&json!(was)), Some(&json!(is)));
        }
        (!told.is_empty()).then(|| told.at(step.seq))
    }

    /// The record behind an attempt that was the last, if there is more of it.
    pub(in crate::gateway) fn rest(&self, attempt: u32) -> Option<Divergence> {
        let step = self.step(attempt.saturating_add(1))?;
        let expected = json!({ "request_digest": step.request_digest, "status": step.status });
        Some(Divergence { seq: step.seq, expected, actual: Value::Null })
    }

    /// The first step of the record, and what it sent.
    pub(super) fn begin(&self) -> Option<(u32, &str)> {
        self.calls.first().map(|(step, call)| (step.seq, call.request_digest.as_str()))
    }

    fn at(&self, attempt: u32) -> Option<&(Step, RecordedCall)> {
        let index = attempt.checked_sub(self.first)?;
        self.calls.get(usize::try_from(index).ok()?)
    }

    /// The body as it went out.
    fn sent(&self, sent: &Sent) -> Map<String, Value> {
        let mut body = self.request.clone();
        body.retain(|name, _| !sent.left_out.contains(name));
        body.extend(serde_json::from_str::<Map<String, Value>>(&sent.written).unwrap_or_default());
        body
    }
}

/// A difference on its way.
#[derive(Default)]
struct Told {
    expected: Map<String, Value>,
    actual: Map<String, Value>,
}

impl Told {
    /// Ids, words of soit's own, numbers and digests.
    fn differ(&mut self, name: &str, expected: Option<&Value>, actual: Option<&Value>) {
        if expected == actual || self.expected.len() >= MOST_MEMBERS {
            return;
        }
        let told = |value: Option<&Value>| value.cloned().unwrap_or_default();
        self.expected.insert(name.to_owned(), told(expected));
        self.actual.insert(name.to_owned(), told(actual));
    }

    /// What somebody said.
    fn differ_in_content(&mut self, salt: &Salt, name: &str, expected: Option<&Value>, actual: Option<&Value>) {
        if expected != actual {
            let told = |value: Option<&Value>| value.map(|value| untold(salt, name, value));
            self.differ(name, told(expected).as_ref(), told(actual).as_ref());
        }
    }

    fn is_empty(&self) -> bool {
        self.expected.is_empty()
    }

    fn at(self, seq: u32) -> Divergence {
        Divergence { seq, expected: Value::Object(self.expected), actual: Value::Object(self.actual) }
    }
}

/// A member of a request or an answer as an event may hold it: numbers and switches as they are, of anything else how long it
/// is and a commitment. Both sides are committed to under the same salt, so that they compare.
fn untold(salt: &Salt, name: &str, value: &Value) -> Value {
    let text = match value {
        Value::Null | Value::Bool(_) | Value::Number(_) => return value.clone(),
        Value::String(text) => text.clone(),
        Value::Array(_) | Value::Object(_) => value.to_string(),
    };
    let commitment = commitment(&field_salt(salt, &format!("replay.{name}")), &text);
    json!({ "chars": text.chars().count(), "commitment": commitment })
}

/// A provider that answers as it is recorded.
struct Player(Met);

#[async_trait]
impl ModelProvider for Player {
    async fn call(&self, _permit: Permit<ModelCall>) -> Result<Answer, UpstreamError> {
        let Met { body, frames, failed, request_id, .. } = self.0.clone();
        if let Some(frames) = frames {
            let frames = frames.into_iter().map(|frame| read(&frame));
            return Ok(Answer::Stream { frames: stream::iter(frames.chain(failed.map(Err))).boxed(), request_id });
        }
        match (body, failed) {
            (Some(body), _) => read(&body).map(|body| Answer::Whole { body, request_id }),
            (None, Some(failed)) => Err(failed),
            (None, None) => Err(unreadable()),
        }
    }
}

fn read(text: &str) -> Result<Value, UpstreamError> {
    serde_json::from_str(text).map_err(|_| unreadable())
}

fn unreadable() -> UpstreamError {
    let message = "what was recorded cannot be read".to_owned();
    UpstreamError { kind: UpstreamKind::Garbage, message, retry_after: None, request_id: None }
}
