//! `Idempotency-Key` on the POSTs of `/api/v1`: a command under a key is done once, and its repeats are answered as the first
//! one was. `/v1` has the same keys in `kernel::gateway`.

use std::time::Duration;

use axum::body::{Body, Bytes, to_bytes};
use axum::extract::{FromRequest, MatchedPath, OriginalUri, Request, State};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use futures::channel::oneshot;
use kernel::OpContext;
use kernel::gateway::patience;
use kernel::repeat::{Answer, Asked, Begun, Held, Unended};
use tracing::Instrument;
use types::id::FormKey;
use types::problem::{Code, FieldError};

use super::anonymous::is_anonymous;
use super::body::{MAX_BODY, unread};
use super::context;
use super::problem::Error;
use crate::compose::App;

/// The caller's key.
pub(super) const KEY: HeaderName = HeaderName::from_static("idempotency-key");
/// Says of an answer that it was given before.
pub(super) const REPLAYED: HeaderName = HeaderName::from_static("idempotency-replayed");
const PREFER: HeaderName = HeaderName::from_static("prefer");
const MOST: usize = 255;
/// Headers of an answer that belong to it and are kept with it.
const KEPT: [HeaderName; 4] = [header::CONTENT_TYPE, header::LOCATION, header::ETAG, header::CACHE_CONTROL];
/// Largest answer of a command; a larger one is none.
const MAX_ANSWER: usize = 16 * 1024 * 1024;

/// What ids follow from of what a request under a key makes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Keyed(pub(super) FormKey);

/// Around the doors of `/api/v1`, inside the check of the credential.
pub(super) async fn once(State(app): State<App>, route: MatchedPath, request: Request, next: Next) -> Response {
    let key = match key(request.method(), request.headers()) {
        Ok(None) => return next.run(request).await,
        Ok(Some(key)) => key.to_owned(),
        Err(what) => return malformed(what).into_response(),
    };
    // Nobody is known there whose key it would be.
    if is_anonymous(request.method(), route.as_str()) {
        return next.run(request).await;
    }
    let (mut parts, body) = request.into_parts();
    let Some(ctx) = caller(&mut parts, &app).await else {
        return next.run(Request::from_parts(parts, body)).await;
    };
    let response = match read(&parts, body).await {
        Ok(body) => done(&app, &ctx, &key, route.as_str(), (parts, body), next).await,
        Err(error) => error.into_response(),
    };
    count(&app, &response);
    response
}

/// Counts what became of a request under a key.
pub(super) fn count(app: &App, response: &Response) {
    let code = response.extensions().get::<Error>().map(|Error(problem)| problem.code);
    app.metrics.idempotency.count(match code {
        _ if response.headers().contains_key(&REPLAYED) => "replayed",
        None => "done",
        Some(Code::IdempotencyConflict) => "conflict",
        Some(Code::IdempotencyInFlight) => "in_flight",
        Some(_) => "released",
    });
}

/// Who asks, in the workspace the request names, or else as a person. Where neither is right the handler says so.
async fn caller(parts: &mut Parts, app: &App) -> Option<OpContext> {
    match context::authenticated(parts, app).await {
        Ok(ctx) => Some(ctx),
        Err(_) => context::person(parts, app).await.ok(),
    }
}

async fn read(parts: &Parts, body: Body) -> Result<Bytes, Error> {
    // The extractor knows the limit of the route from its parts.
    Bytes::from_request(Request::from_parts(parts.clone(), body), &())
        .await
        .map_err(|rejection| unread(rejection, MAX_BODY))
}

/// Does the command, or answers as it was answered.
async fn done(
    app: &App,
    ctx: &OpContext,
    key: &str,
    route: &str,
    (mut parts, body): (Parts, Bytes),
    next: Next,
) -> Response {
    let uri = parts.extensions.get::<OriginalUri>().map_or(&parts.uri, |OriginalUri(uri)| uri);
    let asked = Asked {
        method: parts.method.as_str(),
        route,
        path: uri.path(),
        query: uri.query().unwrap_or_default(),
        headers: &[],
        body: &body,
    };
    let held = match app.repeats.begin(ctx, key, asked.fingerprint(), wait(&parts.headers)).await {
        Ok(Begun::Claimed(held)) => held,
        Ok(Begun::Done(answer)) => return again(answer),
        Err(error) => return Error::from(error).into_response(),
    };
    parts.extensions.insert(Keyed(held.form_key));
    let request = Request::from_parts(parts, Body::from(body));
    let (answered, answer) = oneshot::channel();
    let doing = app.clone();
    // A caller who hangs up skips neither the command nor its end.
    let doing = async move {
        let (response, unended) = end(&doing, &held, next.run(request).await).await;
        drop(answered.send(response));
        if let Some(unended) = unended {
            doing.repeats.insist(unended).await;
        }
    };
    app.spawner.spawn(Box::pin(doing.in_current_span()));
    answer.await.unwrap_or_else(|lost| Error::from(kernel::Error::internal(lost)).into_response())
}

