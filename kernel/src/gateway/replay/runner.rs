//! The gateway as the one who runs recorded calls.

use std::sync::Arc;

use async_trait::async_trait;
use futures::channel::oneshot;
use serde::Deserialize;
use serde_json::{Map, Value};
use tracing::Instrument;
use types::id::RunId;
use types::problem::Code;
use types::replay::ReplayKind;
use types::run::Mode;

use super::change::apply;
use super::origin::{Origin, is_difference};
use super::script::Script;
use super::tape::Asked;
use crate::gateway::{Gateway, Operation, Request, span};
use crate::replay::{Order, Recorded, Runner};
use crate::{Error, OpContext, Result};

#[async_trait]
impl Runner for Gateway {
    fn mode(&self) -> Mode {
        Mode::Gateway
    }

    async fn start(self: Arc<Self>, ctx: OpContext, recorded: Recorded, order: Order) -> Result<RunId> {
        let asked = Asked::deserialize(&recorded.request).map_err(|_| unreadable())?;
        let operation = asked.operation().ok_or_else(unreadable)?;
        let is_repetition = order.kind == ReplayKind::Reexecute;
        let script = match is_repetition {
            true => Some(Arc::new(Script::new(&asked, recorded.calls_from(order.from_seq)?))),
            false => None,
        };
        let mut body: Map<String, Value> = serde_json::from_str(&asked.body).map_err(|_| unreadable())?;
        apply(&order.change, operation, &mut body)?;
        let request = request(operation, &asked, Value::Object(body).to_string());
        let origin = Origin { before: recorded.before(order.from_seq), script, order };
        match self.take_up(ctx, request, Arc::new(origin)).await {
            // What cannot be asked for any more is a difference, too: the run says so.
            Err(error) if is_repetition && is_difference(error.code()) => error.run_id().ok_or(error),
            begun => begun,
        }
    }
}

impl Gateway {
    /// Makes a call of an origin. Nobody waits for its answer: it is in the run.
    async fn take_up(self: Arc<Self>, ctx: OpContext, request: Request, origin: Arc<Origin>) -> Result<RunId> {
        let (reply, answer) = oneshot::channel();
        let (begun, begin) = oneshot::channel();
        let (ended, end) = oneshot::channel::<()>();
        let is_repetition = origin.script.is_some();
        let span = span::model_call(&ctx, request.operation);
        let gateway = Arc::clone(&self);
        let walk = async move {
            Box::pin(gateway.walk(ctx, request, reply, Some((origin, begun)))).await;
            drop(ended);
        };
        self.ports.spawner.spawn(Box::pin(walk.instrument(span)));
        match begin.await {
            Ok(run_id) => {
                // Frames that nobody reads are not kept back for anybody.
                drop(answer);
                if is_repetition {
                    // Nothing is ever sent on it: it resolves when the walk is over.
                    let _over = end.await;
                }
                Ok(run_id)
            }
            Err(_) => match answer.await {
                Ok(Err(refused)) => Err(refused.error),
                Ok(Ok(_)) => Err(Error::internal(Lost)),
                Err(lost) => Err(Error::internal(lost)),
            },
        }
    }
}

/// A walk that answers without having begun.
#[derive(Debug, thiserror::Error)]
#[error("a replayed call was answered before it began")]
struct Lost;

fn request(operation: Operation, asked: &Asked, body: String) -> Request {
    let labels: Vec<String> = asked.labels.iter().map(|(key, value)| format!("{key}={value}")).collect();
    let labels = (!labels.is_empty()).then(|| ("x-soit-labels".to_owned(), labels.join(",").into_bytes()));
    let timeout = asked.timeout_ms.map(|millis| ("x-soit-timeout-ms".to_owned(), millis.to_string().into_bytes()));
    Request { operation, body: body.into_bytes(), headers: labels.into_iter().chain(timeout).collect() }
}

fn unreadable() -> Error {
    Error::new(
        Code::ContentNotKept,
        "what was kept of the run cannot be read, and a preview is not enough to replay it",
    )
}
