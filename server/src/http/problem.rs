//! Refusals and failures as `application/problem+json`, in one place.
//!
//! A handler's error carries the problem to the edge of the router in the response's extensions; there [`finish`] writes
//! it, with the request's id. Doors with an envelope of their own take it out before.

use std::error::Error as _;

use axum::body::Body;
use axum::http::header::{CONTENT_TYPE, RETRY_AFTER, WWW_AUTHENTICATE};
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use types::id::RequestId;
use types::problem::{Code, FieldError, Problem};

/// The result of a handler.
pub(crate) type Result<T> = std::result::Result<T, Error>;

/// A handler's error: the problem the outside sees.
#[derive(Clone, Debug)]
pub(crate) struct Error(pub(crate) Box<Problem>);

impl Error {
    /// A refusal of the door itself.
    pub(crate) fn new(code: Code, detail: impl Into<String>) -> Self {
        Self(Box::new(Problem::new(code, detail)))
    }

    /// One field has a wrong value.
    pub(crate) fn invalid(field: impl Into<String>, message: impl Into<String>) -> Self {
        let mut error = Self::new(Code::Invalid, "the request has a wrong value");
        error.0.errors.push(FieldError { field: field.into(), message: message.into() });
        error
    }
}

impl From<kernel::Error> for Error {
    fn from(error: kernel::Error) -> Self {
        log(&error);
        Self(Box::new(error.problem()))
    }
}

/// The boundary at which a failure is logged: once, with all its causes.
fn log(error: &kernel::Error) {
    let mut causes = Vec::new();
    let mut cause = error.source();
    while let Some(error) = cause {
        causes.push(error.to_string());
        cause = error.source();
    }
    let causes = causes.join(": ");
    if matches!(error.code(), Code::Internal | Code::ArtifactCorrupt) {
        tracing::error!(code = %error.code(), causes, "request failed");
    } else if !causes.is_empty() {
        tracing::warn!(code = %error.code(), causes, "request refused");
    }
}

impl IntoResponse for Error {
    fn into_response(self) -> Response {
        let status = StatusCode::from_u16(self.0.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let mut response = status.into_response();
        let headers = response.headers_mut();
        if let Some(seconds) = self.0.retry_after {
            headers.insert(RETRY_AFTER, HeaderValue::from(seconds));
        }
        if status == StatusCode::UNAUTHORIZED {
            headers.insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer realm=\"soit\""));
        }
        response.extensions_mut().insert(self);
        response
    }
}

/// Writes the problem a response still carries, naming the request.
pub(super) fn finish(mut response: Response, request_id: RequestId) -> Response {
    let Some(Error(mut problem)) = response.extensions_mut().remove::<Error>() else { return response };
    problem.instance = Some(request_id.to_string());
    let Ok(text) = serde_json::to_vec(&problem) else { return response };
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/problem+json"));
    *response.body_mut() = Body::from(text);
    response
}
