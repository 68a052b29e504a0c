//! Live streams as server-sent events, the same at `/api/v1` and in the console.

use std::convert::Infallible;
use std::time::Duration;

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use axum::http::{HeaderName, HeaderValue};
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use futures::StreamExt;
use futures::stream::{BoxStream, once};
use kernel::observe::{HintItem, RunItem};
use serde::Serialize;
use serde_json::json;
use types::problem::Code;

use super::problem::Error;

const LAST_EVENT_ID: HeaderName = HeaderName::from_static("last-event-id");
const ACCEL_BUFFERING: HeaderName = HeaderName::from_static("x-accel-buffering");
/// A silent stream says so this often.
const HEARTBEAT: Duration = Duration::from_secs(15);
/// How long a reader waits before it comes again.
const RETRY: Duration = Duration::from_secs(2);

/// Where a reader left off, by `Last-Event-ID`: `{offset}`, or `{offset}/{characters}` of a delta.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LastEventId(pub(crate) Option<u64>);

impl<S: Send + Sync> FromRequestParts<S> for LastEventId {
    type Rejection = Error;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Error> {
        let Some(value) = parts.headers.get(LAST_EVENT_ID) else { return Ok(Self(None)) };
        let invalid =
            || Error::new(Code::LastEventIdInvalid, "`Last-Event-ID` must be the id of an event of this stream");
        let text = value.to_str().map_err(|_| invalid())?;
        let (offset, chars) = text.split_once('/').map_or((text, None), |(offset, chars)| (offset, Some(chars)));
        let is_number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
        if !is_number(offset) || chars.is_some_and(|chars| chars.is_empty() || !is_number(chars)) {
            return Err(invalid());
        }
        offset.parse().map(|offset| Self(Some(offset))).map_err(|_| invalid())
    }
}

/// A run as it happens. Stored events have no name and their offset as id; `delta`, `lagged`, `end` and `closed` are named.
pub(crate) fn run_events(items: BoxStream<'static, RunItem>) -> Response {
    stream(items.map(|item| match item {
        RunItem::Event(event) => data(&event).id(event.offset.to_string()),
        RunItem::Delta { offset, chars, text } => {
            data(&json!({ "text": text })).event("delta").id(format!("{offset}/{chars}"))
        }
        RunItem::Lagged => data(&json!({})).event("lagged"),
        RunItem::End => data(&json!({})).event("end"),
        RunItem::Closed(code) => closed(code),
    }))
}

/// Hints for lists: `hint`, `resync` and `closed`.
pub(crate) fn hints(items: BoxStream<'static, HintItem>) -> Response {
    stream(items.map(|item| match item {
        HintItem::Hint(hint) => data(&hint).event("hint").id(hint.version.to_string()),
        HintItem::Resync => data(&json!({})).event("resync"),
        HintItem::Closed(code) => closed(code),
    }))
}

fn closed(code: Code) -> Event {
    data(&json!({ "code": code })).event("closed")
}

fn data(value: &impl Serialize) -> Event {
    Event::default().data(serde_json::to_string(value).unwrap_or_default())
}

fn stream(events: impl futures::Stream<Item = Event> + Send + 'static) -> Response {
    let events = once(async { Event::default().retry(RETRY) }).chain(events).map(Ok::<_, Infallible>);
    let body = Sse::new(events).keep_alive(KeepAlive::new().interval(HEARTBEAT).text("hb"));
    ([(ACCEL_BUFFERING, HeaderValue::from_static("no"))], body).into_response()
}

#[cfg(test)]
mod tests {
    use axum::http::Request;

    use super::*;

    async fn read(value: &str) -> Result<Option<u64>, Code> {
        let (mut parts, ()) = Request::builder().header(LAST_EVENT_ID, value).body(()).unwrap().into_parts();
        let found = LastEventId::from_request_parts(&mut parts, &()).await;
        found.map(|LastEventId(offset)| offset).map_err(|Error(problem)| problem.code)
    }

    #[tokio::test]
    async fn a_reader_goes_on_by_the_id_of_an_event_or_delta() {
        assert_eq!(read("7").await, Ok(Some(7)));
        assert_eq!(read("7/120").await, Ok(Some(7)));
        for text in ["", "abc", "-1", "7/", "/7", "7/x", "99999999999999999999"] {
            assert_eq!(read(text).await, Err(Code::LastEventIdInvalid), "{text}");
        }
    }
}
