//! `If-Match` in, `ETag` out: nobody overwrites what they have not seen.

use axum::extract::FromRequestParts;
use axum::http::header::{ETAG, IF_MATCH};
use axum::http::request::Parts;
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use serde::Serialize;

use super::body::Json;
use super::problem::Error;

/// The revision a caller has seen, if it says so.
#[derive(Clone, Debug, Default)]
pub(crate) struct IfMatch(Option<String>);

impl IfMatch {
    /// The revision as a name.
    pub(crate) fn name(&self) -> Option<&str> {
        self.0.as_deref()
    }

    /// The revision as the version of a row. What is no version is the version of nothing.
    pub(crate) fn version(&self) -> Option<u64> {
        self.0.as_ref().map(|text| text.parse().unwrap_or_default())
    }
}

impl<S: Send + Sync> FromRequestParts<S> for IfMatch {
    type Rejection = Error;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Error> {
        let mut values = parts.headers.get_all(IF_MATCH).iter();
        let (Some(value), None) = (values.next(), values.next()) else {
            return if parts.headers.contains_key(IF_MATCH) { Err(malformed()) } else { Ok(Self(None)) };
        };
        let text = value.to_str().map_err(|_| malformed())?.trim();
        let text = text.strip_prefix("W/").unwrap_or(text);
        let bare = text.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')).unwrap_or(text);
        if bare.is_empty() || bare.contains(['"', ',', ' ']) {
            return Err(malformed());
        }
        Ok(Self(Some(bare.to_owned())))
    }
}

fn malformed() -> Error {
    Error::invalid("If-Match", "must hold the one `ETag` that was read")
}

/// A document and its revision.
#[derive(Clone, Debug)]
pub(crate) struct Tagged<T> {
    status: StatusCode,
    revision: String,
    document: T,
}

impl<T> Tagged<T> {
    /// A document that was read or changed.
    pub(crate) fn new(document: T, revision: impl ToString) -> Self {
        Self { status: StatusCode::OK, revision: revision.to_string(), document }
    }

    /// A document that was made.
    pub(crate) fn created(document: T, revision: impl ToString) -> Self {
        Self { status: StatusCode::CREATED, ..Self::new(document, revision) }
    }
}

impl<T: Serialize> IntoResponse for Tagged<T> {
    fn into_response(self) -> Response {
        let mut response = (self.status, Json(self.document)).into_response();
        if let Ok(value) = HeaderValue::from_str(&format!("\"{}\"", self.revision)) {
            response.headers_mut().insert(ETAG, value);
        }
        response
    }
}

#[cfg(test)]
mod tests {
    use axum::http::Request;

    use super::*;

    async fn read(values: &[&str]) -> Result<Option<u64>, types::problem::Code> {
        let mut request = Request::builder();
        for value in values {
            request = request.header(IF_MATCH, *value);
        }
        let (mut parts, ()) = request.body(()).unwrap().into_parts();
        let found = IfMatch::from_request_parts(&mut parts, &()).await;
        found.map(|found| found.version()).map_err(|Error(problem)| problem.code)
    }

    #[tokio::test]
    async fn one_revision_is_read_in_any_of_its_forms() {
        assert_eq!(read(&[]).await, Ok(None));
        for form in ["\"3\"", "3", "W/\"3\"", " \"3\" "] {
            assert_eq!(read(&[form]).await, Ok(Some(3)), "{form}");
        }
        assert_eq!(read(&["\"pb_x\""]).await, Ok(Some(0)));
        for forms in [&["\"\""][..], &["\"1\", \"2\""], &["\"1\"", "\"2\""], &["*\"*"]] {
            assert_eq!(read(forms).await, Err(types::problem::Code::Invalid), "{forms:?}");
        }
    }
}
