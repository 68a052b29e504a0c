//! What every request gets: an id, a span, a place in the metrics; and every answer: its id, its problem written out.

use std::any::Any;
use std::net::SocketAddr;
use std::panic::AssertUnwindSafe;

use axum::extract::{ConnectInfo, MatchedPath, State};
use axum::http::request::Parts;
use axum::http::{HeaderName, HeaderValue};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use futures::FutureExt;
use tracing::Instrument;
use types::id::{RequestId, RunId};
use types::problem::Code;

use super::problem::{self, Error};
use crate::compose::App;
use crate::telemetry;

/// The id of the request, on every answer.
pub(crate) const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");
/// The id of the run, on every answer that has one.
pub(crate) const RUN_ID: HeaderName = HeaderName::from_static("x-soit-run-id");

/// What is known of a request before anybody proved anything.
#[derive(Clone, Debug)]
pub(crate) struct Request {
    /// Its id.
    pub(crate) id: RequestId,
    /// W3C trace id, the caller's if it sent one: 32 hex digits.
    pub(crate) trace_id: String,
    /// The other end of the connection.
    pub(crate) peer: Option<SocketAddr>,
}

impl Request {
    /// What the outermost layer noted of a request.
    pub(super) fn of(parts: &Parts) -> kernel::Result<Self> {
        let request = parts.extensions.get::<Self>().cloned();
        request.ok_or_else(|| kernel::Error::new(Code::Internal, "something went wrong inside soit"))
    }
}

/// The outermost layer.
pub(super) async fn frame(State(app): State<App>, mut request: axum::extract::Request, next: Next) -> Response {
    let started = app.clock.monotonic();
    let id = app.ids.request();
    let route = request.extensions().get::<MatchedPath>().map(|path| path.as_str().to_owned());
    let method = request.method().clone();
    let peer = request.extensions().get::<ConnectInfo<SocketAddr>>().map(|ConnectInfo(peer)| *peer);
    let (span, trace_id) = telemetry::request_span(id, &method, route.as_deref(), request.headers());
    request.extensions_mut().insert(Request { id, trace_id, peer });

    let answer = AssertUnwindSafe(next.run(request)).catch_unwind().instrument(span.clone()).await;
    let response = answer.unwrap_or_else(|panic| after_panic(&panic));
    let refusal = response.extensions().get::<Error>().map(|Error(problem)| problem.code);
    let mut response = problem::finish(response, id);
    if let Ok(value) = HeaderValue::from_str(&id.to_string()) {
        response.headers_mut().insert(REQUEST_ID, value);
    }

    let took = app.clock.monotonic().saturating_sub(started);
    let run_id = response.headers().get(RUN_ID).and_then(|value| value.to_str().ok()?.parse::<RunId>().ok());
    app.metrics.http.answered(route.as_deref(), &method, response.status(), took);
    if let Some(code) = refusal {
        app.metrics.gates.refused(code);
    }
    if let Some(run_id) = run_id {
        app.metrics.upstream.answered(run_id, took);
        span.record("run.id", tracing::field::display(run_id));
    }
    span.record("http.response.status_code", response.status().as_u16());
    if response.status().is_server_error() {
        span.record("otel.status_code", "ERROR");
    }
    span.in_scope(|| {
        tracing::debug!(status = response.status().as_u16(), took_ms = took.as_millis(), "request answered")
    });
    response
}

/// The panic hook has logged where it was.
fn after_panic(_: &Box<dyn Any + Send>) -> Response {
    Error::new(Code::Internal, "something went wrong inside soit").into_response()
}
