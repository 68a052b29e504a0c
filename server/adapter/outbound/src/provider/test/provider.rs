//! Receives calls and answers them.

use std::sync::Arc;
use std::time::Duration;

use futures::stream::{self, StreamExt};
use kernel::context::Scope;
use kernel::port::{
    Answer, BuiltinModel, BuiltinModels, Clock, ModelCall, Tokenizer, UpstreamError, UpstreamKind, Wire,
};
use serde_json::Value;
use tokio::time::timeout;
use types::id::RunId;

use super::behavior::{self, Behavior};
use super::embedding;
use super::prompt::Prompt;
use super::received::{Open, Received, ReceivedCall};
use super::reply::Reply;
use crate::tokenizer::Tiktoken;

/// The built-in provider.
pub struct TestProvider {
    clock: Arc<dyn Clock>,
    received: Received,
}

impl BuiltinModels for TestProvider {
    fn find(&self, name: &str) -> Option<BuiltinModel> {
        behavior::find(name)
    }

    fn list(&self) -> Vec<BuiltinModel> {
        behavior::list()
    }
}

impl TestProvider {
    /// A provider whose waits pass on this clock.
    pub fn new(clock: Arc<dyn Clock>) -> Self {
        Self { received: Received::new(Arc::clone(&clock)), clock }
    }

    /// What it received from a workspace, oldest first, as far as it is remembered; of one run where it is named.
    pub fn calls(&self, scope: Scope, run_id: Option<RunId>) -> Vec<ReceivedCall> {
        self.received.of(scope, run_id)
    }

    pub(in crate::provider) async fn call(&self, mut call: ModelCall) -> Result<Answer, UpstreamError> {
        let body = Arc::new(call.body.take());
        let open = self.received.open(&call, &body);
        let patience = call.timeout;
        let answered = timeout(patience, self.answer(&call, Prompt(&body), open)).await;
        answered.unwrap_or_else(|_| Err(late(patience)))
    }

    async fn answer(&self, call: &ModelCall, prompt: Prompt<'_>, mut open: Open) -> Result<Answer, UpstreamError> {
        let unknown = || status(404, format!("there is no test model `{}`", call.upstream_model));
        let behavior = Behavior::parse(&call.upstream_model).ok_or_else(unknown)?;
        misbehave(behavior, call.attempt_no).await?;
        let request_id = Some(format!("test-{}-{}", call.run_id, call.attempt_no));
        if call.wire == Wire::Embeddings {
            let body = embed(call, behavior, prompt.0).await?;
            open.complete();
            return Ok(Answer::Whole { body, request_id });
        }
        let reply = Reply::to(call, behavior, prompt).await.map_err(|(code, why)| status(code, why))?;
        if !reply.delay.is_zero() {
            self.clock.sleep(reply.delay).await;
        }
        if call.stream {
            let acts = acts(reply.frames(call, prompt), behavior);
            let pace = if let Behavior::Pace(pace) = behavior { pace } else { Duration::ZERO };
            let frames = self.play(acts, pace, call.frame_timeout, open);
            return Ok(Answer::Stream { frames: frames.boxed(), request_id });
        }
        match behavior {
            Behavior::Drop(_) => Err(error(UpstreamKind::Cut, "the answer ended early")),
            Behavior::BadFrame(_) => Err(error(UpstreamKind::Garbage, "the answer is no JSON object")),
            _ => {
                open.complete();
                Ok(Answer::Whole { body: reply.whole(call, prompt), request_id })
            }
        }
    }

    /// The acts one after the other; dropping the stream closes the connection.
    fn play(
        &self,
        acts: Vec<Act>,
        pace: Duration,
        patience: Duration,
        open: Open,
    ) -> impl futures::Stream<Item = Result<Value, UpstreamError>> + Send + use<> {
        let state = (acts.into_iter(), open, Arc::clone(&self.clock));
        stream::unfold(state, move |(mut acts, mut open, clock)| async move {
            let mut act = acts.next()?;
            if matches!(act, Act::Send(_)) && !pace.is_zero() && timeout(patience, clock.sleep(pace)).await.is_err() {
                act = Act::Fail(late(patience));
            }
            match act {
                Act::Send(frame) => Some((Ok(frame), (acts, open, clock))),
                Act::Fail(error) => Some((Err(error), (Vec::new().into_iter(), open, clock))),
                Act::End => {
                    open.complete();
                    None
                }
            }
        })
    }
}

impl std::fmt::Debug for TestProvider {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("TestProvider").finish_non_exhaustive()
    }
}

/// Faults before any answer.
async fn misbehave(behavior: Behavior, attempt_no: u32) -> Result<(), UpstreamError> {
    match behavior {
        Behavior::Hang => std::future::pending().await,
        Behavior::Reset => Err(error(UpstreamKind::Reset, "the connection was reset")),
        Behavior::Error(code) => Err(status(code, format!("this model answers {code}"))),
        Behavior::FailFirst(attempts) if attempt_no <= attempts => {
            Err(status(503, format!("attempt {attempt_no} of a run fails with this model")))
        }
        Behavior::ErrorIn200 => Err(error(UpstreamKind::ErrorInBody, "this model answers an error")),
        _ => Ok(()),
    }
}

async fn embed(call: &ModelCall, behavior: Behavior, body: &Value) -> Result<Value, UpstreamError> {
    let Behavior::Embed(dimensions) = behavior else {
        return Err(status(400, "this model makes no embeddings".to_owned()));
    };
    let refuse = |why| status(400, why);
    let texts = embedding::inputs(body, &call.upstream_model).map_err(refuse)?;
    let tokens = Tiktoken.count(&call.upstream_model, &texts).await;
    embedding::answer(body, &call.upstream_model, dimensions, &texts, tokens).map_err(refuse)
}

/// What a stream does next.
enum Act {
    Send(Value),
    Fail(UpstreamError),
    End,
}

fn acts(mut frames: Vec<Value>, behavior: Behavior) -> Vec<Act> {
    let (most, end) = match behavior {
        Behavior::Drop(most) => (most, Act::Fail(error(UpstreamKind::Cut, "the stream ended without its end mark"))),
        Behavior::BadFrame(most) => (most, Act::Fail(error(UpstreamKind::Garbage, "a frame is no JSON object"))),
        _ => (usize::MAX, Act::End),
    };
    frames.truncate(most);
    frames.into_iter().map(Act::Send).chain([end]).collect()
}

fn late(waited: Duration) -> UpstreamError {
    error(UpstreamKind::Timeout, format!("the answer did not come within {} ms", waited.as_millis()))
}

fn status(code: u16, message: String) -> UpstreamError {
    error(UpstreamKind::Status(code), message)
}

fn error(kind: UpstreamKind, message: impl Into<String>) -> UpstreamError {
    // Who is asked to slow down is told for how long.
    let retry_after = (kind == UpstreamKind::Status(429)).then_some(1);
    UpstreamError { kind, message: message.into(), retry_after, request_id: None }
}
