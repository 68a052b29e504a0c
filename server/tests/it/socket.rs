//! Live streams over real WebSockets.

use std::time::Duration;

use futures::{SinkExt, StreamExt};
use reqwest::Method;
use serde_json::{Value, json};
use tokio::net::TcpStream;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::{WebSocketStream, client_async};

use crate::util::process::{Caller, Soit, http_client};

/// Longest wait for a message before the test fails.
const PATIENCE: Duration = Duration::from_secs(20);

/// One end of a socket.
struct Socket {
    stream: WebSocketStream<TcpStream>,
    /// What the server chose of the offered subprotocols.
    protocol: Option<String>,
}

impl Socket {
    async fn open(soit: &Soit, path: &str, headers: &[(&'static str, &str)]) -> Self {
        let [_, port] = soit.ports();
        let mut request = format!("ws://127.0.0.1:{port}{path}").into_client_request().expect("a request");
        for (name, value) in headers {
            request.headers_mut().insert(*name, value.parse().expect("a header"));
        }
        let connection = TcpStream::connect(("127.0.0.1", port)).await.expect("a connection");
        let (stream, answer) = client_async(request, connection).await.expect("a socket");
        let protocol = answer.headers().get("sec-websocket-protocol");
        Self { stream, protocol: protocol.map(|value| value.to_str().expect("a text").to_owned()) }
    }

    /// The next message, or nothing once the server has closed.
    async fn next(&mut self) -> Option<Value> {
        loop {
            let heard = tokio::time::timeout(PATIENCE, self.stream.next()).await.expect("a message in time");
            match heard?.expect("a frame") {
                Message::Text(text) => return Some(serde_json::from_str(&text).expect("JSON")),
                Message::Close(_) => return None,
                Message::Ping(_) | Message::Pong(_) => {}
                other => panic!("only texts are sent: {other:?}"),
            }
        }
    }

    /// Every message up to the end.
    async fn rest(&mut self) -> Vec<Value> {
        let mut messages = Vec::new();
        while let Some(message) = self.next().await {
            messages.push(message);
        }
        messages
    }
}

/// An upgrade that is refused.
async fn refusal(soit: &Soit, path: &str, headers: &[(&str, &str)]) -> (u16, Value) {
    let mut request = http_client().get(soit.url(path));
    let upgrade = [
        ("connection", "upgrade"),
        ("upgrade", "websocket"),
        ("sec-websocket-version", "13"),
        ("sec-websocket-key", "dGhlIHNhbXBsZSBub25jZQ=="),
    ];
    for (name, value) in upgrade.iter().chain(headers) {
        request = request.header(*name, *value);
    }
    let answer = request.send().await.expect("an answer");
    let status = answer.status().as_u16();
    (status, answer.json::<Value>().await.expect("a problem")["code"].clone())
}

/// A run of a few words.
async fn call(caller: &Caller) -> String {
    let body = json!({ "model": "model:test:echo", "messages": [{ "role": "user", "content": "one two" }] });
    let answer = caller.request(Method::POST, "/v1/chat/completions", Some(body)).send().await.expect("an answer");
    answer.headers()["x-soit-run-id"].to_str().expect("an id").to_owned()
}

async fn key(admin: &Caller, scope: &str) -> (String, String) {
    let made = admin.post("/api/v1/api-keys", json!({ "name": scope, "scopes": [scope] })).await;
    let text = |value: &Value| value.as_str().expect("a text").to_owned();
    (text(&made["api_key"]), text(&made["item"]["id"]))
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_is_told_over_a_socket_and_resumed() {
    let mut soit = Soit::new(&[]);
    soit.start().await;
    let admin = soit.admin().await;
    let (secret, _) = key(&admin, "read").await;
    let run = call(&admin).await;
    let path = format!("/api/v1/runs/{run}/stream");
    let bearer = format!("Bearer {secret}");

    let mut socket = Socket::open(&soit, &path, &[("authorization", &bearer)]).await;
    assert_eq!(socket.protocol, None);
    let all = socket.rest().await;
    let (end, stored) = all.split_last().expect("messages");
    assert_eq!(*end, json!({ "event": "end", "data": {} }));
    for (index, message) in stored.iter().enumerate() {
        let offset = index + 1;
        assert_eq!((&message["event"], &message["id"]), (&json!("message"), &json!(offset.to_string())), "{message}");
        assert_eq!((&message["data"]["offset"], &message["data"]["run_id"]), (&json!(offset), &json!(run)));
    }
    assert_eq!(stored.first().map(|first| &first["data"]["type"]), Some(&json!("run.started")));
    assert_eq!(stored.last().map(|last| &last["data"]["type"]), Some(&json!("run.finished")));

    // Scripts in browsers can set no header: their credential is an offered subprotocol, and the one that is chosen.
    let protocol = format!("bearer.{secret}");
    let headers =
        [("sec-websocket-protocol", protocol.as_str()), ("origin", &*format!("http://localhost:{}", soit.ports()[0]))];
    let mut socket = Socket::open(&soit, &format!("{path}?after=2"), &headers).await;
    assert_eq!(socket.protocol.as_deref(), Some(&*protocol));
    assert_eq!(socket.rest().await, all[2..]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_socket_asks_who_and_from_where_and_ends_with_the_right_or_a_word() {
    let mut soit = Soit::new(&[]);
    soit.start().await;
    let admin = soit.admin().await;
    let (secret, id) = key(&admin, "read").await;
    let bearer = format!("Bearer {secret}");
    let hints = "/api/v1/stream?topics=runs";

    assert_eq!(refusal(&soit, hints, &[]).await, (401, json!("unauthenticated")));
    let wrong = [("sec-websocket-protocol", "bearer.sk_made_up")];
    assert_eq!(refusal(&soit, hints, &wrong).await, (401, json!("invalid_credentials")));
    let foreign = [("authorization", bearer.as_str()), ("origin", "https://elsewhere.example.com")];
    assert_eq!(refusal(&soit, hints, &foreign).await, (403, json!("origin_not_allowed")));

    // What a client says ends its own stream, and no other.
    let headers = [("authorization", bearer.as_str())];
    let mut talker = Socket::open(&soit, hints, &headers).await;
    let mut listener = Socket::open(&soit, hints, &headers).await;
    talker.stream.send(Message::Pong(Vec::new().into())).await.expect("a pong");
    let run = call(&admin).await;
    for socket in [&mut talker, &mut listener] {
        let hint = socket.next().await.expect("a hint");
        assert_eq!(
            (&hint["event"], &hint["data"]["topic"], &hint["data"]["id"]),
            (&json!("hint"), &json!("runs"), &json!(run))
        );
        assert!(hint["id"].is_string(), "{hint}");
    }
    talker.stream.send(Message::text("hello")).await.expect("a word");
    assert!(talker.rest().await.iter().all(|message| message["event"] == "hint"));

    admin.post(&format!("/api/v1/api-keys/{id}/revoke"), json!({})).await;
    let told = listener.rest().await;
    let closed = json!({ "event": "closed", "data": { "code": "invalid_credentials" } });
    assert_eq!(told.last(), Some(&closed), "{told:?}");
    assert_eq!(refusal(&soit, hints, &headers).await.0, 401);
}
