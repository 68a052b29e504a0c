//! Receives calls, notes them, answers or fails.

use std::io;
use std::net::SocketAddr;
use std::time::{Duration, Instant};

use axum::Router;
use axum::extract::{ConnectInfo, State};
use axum::http::{HeaderMap, StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};
use serde_json::Value;
use tokio::net::TcpListener;
use tokio::task::AbortHandle;

use super::answer::{self, Chat};
use super::call::{Call, Calls, Open};
use super::connection::{Accept, Fuse};
use super::fault::Fault;
use super::script;

/// A running upstream; dropping it ends it.
#[derive(Debug)]
pub struct Upstream {
    address: SocketAddr,
    calls: Calls,
    task: AbortHandle,
}

impl Upstream {
    /// Listens on a free loopback port.
    pub async fn start() -> io::Result<Self> {
        Self::listen(SocketAddr::from(([127, 0, 0, 1], 0))).await
    }

    /// Listens there.
    pub async fn listen(address: SocketAddr) -> io::Result<Self> {
        let listener = TcpListener::bind(address).await?;
        let address = listener.local_addr()?;
        let calls = Calls::new();
        let router = Router::new().fallback(receive).with_state(calls.clone());
        let service = router.into_make_service_with_connect_info::<Fuse>();
        #[expect(clippy::disallowed_methods, reason = "ends with the test, or when the upstream is dropped")]
        let task = tokio::spawn(async move { axum::serve(Accept(listener), service).await }).abort_handle();
        Ok(Self { address, calls, task })
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The base URL of an account: what happens is said by the model's name.
    pub fn base_url(&self) -> String {
        format!("http://{}/v1", self.address)
    }

    /// A base URL under which every call meets the fault of the name.
    pub fn base_url_of(&self, fault: &str) -> String {
        format!("http://{}/{fault}/v1", self.address)
    }

    /// Every call so far.
    pub fn calls(&self) -> Vec<Call> {
        self.calls.list()
    }

    /// How many calls with the text in their prompt were received.
    pub fn received(&self, marker: &str) -> usize {
        self.calls.count(|call| call.prompt.contains(marker))
    }

    /// How many calls with the text in their prompt were answered to the end.
    pub fn answered(&self, marker: &str) -> usize {
        self.calls.count(|call| call.answered && call.prompt.contains(marker))
    }

    /// How many calls still go on.
    pub fn open(&self) -> usize {
        self.calls.count(|call| call.closed_at.is_none())
    }

    /// Waits until the calls are as wanted, and gives them.
    pub async fn wait_for(&self, fits: impl FnMut(&[Call]) -> bool) -> Vec<Call> {
        self.calls.wait_for(fits).await
    }
}

impl Drop for Upstream {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn receive(
    State(calls): State<Calls>,
    ConnectInfo(fuse): ConnectInfo<Fuse>,
    uri: Uri,
    headers: HeaderMap,
    text: String,
) -> Response {
    let body: Value = serde_json::from_str(&text).unwrap_or_default();
    let model = body.get("model").and_then(Value::as_str).unwrap_or_default().to_owned();
    let authorization = headers.get(header::AUTHORIZATION).and_then(|value| value.to_str().ok()).map(str::to_owned);
    let (prompt, path) = (prompt_of(&body), uri.path().to_owned());
    let first = path.trim_start_matches('/').split('/').next().unwrap_or_default();
    let fault = first.parse::<Fault>().or_else(|()| model.parse()).ok();
    let earlier = calls.count(|call| call.prompt == prompt);
    let is_embedding = path.ends_with("/embeddings");
    let chat = Chat::read(&body, &prompt, fault);
    // Providers do repeat what they were sent.
    let complaint = answer::error(&format!("it failed after all, with `{prompt}`"));
    let stream = body.get("stream") == Some(&Value::Bool(true));
    let embedded = is_embedding.then(|| answer::embeddings(&body, fault));
    let mut open = calls.open(Call {
        path,
        model,
        prompt,
        authorization: authorization.clone(),
        body,
        text,
        received_at: Instant::now(),
        closed_at: None,
        answered: false,
    });
    match fault {
        Some(Fault::Delay(delay)) => tokio::time::sleep(delay).await,
        Some(Fault::Hang) => std::future::pending().await,
        Some(Fault::Reset) => {
            fuse.blow();
            return StatusCode::OK.into_response();
        }
        Some(Fault::Status(code, retry_after)) => return refuse(&mut open, code, retry_after, &complaint),
        Some(Fault::FailFirst(calls)) if earlier < calls => return refuse(&mut open, 500, None, &complaint),
        Some(Fault::EchoCredential) => {
            let message = format!("wrong credential: {}", authorization.unwrap_or_default());
            return say(&mut open, 401, &answer::error(&message));
        }
        Some(Fault::ErrorIn200) => return say(&mut open, 200, &complaint),
        _ => {}
    }
    let acts = if stream && !is_embedding {
        script::of_stream(chat.frames(), fault, &complaint)
    } else {
        script::of_whole(&embedded.unwrap_or_else(|| chat.whole()), fault, &complaint)
    };
    let content_type = if stream { "text/event-stream" } else { "application/json" };
    let pace = if let Some(Fault::Pace(pace) | Fault::Echo(pace)) = fault { pace } else { Duration::ZERO };
    let headers = [(header::CONTENT_TYPE.as_str(), content_type), ("x-request-id", "req_upstream")];
    (headers, script::play(acts, pace, open, fuse)).into_response()
}

/// An answer without a script: all of it at once.
fn say(open: &mut Open, code: u16, body: &Value) -> Response {
    open.answered();
    let status = StatusCode::from_u16(code).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let headers = [(header::CONTENT_TYPE.as_str(), "application/json"), ("x-request-id", "req_upstream")];
    (status, headers, body.to_string()).into_response()
}

fn refuse(open: &mut Open, code: u16, retry_after: Option<u64>, complaint: &Value) -> Response {
    let mut response = say(open, code, complaint);
    if let Some(seconds) = retry_after {
        response.headers_mut().insert(header::RETRY_AFTER, seconds.into());
    }
    response
}

/// The text of the last message, or of the inputs.
fn prompt_of(body: &Value) -> String {
    let last = body.get("messages").and_then(Value::as_array).and_then(|messages| messages.last()?.get("content"));
    match last.or_else(|| body.get("input")) {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Array(parts)) => {
            let texts = parts.iter().filter_map(|part| part.as_str().or_else(|| part.get("text")?.as_str()));
            texts.collect::<Vec<_>>().join(" ")
        }
        _ => String::new(),
    }
}
