//! What live streams say, the same at `/api/v1` and in the console, as server-sent events and over a WebSocket.

use std::time::Duration;

use axum::response::Response;
use futures::StreamExt;
use futures::stream::BoxStream;
use kernel::observe::{HintItem, RunItem};
use serde::Serialize;
use serde_json::{Value, json};
use types::problem::Code;

use super::socket::Upgrade;
use super::sse;

/// A silent stream says so this often.
pub(super) const HEARTBEAT: Duration = Duration::from_secs(15);

/// One message of a live stream.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Message {
    /// Where a reader goes on behind it.
    pub(super) id: Option<String>,
    /// What kind; none for a stored event.
    pub(super) event: Option<&'static str>,
    pub(super) data: Value,
}

impl Message {
    fn stored(data: &impl Serialize, id: String) -> Self {
        Self { id: Some(id), event: None, data: json!(data) }
    }

    fn named(event: &'static str, data: Value) -> Self {
        Self { id: None, event: Some(event), data }
    }

    fn closed(code: Code) -> Self {
        Self::named("closed", json!({ "code": code }))
    }
}

/// A run as it happens. Stored events have no name and their offset as id; `delta`, `lagged`, `end` and `closed` are named.
pub(crate) fn run_events(items: BoxStream<'static, RunItem>) -> BoxStream<'static, Message> {
    let message = |item| match item {
        RunItem::Event(event) => Message::stored(&event, event.offset.to_string()),
        RunItem::Delta { offset, chars, text } => {
            Message { id: Some(format!("{offset}/{chars}")), ..Message::named("delta", json!({ "text": text })) }
        }
        RunItem::Lagged => Message::named("lagged", json!({})),
        RunItem::End => Message::named("end", json!({})),
        RunItem::Closed(code) => Message::closed(code),
    };
    items.map(message).boxed()
}

/// Hints for lists: `hint`, `resync` and `closed`.
pub(crate) fn hints(items: BoxStream<'static, HintItem>) -> BoxStream<'static, Message> {
    let message = |item| match item {
        HintItem::Hint(hint) => Message { id: Some(hint.version.to_string()), ..Message::named("hint", json!(hint)) },
        HintItem::Resync => Message::named("resync", json!({})),
        HintItem::Closed(code) => Message::closed(code),
    };
    items.map(message).boxed()
}

/// The stream in the form that was asked for.
pub(crate) fn respond(upgrade: Upgrade, messages: BoxStream<'static, Message>) -> Response {
    match upgrade {
        Upgrade::No => sse::respond(messages),
        Upgrade::Socket(socket) => socket.respond(messages),
    }
}
