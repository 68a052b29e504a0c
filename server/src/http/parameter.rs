//! Path and query parameters that are refused as problems.

use axum::extract::FromRequestParts;
use axum::extract::rejection::{PathRejection, QueryRejection};
use axum::http::request::Parts;
use serde::de::DeserializeOwned;
use types::problem::Code;

use super::plain::plain;
use super::problem::Error;

/// Parameters in the path. A text that is no id of the wanted kind names nothing: 404.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Path<T>(pub(crate) T);

impl<T: DeserializeOwned + Send, S: Send + Sync> FromRequestParts<S> for Path<T> {
    type Rejection = Error;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Error> {
        let path = axum::extract::Path::<T>::from_request_parts(parts, state).await;
        path.map(|axum::extract::Path(value)| Self(value)).map_err(|rejection| match rejection {
            PathRejection::FailedToDeserializePathParams(_) => kernel::Error::not_found().into(),
            _ => Error::new(Code::Internal, "something went wrong inside soit"),
        })
    }
}

/// Parameters in the query. Unknown ones are refused by types that deny them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Query<T>(pub(crate) T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequestParts<S> for Query<T> {
    type Rejection = Error;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Error> {
        let query = axum::extract::Query::<T>::from_request_parts(parts, state).await;
        query.map(|axum::extract::Query(value)| Self(value)).map_err(|rejection| refuse(&rejection))
    }
}

fn refuse(rejection: &QueryRejection) -> Error {
    let text = rejection.body_text();
    let message = text.strip_prefix("Failed to deserialize query string: ").unwrap_or(&text);
    // `field: message`, or a message that names the field in backticks.
    let (field, message) = match message.split_once(": ") {
        Some((field, message)) if !field.contains(' ') => (field, message),
        _ => (message.split('`').nth(1).unwrap_or_default(), message),
    };
    Error::invalid(field, plain(message))
}
