//! Reads a stream of server-sent events, one after the other.

use std::time::Duration;

use axum::body::{Body, BodyDataStream};
use axum::http::Request;
use futures::StreamExt;
use serde_json::Value;

use super::test_app::Caller;

/// Longest wait for an event before the test fails.
const PATIENCE: Duration = Duration::from_secs(20);

/// One event.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Event {
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) data: Value,
}

/// An open stream.
pub(crate) struct Events {
    body: BodyDataStream,
    text: String,
}

impl Events {
    /// Opens a stream, going on behind an event where one is named.
    pub(crate) async fn open(caller: &Caller, path: &str, last: Option<&str>) -> Self {
        let request = Request::builder().uri(path);
        let request = last.into_iter().fold(request, |request, id| request.header("last-event-id", id));
        let response = caller.respond(request.body(Body::empty()).expect("a request")).await;
        assert_eq!(response.status(), 200);
        assert_eq!(response.headers()["content-type"], "text/event-stream");
        Self { body: response.into_body().into_data_stream(), text: String::new() }
    }

    /// The next event, or nothing where the stream has ended.
    pub(crate) async fn next(&mut self) -> Option<Event> {
        loop {
            if let Some((frame, rest)) = self.text.split_once("\n\n") {
                let (frame, rest) = (frame.to_owned(), rest.to_owned());
                self.text = rest;
                match read(&frame) {
                    Some(event) => return Some(event),
                    None => continue,
                }
            }
            let chunk = tokio::time::timeout(PATIENCE, self.body.next()).await.expect("an event in time")?;
            self.text.push_str(std::str::from_utf8(&chunk.expect("a whole body")).expect("UTF-8"));
        }
    }

    /// Every event up to the end.
    pub(crate) async fn rest(&mut self) -> Vec<Event> {
        let mut events = Vec::new();
        while let Some(event) = self.next().await {
            events.push(event);
        }
        events
    }
}

/// An event; comments and waiting times are none.
fn read(frame: &str) -> Option<Event> {
    let mut event = Event::default();
    for line in frame.lines() {
        match line.split_once(": ") {
            Some(("id", id)) => event.id = id.to_owned(),
            Some(("event", name)) => event.name = name.to_owned(),
            Some(("data", data)) => event.data = serde_json::from_str(data).expect("JSON"),
            _ => {}
        }
    }
    (event != Event::default()).then_some(event)
}
