//! A provider that does as it is told.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use futures::{StreamExt, stream};
use kernel::policy::Permit;
use kernel::port::{Answer, BuiltinModel, BuiltinModels, ModelCall, ModelProvider, UpstreamError, UpstreamKind};
use serde_json::{Value, json};
use types::modelhub::Capability;

/// What one attempt meets.
#[derive(Clone, Debug)]
pub(super) enum Act {
    /// A whole answer.
    Whole(Value),
    /// Frames, a pause before each; then the end, or an error.
    Stream { frames: Vec<Value>, pause: Duration, end: Option<UpstreamKind> },
    /// A failure, with the wish to wait.
    Fail(UpstreamKind, Option<u64>),
    /// A whole answer that takes its time.
    Late(Duration, Value),
    /// Nothing, ever.
    Hang,
}

/// The provider: its acts in order, the last one for ever.
#[derive(Default)]
pub(super) struct FakeProvider {
    acts: Mutex<VecDeque<Act>>,
    /// Bodies as they were sent.
    pub(super) received: Mutex<Vec<ModelCall>>,
    /// Connections open now.
    pub(super) open: Arc<AtomicUsize>,
}

impl FakeProvider {
    pub(super) fn will(&self, acts: impl IntoIterator<Item = Act>) {
        *self.acts.lock().unwrap() = acts.into_iter().collect();
    }

    fn next(&self) -> Act {
        let mut acts = self.acts.lock().unwrap();
        if acts.len() > 1 { acts.pop_front().unwrap() } else { acts.front().cloned().expect("an act") }
    }
}

/// An open connection.
struct Open(Arc<AtomicUsize>);

impl Open {
    fn new(count: &Arc<AtomicUsize>) -> Self {
        count.fetch_add(1, Ordering::SeqCst);
        Self(Arc::clone(count))
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

#[async_trait]
impl ModelProvider for FakeProvider {
    async fn call(&self, permit: Permit<ModelCall>) -> Result<Answer, UpstreamError> {
        let open = Open::new(&self.open);
        self.received.lock().unwrap().push(permit.into_call());
        let request_id = Some("up-request".to_owned());
        match self.next() {
            Act::Whole(body) => Ok(Answer::Whole { body, request_id }),
            Act::Fail(kind, retry_after) => Err(UpstreamError { retry_after, ..failure(kind) }),
            Act::Late(after, body) => {
                tokio::time::sleep(after).await;
                Ok(Answer::Whole { body, request_id })
            }
            Act::Hang => std::future::pending().await,
            Act::Stream { frames, pause, end } => {
                let items: Vec<_> = frames.into_iter().map(Ok).chain(end.map(|kind| Err(failure(kind)))).collect();
                let frames = stream::unfold((items.into_iter(), open), move |(mut items, open)| async move {
                    tokio::time::sleep(pause).await;
                    Some((items.next()?, (items, open)))
                });
                Ok(Answer::Stream { frames: frames.boxed(), request_id })
            }
        }
    }
}

pub(super) fn failure(kind: UpstreamKind) -> UpstreamError {
    UpstreamError { kind, message: "as told".to_owned(), retry_after: None, request_id: None }
}

const CHAT: &[Capability] = &[Capability::Chat, Capability::Stream, Capability::Tools];

impl BuiltinModels for FakeProvider {
    fn find(&self, name: &str) -> Option<BuiltinModel> {
        match name {
            "echo" => Some(BuiltinModel { name: name.to_owned(), capabilities: CHAT }),
            "embed" => Some(BuiltinModel { name: name.to_owned(), capabilities: &[Capability::Embedding] }),
            _ => None,
        }
    }

    fn list(&self) -> Vec<BuiltinModel> {
        ["echo", "embed"].into_iter().filter_map(|name| self.find(name)).collect()
    }
}

/// A whole answer of a text.
pub(super) fn whole(text: &str, prompt: u64, completion: u64) -> Act {
    Act::Whole(json!({
        "id": "up-1", "object": "chat.completion", "created": 1, "model": "real",
        "choices": [{ "index": 0, "message": { "role": "assistant", "content": text }, "finish_reason": "stop" }],
        "usage": { "prompt_tokens": prompt, "completion_tokens": completion, "total_tokens": prompt + completion },
    }))
}

/// A frame of a text.
pub(super) fn delta(text: &str) -> Value {
    json!({ "id": "up-1", "choices": [{ "index": 0, "delta": { "content": text }, "finish_reason": null }] })
}

/// The frame of the finish reason.
pub(super) fn finish() -> Value {
    json!({ "id": "up-1", "choices": [{ "index": 0, "delta": {}, "finish_reason": "stop" }] })
}

/// The frame of the usage.
pub(super) fn usage(prompt: u64, completion: u64) -> Value {
    json!({ "id": "up-1", "choices": [], "usage": { "prompt_tokens": prompt, "completion_tokens": completion } })
}

/// A stream of words that ends well.
pub(super) fn words(words: &[&str], pause: Duration) -> Act {
    let mut frames: Vec<Value> = words.iter().map(|word| delta(word)).collect();
    frames.extend([finish(), usage(10, u64::try_from(words.len()).unwrap())]);
    Act::Stream { frames, pause, end: None }
}
