//! One request for a model call: read, one kernel call, shape.

use axum::body::Body;
use axum::extract::Request;
use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderMap, HeaderValue};
use axum::response::{IntoResponse, Response};
use kernel::gateway::{self, Operation, Refused, Reply};

use super::caller::Caller;
use super::{body, headers, stream};
use crate::compose::App;
use crate::http::idempotency;
use crate::http::problem::Error;

/// Answers a request. A refusal of this door becomes a run like any other.
pub(super) async fn answer(app: &App, caller: Caller, operation: Operation, request: Request) -> Response {
    let is_keyed = request.headers().contains_key(&idempotency::KEY);
    let response = made(app, caller, operation, request).await;
    if is_keyed {
        idempotency::count(app, &response);
    }
    response
}

async fn made(app: &App, caller: Caller, operation: Operation, request: Request) -> Response {
    let own = own_headers(request.headers());
    let body = match body::read(request).await {
        Ok(body) => body,
        Err(error) => return caller.refuse(app, error).await.into_response(),
    };
    match app.gateway.complete(caller.ctx, gateway::Request { operation, body, headers: own }).await {
        Ok(Reply::Whole(whole)) => {
            let mut response = Response::new(Body::from(whole.body));
            response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
            headers::add_facts(response.headers_mut(), &whole.facts);
            headers::add_settlement(response.headers_mut(), whole.cost, whole.is_deferred);
            response
        }
        Ok(Reply::Stream(streamed)) => {
            let mut response = stream::respond(streamed.frames);
            headers::add_facts(response.headers_mut(), &streamed.facts);
            response
        }
        Err(refusal) => refused(refusal),
    }
}

fn refused(refused: Refused) -> Response {
    let mut response = Error::from(refused.error).into_response();
    headers::add_standings(response.headers_mut(), &refused.standings);
    headers::add_attempts(response.headers_mut(), refused.attempts);
    response
}

/// The headers that mean something to the gateway; of several preferences the first.
fn own_headers(headers: &HeaderMap) -> Vec<(String, Vec<u8>)> {
    let is_own = |name: &str| name.starts_with("x-soit-") || name == "idempotency-key";
    let own = headers.iter().filter(|(name, _)| is_own(name.as_str()));
    let own = own.map(|(name, value)| (name.as_str().to_owned(), value.as_bytes().to_vec()));
    own.chain(headers.get("prefer").map(|value| ("prefer".to_owned(), value.as_bytes().to_vec()))).collect()
}
