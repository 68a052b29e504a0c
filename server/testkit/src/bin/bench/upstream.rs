//! The provider every target calls: answers at once or after a fixed delay, whole or as a paced stream.

use std::convert::Infallible;
use std::time::Duration;

use axum::Json;
use axum::body::{Body, Bytes};
use axum::extract::Path;
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use futures::StreamExt;
use serde_json::{Value, json};

/// Frames of a stream that carry text, and the time between them.
pub(crate) const FRAMES: usize = 20;
/// Time between frames.
pub(crate) const PACE: Duration = Duration::from_millis(20);

async fn answer(Path(delay_ms): Path<u64>, Json(body): Json<Value>) -> Response {
    if delay_ms > 0 {
        tokio::time::sleep(Duration::from_millis(delay_ms)).await;
    }
    let usage = json!({"prompt_tokens": 12, "completion_tokens": 20, "total_tokens": 32});
    if body.get("stream") != Some(&json!(true)) {
        return Json(json!({"id": "chatcmpl-bench", "object": "chat.completion", "created": 1, "model": "bench", "usage": usage,
            "choices": [{"index": 0, "message": {"role": "assistant", "content": "measured ".repeat(20)}, "finish_reason": "stop"}]}))
        .into_response();
    }
    let frame = |delta: Value, finish: Value| {
        let chunk = json!({"id": "chatcmpl-bench", "object": "chat.completion.chunk", "created": 1, "model": "bench",
            "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]});
        format!("data: {chunk}\n\n")
    };
    let mut frames: Vec<String> = (0..FRAMES).map(|_| frame(json!({"content": "measured "}), Value::Null)).collect();
    frames.push(frame(json!({}), json!("stop")));
    let last = json!({"id": "chatcmpl-bench", "object": "chat.completion.chunk", "created": 1, "model": "bench", "choices": [], "usage": usage});
    frames.push(format!("data: {last}\n\ndata: [DONE]\n\n"));
    let paced = futures::stream::iter(frames.into_iter().enumerate()).then(|(number, text)| async move {
        if (1..FRAMES).contains(&number) {
            tokio::time::sleep(PACE).await;
        }
        Ok::<_, Infallible>(Bytes::from(text))
    });
    ([("content-type", "text/event-stream")], Body::from_stream(paced)).into_response()
}

/// Serves on a free loopback port and returns it.
pub(crate) async fn serve() -> Result<u16, String> {
    use axum::serve::ListenerExt;

    let listener = tokio::net::TcpListener::bind(("127.0.0.1", 0)).await.map_err(|error| error.to_string())?;
    let port = listener.local_addr().map_err(|error| error.to_string())?.port();
    let listener = listener.tap_io(|stream| {
        let _ = stream.set_nodelay(true);
    });
    let router = axum::Router::new().route("/{delay_ms}/v1/chat/completions", post(answer));
    #[expect(clippy::disallowed_methods, reason = "the mock upstream ends with the process")]
    tokio::spawn(async move { axum::serve(listener, router).await });
    Ok(port)
}