/// Ends the claim as the command ended, if the store takes it.
async fn end(app: &App, held: &Held, response: Response) -> (Response, Option<Unended>) {
    if !response.status().is_success() {
        let unended = app.repeats.release(held).await;
        return (response, unended);
    }
    let (parts, body) = response.into_parts();
    let body = match to_bytes(body, MAX_ANSWER).await {
        Ok(body) => body,
        Err(error) => {
            let unended = app.repeats.release(held).await;
            return (Error::from(kernel::Error::internal(error)).into_response(), unended);
        }
    };
    let text = |name: &HeaderName| Some((name.as_str().to_owned(), parts.headers.get(name)?.to_str().ok()?.to_owned()));
    let headers = KEPT.iter().filter_map(text).collect();
    let answer = Answer { status: parts.status.as_u16(), headers, body: body.to_vec() };
    let unended = app.repeats.finish(held, &answer).await;
    (Response::from_parts(parts, Body::from(body)), unended)
}

/// An answer that was given before.
fn again(answer: Answer) -> Response {
    let mut response = Response::new(Body::from(answer.body));
    *response.status_mut() = StatusCode::from_u16(answer.status).unwrap_or_default();
    let headers = response.headers_mut();
    for (name, value) in answer.headers {
        if let (Ok(name), Ok(value)) = (HeaderName::try_from(name), HeaderValue::try_from(value)) {
            headers.insert(name, value);
        }
    }
    headers.insert(REPLAYED, HeaderValue::from_static("true"));
    response
}

/// How long the caller wants to wait for who is at it.
fn wait(headers: &HeaderMap) -> Duration {
    headers.get(PREFER).and_then(|value| patience(value.to_str().ok()?)).unwrap_or_default()
}

fn malformed(what: &str) -> Error {
    let mut refusal =
        Error::new(Code::IdempotencyKeyInvalid, format!("the header `Idempotency-Key` {what}, send one UUID"));
    refusal.0.errors.push(FieldError { field: "Idempotency-Key".to_owned(), message: what.to_owned() });
    refusal
}

/// The key of a POST, or what is wrong with it.
fn key<'a>(method: &Method, headers: &'a HeaderMap) -> Result<Option<&'a str>, &'static str> {
    let mut keys = headers.get_all(KEY).iter().filter(|_| *method == Method::POST);
    let Some(key) = keys.next() else { return Ok(None) };
    if keys.next().is_some() {
        return Err("is sent twice");
    }
    let plain = key.to_str().ok().filter(|key| key.bytes().all(|byte| (0x21..=0x7e).contains(&byte)));
    match plain {
        Some(key) if (1..=MOST).contains(&key.len()) => Ok(Some(key)),
        _ => Err("must have 1 to 255 visible ASCII characters"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_visible_key_of_255_characters_at_most() {
        let found = |method: Method, keys: &[&str]| {
            let mut headers = HeaderMap::new();
            for key in keys {
                headers.append(KEY, key.parse().expect("a header"));
            }
            key(&method, &headers).map(|key| key.map(str::to_owned))
        };
        let longest = "k".repeat(MOST);
        for sent in ["a", "7f9c0a52-5a3e-4f0e-8f9d-0f5c9c1f2a11", &longest] {
            assert_eq!(found(Method::POST, &[sent]), Ok(Some(sent.to_owned())));
        }
        assert_eq!(found(Method::POST, &[]), Ok(None));
        let longer = "k".repeat(MOST + 1);
        for keys in [&[""][..], &["a b"], &["a", "a"], &[&longer]] {
            assert!(found(Method::POST, keys).is_err(), "{keys:?}");
            assert_eq!(found(Method::GET, keys), Ok(None), "only POSTs have keys: {keys:?}");
        }
    }
}
