//! Live streams over a WebSocket: one text frame `{id?, event, data}` for each message.

use std::time::Duration;

use axum::body::Bytes;
use axum::extract::FromRequestParts;
use axum::extract::ws::{self, WebSocket, WebSocketUpgrade};
use axum::http::HeaderMap;
use axum::http::header::{ORIGIN, SEC_WEBSOCKET_PROTOCOL, UPGRADE};
use axum::http::request::Parts;
use axum::response::Response;
use futures::StreamExt;
use futures::stream::BoxStream;
use serde_json::json;
use tokio::time::{Instant, interval_at, timeout};
use types::problem::Code;

use super::live::{HEARTBEAT, Message};
use super::problem::Error;
use crate::compose::App;
use crate::config::AllowedOrigins;
use crate::listener::Slot;

/// A client that takes no frame for so long is gone.
const PATIENCE: Duration = Duration::from_secs(10);
/// Largest frame of a client, which has nothing to say.
const MAX_FRAME: usize = 1024;
/// The subprotocol that carries a credential: browsers can set no header.
const BEARER: &str = "bearer.";

/// Whether the request asks for a WebSocket. One that scripts of other sites ask for is refused.
pub(crate) enum Upgrade {
    /// It does not.
    No,
    /// It does.
    Socket(Box<Socket>),
}

/// A WebSocket about to be opened.
pub(crate) struct Socket {
    upgrade: WebSocketUpgrade,
    /// The connection counts until the socket is closed.
    slot: Option<Slot>,
}

impl FromRequestParts<App> for Upgrade {
    type Rejection = Error;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, Error> {
        if !is_asked(&parts.headers) {
            return Ok(Self::No);
        }
        let own = app.config.http.public_url.origin().ascii_serialization();
        check_origin(&parts.headers, &own, &app.config.http.cors_allowed_origins)?;
        let offered = offered(&parts.headers).map(str::to_owned);
        let slot = parts.extensions.get::<Slot>().cloned();
        let upgrade = WebSocketUpgrade::from_request_parts(parts, app).await;
        let upgrade =
            upgrade.map_err(|_| Error::new(Code::Invalid, "the request is no WebSocket upgrade of version 13"))?;
        let upgrade = upgrade.max_message_size(MAX_FRAME).protocols(offered);
        Ok(Self::Socket(Box::new(Socket { upgrade, slot })))
    }
}

fn is_asked(headers: &HeaderMap) -> bool {
    headers.get(UPGRADE).is_some_and(|value| value.as_bytes().eq_ignore_ascii_case(b"websocket"))
}

/// Programs name no origin; browsers always do.
fn check_origin(headers: &HeaderMap, own: &str, allowed: &AllowedOrigins) -> Result<(), Error> {
    let Some(origin) = headers.get(ORIGIN) else { return Ok(()) };
    let origin = origin.to_str().unwrap_or_default();
    let is_allowed = match allowed {
        AllowedOrigins::Any => true,
        AllowedOrigins::These(origins) => origin == own || origins.iter().any(|known| known == origin),
    };
    if is_allowed {
        return Ok(());
    }
    let detail = "scripts of this site may not read streams; name it in `CORS_ALLOWED_ORIGINS`";
    Err(Error::new(Code::OriginNotAllowed, detail))
}

/// The subprotocol with a credential, of a request that asks for a WebSocket.
fn offered(headers: &HeaderMap) -> Option<&str> {
    let lines = headers.get_all(SEC_WEBSOCKET_PROTOCOL).iter().filter_map(|line| line.to_str().ok());
    lines.flat_map(|line| line.split(',')).map(str::trim).find(|protocol| protocol.starts_with(BEARER))
}

/// The credential that stands in the subprotocol of a WebSocket upgrade.
pub(super) fn bearer(headers: &HeaderMap) -> Option<&str> {
    if is_asked(headers) { offered(headers)?.strip_prefix(BEARER) } else { None }
}

impl Socket {
    /// Opens it and sends the messages to their end.
    pub(super) fn respond(self, messages: BoxStream<'static, Message>) -> Response {
        let Self { upgrade, slot } = self;
        upgrade.on_upgrade(|socket| async move {
            send(socket, messages).await;
            drop(slot);
        })
    }
}

async fn send(mut socket: WebSocket, mut messages: BoxStream<'static, Message>) {
    let mut ping = interval_at(Instant::now() + HEARTBEAT, HEARTBEAT);
    loop {
        let frame = tokio::select! {
            message = messages.next() => match message {
                Some(message) => ws::Message::Text(text(message).into()),
                None => break,
            },
            _ = ping.tick() => ws::Message::Ping(Bytes::new()),
            heard = socket.recv() => match heard {
                Some(Ok(ws::Message::Pong(_) | ws::Message::Ping(_))) => continue,
                // A client has nothing to say: what it says ends the stream.
                _ => break,
            },
        };
        if !matches!(timeout(PATIENCE, socket.send(frame)).await, Ok(Ok(()))) {
            return;
        }
    }
    // Whoever is gone needs no goodbye.
    let _ = timeout(PATIENCE, socket.send(ws::Message::Close(None))).await;
}

/// A stored event is called `message`, as it is where server-sent events have no name.
fn text(Message { id, event, data }: Message) -> String {
    let event = event.unwrap_or("message");
    match id {
        Some(id) => json!({ "id": id, "event": event, "data": data }).to_string(),
        None => json!({ "event": event, "data": data }).to_string(),
    }
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderName;

    use super::*;

    fn headers(pairs: &[(&'static str, &'static str)]) -> HeaderMap {
        let pair =
            |(name, value): &(&'static str, &'static str)| (HeaderName::from_static(name), value.parse().unwrap());
        pairs.iter().map(pair).collect()
    }

    #[test]
    fn only_own_and_named_sites_and_programs_may_open_a_socket() {
        let allowed = AllowedOrigins::These(vec!["https://a.example.com".to_owned()]);
        let refused = |pairs: &[(&'static str, &'static str)]| {
            check_origin(&headers(pairs), "https://soit.example.com", &allowed).err().map(|Error(problem)| problem.code)
        };
        assert_eq!(refused(&[]), None);
        assert_eq!(refused(&[("origin", "https://soit.example.com")]), None);
        assert_eq!(refused(&[("origin", "https://a.example.com")]), None);
        for foreign in ["https://b.example.com", "null", "https://a.example.com:444", "http://a.example.com"] {
            assert_eq!(refused(&[("origin", foreign)]), Some(Code::OriginNotAllowed), "{foreign}");
        }
    }

    #[test]
    fn a_credential_is_read_from_the_subprotocol_of_an_upgrade_alone() {
        let offered = ("sec-websocket-protocol", "soit, bearer.sk_1");
        assert_eq!(bearer(&headers(&[("upgrade", "WebSocket"), offered])), Some("sk_1"));
        assert_eq!(bearer(&headers(&[offered])), None);
        assert_eq!(bearer(&headers(&[("upgrade", "websocket"), ("sec-websocket-protocol", "soit")])), None);
    }
}
