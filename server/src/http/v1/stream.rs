//! A streamed answer as server-sent events.

use std::convert::Infallible;

use axum::body::{Body, Bytes};
use axum::http::HeaderValue;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE, HeaderName};
use axum::response::Response;
use futures::{StreamExt, stream};
use kernel::gateway::{Frame, Frames};

use super::envelope;

const ACCEL_BUFFERING: HeaderName = HeaderName::from_static("x-accel-buffering");
const END: &[u8] = b"data: [DONE]\n\n";

/// Sends frames as they come, and the end mark behind the last one. A client that hangs up drops the frames, which ends
/// the call.
pub(super) fn respond(frames: Frames) -> Response {
    let events = frames.map(event).chain(stream::once(async { Bytes::from_static(END) }));
    let mut response = Response::new(Body::from_stream(events.map(Ok::<_, Infallible>)));
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    headers.insert(ACCEL_BUFFERING, HeaderValue::from_static("no"));
    response
}

fn event(frame: Frame) -> Bytes {
    match frame {
        Frame::Data(text) => data(&text),
        Frame::Wait => Bytes::from_static(b": wait\n\n"),
        Frame::Failed(error) => data(&envelope::of(&error.problem()).to_string()),
    }
}

/// JSON text has no line break, so one line holds it.
fn data(text: &str) -> Bytes {
    Bytes::from(format!("data: {text}\n\n"))
}
