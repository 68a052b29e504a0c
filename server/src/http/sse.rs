//! Live streams as server-sent events.

use std::convert::Infallible;
use std::time::Duration;

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use axum::http::{HeaderName, HeaderValue};
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use futures::StreamExt;
use futures::stream::{BoxStream, once};
use types::problem::Code;

use super::live::{HEARTBEAT, Message};
use super::problem::Error;

const LAST_EVENT_ID: HeaderName = HeaderName::from_static("last-event-id");
const ACCEL_BUFFERING: HeaderName = HeaderName::from_static("x-accel-buffering");
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

/// The messages as server-sent events.
pub(crate) fn respond(messages: BoxStream<'static, Message>) -> Response {
    let events = once(async { Event::default().retry(RETRY) }).chain(messages.map(event)).map(Ok::<_, Infallible>);
    let body = Sse::new(events).keep_alive(KeepAlive::new().interval(HEARTBEAT).text("hb"));
    ([(ACCEL_BUFFERING, HeaderValue::from_static("no"))], body).into_response()
}

fn event(Message { id, event, data }: Message) -> Event {
    let written = Event::default().data(data.to_string());
    let written = event.into_iter().fold(written, Event::event);
    id.into_iter().fold(written, Event::id)
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
