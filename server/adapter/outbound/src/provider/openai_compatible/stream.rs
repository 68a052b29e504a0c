//! The frames of a streamed answer, up to the provider's end mark.

use std::collections::{BTreeMap, VecDeque};
use std::time::Duration;

use futures::stream::{self, BoxStream, StreamExt};
use http::HeaderMap;
use http::header::CONTENT_TYPE;
use kernel::port::{UpstreamError, UpstreamKind};
use serde_json::Value;
use tokio::time::{Instant, timeout_at};

use super::wire::{self, Notes};
use crate::http::{Body, Event, EventParser, Failure};
use crate::secret::Mask;

const END_MARK: &str = "[DONE]";
const MAX_FRAME: usize = 4 * 1024 * 1024;
const MAX_STREAM: usize = 256 * 1024 * 1024;

/// How long to wait for frames.
#[derive(Clone, Copy, Debug)]
pub(super) struct Patience {
    /// For the first, from the start of the call.
    pub(super) first: Duration,
    /// When that is over.
    pub(super) deadline: Instant,
    /// For each later one. Comments are no frames: a server cannot keep a silent stream alive with them.
    pub(super) between: Duration,
}

/// Whether the answer is a stream at all.
pub(super) fn is_event_stream(headers: &HeaderMap) -> bool {
    let content_type = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    content_type.trim_start().to_ascii_lowercase().starts_with("text/event-stream")
}

/// The frames. The first error ends them; dropping them closes the connection.
pub(super) fn frames(
    body: Body,
    mask: Mask,
    notes: Notes,
    patience: Patience,
) -> BoxStream<'static, Result<Value, UpstreamError>> {
    let reader = Reader {
        body,
        mask,
        notes,
        patience,
        parser: EventParser::new(MAX_FRAME),
        events: VecDeque::new(),
        progress: Progress::default(),
        is_first: true,
        over: None,
    };
    let frames = stream::unfold(Some(reader), |reader| async {
        let mut reader = reader?;
        match reader.next().await {
            Ok(Some(frame)) => Some((Ok(frame), Some(reader))),
            Ok(None) => None,
            Err(error) => Some((Err(error), None)),
        }
    });
    frames.boxed()
}

struct Reader {
    body: Body,
    mask: Mask,
    notes: Notes,
    patience: Patience,
    parser: EventParser,
    events: VecDeque<Event>,
    progress: Progress,
    is_first: bool,
    /// The connection has ended, in order or by a failure.
    over: Option<Option<Failure>>,
}

impl Reader {
    /// The next frame; `None` after the end mark, or after a finish reason when the mark is missing.
    async fn next(&mut self) -> Result<Option<Value>, UpstreamError> {
        let (deadline, waited) = if std::mem::take(&mut self.is_first) {
            (self.patience.deadline, self.patience.first)
        } else {
            (Instant::now() + self.patience.between, self.patience.between)
        };
        loop {
            if let Some(event) = self.events.pop_front() {
                if event.data.trim() == END_MARK {
                    return Ok(None);
                }
                let frame = wire::frame(&event, &self.mask, &self.notes)?;
                self.progress.note(&frame);
                return Ok(Some(frame));
            }
            if let Some(failure) = self.over.take() {
                return self.verdict(failure);
            }
            let chunk = timeout_at(deadline, self.body.chunk(MAX_STREAM)).await;
            match chunk.map_err(|_| self.notes.timeout(waited, "the next frame"))? {
                Some(Ok(chunk)) => {
                    let pushed = self.parser.push(&chunk, &mut self.events);
                    pushed.map_err(|failure| self.notes.failure(&failure))?;
                }
                ended => {
                    self.over = Some(ended.and_then(Result::err));
                    // An event without its blank line counts only if nothing of it is missing.
                    let left = self.parser.finish().ok().flatten();
                    self.events
                        .extend(left.filter(|event| event.data.trim() == END_MARK || wire::is_json(&event.data)));
                }
            }
        }
    }

    /// A stream without end mark is whole if its answer is.
    fn verdict(&self, failure: Option<Failure>) -> Result<Option<Value>, UpstreamError> {
        if self.progress.is_finished() {
            return Ok(None);
        }
        Err(match failure {
            Some(failure) => self.notes.failure(&failure),
            None => self.notes.error(UpstreamKind::Cut, "the stream ended without its end mark".to_owned()),
        })
    }
}

/// Which choices were seen, and whether each gave its finish reason.
#[derive(Debug, Default)]
struct Progress(BTreeMap<u64, bool>);

impl Progress {
    fn note(&mut self, frame: &Value) {
        for choice in frame.get("choices").and_then(Value::as_array).into_iter().flatten() {
            let index = choice.get("index").and_then(Value::as_u64).unwrap_or_default();
            let finished = choice.get("finish_reason").is_some_and(|reason| !reason.is_null());
            *self.0.entry(index).or_default() |= finished;
        }
    }

    fn is_finished(&self) -> bool {
        !self.0.is_empty() && self.0.values().all(|finished| *finished)
    }
}
