//! What is said to the provider and what its answers mean, apart from any connection.

use std::time::Duration;

use chrono::DateTime;
use http::header::{ACCEPT, ACCEPT_ENCODING, AUTHORIZATION, CONTENT_TYPE, DATE, RETRY_AFTER};
use http::{HeaderMap, HeaderValue};
use kernel::port::{UpstreamError, UpstreamKind};
use kernel::secret::SecretString;
use serde_json::Value;

use crate::http::{Event, Failure};
use crate::secret::Mask;

/// Longest request id that is kept.
const MAX_REQUEST_ID: usize = 200;

/// The headers of a call; `None` when the credential holds what no header can carry.
pub(super) fn headers(credential: Option<&SecretString>, stream: bool) -> Option<HeaderMap> {
    let mut headers = HeaderMap::new();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    if stream {
        headers.insert(ACCEPT, HeaderValue::from_static("text/event-stream"));
        // Compression would gather frames.
        headers.insert(ACCEPT_ENCODING, HeaderValue::from_static("identity"));
    } else {
        headers.insert(ACCEPT, HeaderValue::from_static("application/json"));
    }
    if let Some(credential) = credential {
        let mut value = HeaderValue::from_str(&format!("Bearer {}", credential.expose())).ok()?;
        value.set_sensitive(true);
        headers.insert(AUTHORIZATION, value);
    }
    Some(headers)
}

/// What the provider says about an answer beside its body.
#[derive(Clone, Debug, Default)]
pub(super) struct Notes {
    pub(super) request_id: Option<String>,
    pub(super) retry_after: Option<u64>,
}

impl Notes {
    pub(super) fn read(headers: &HeaderMap) -> Self {
        Self { request_id: request_id(headers), retry_after: retry_after(headers) }
    }

    /// A failure of the provider in its own words.
    pub(super) fn error(&self, kind: UpstreamKind, message: String) -> UpstreamError {
        UpstreamError { kind, message, retry_after: self.retry_after, request_id: self.request_id.clone() }
    }

    /// A failure on the way.
    pub(super) fn failure(&self, failure: &Failure) -> UpstreamError {
        self.error(failure.kind(), failure.message())
    }

    pub(super) fn timeout(&self, waited: Duration, what: &str) -> UpstreamError {
        self.error(UpstreamKind::Timeout, format!("{what} did not come within {} ms", waited.as_millis()))
    }
}

fn request_id(headers: &HeaderMap) -> Option<String> {
    let named = ["x-request-id", "request-id", "apim-request-id"].iter().find_map(|name| headers.get(*name));
    let id: String = named?.to_str().ok()?.chars().take(MAX_REQUEST_ID).collect();
    (!id.is_empty()).then_some(id)
}

/// Whole seconds, rounded up, from any of the forms providers use.
fn retry_after(headers: &HeaderMap) -> Option<u64> {
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok()).map(str::trim);
    if let Some(millis) = text("retry-after-ms").and_then(seconds) {
        return Some(millis.div_ceil(1000));
    }
    let given = text(RETRY_AFTER.as_str())?;
    seconds(given).or_else(|| {
        // A date is measured against the provider's own clock.
        let at = DateTime::parse_from_rfc2822(given).ok()?;
        let now = DateTime::parse_from_rfc2822(text(DATE.as_str())?).ok()?;
        u64::try_from((at - now).num_seconds()).ok()
    })
}

/// A decimal number, rounded up.
fn seconds(text: &str) -> Option<u64> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let rounded = u64::from(fraction.bytes().any(|byte| byte != b'0'));
    (digits(whole) && digits(fraction)).then(|| whole.parse::<u64>().ok()?.checked_add(rounded)).flatten()
}

/// A whole answer. An error object inside it is a failure, whatever the status said.
pub(super) fn whole(bytes: &[u8], mask: &Mask, notes: &Notes) -> Result<Value, UpstreamError> {
    let garbage = || notes.error(UpstreamKind::Garbage, "the answer is no JSON object".to_owned());
    let text = std::str::from_utf8(bytes).map_err(|_| garbage())?;
    object(text, mask, notes).unwrap_or_else(|| Err(garbage()))
}

/// One frame of a stream.
pub(super) fn frame(event: &Event, mask: &Mask, notes: &Notes) -> Result<Value, UpstreamError> {
    if event.name == "error" {
        return Err(notes.error(UpstreamKind::ErrorInBody, reason(&event.data, mask)));
    }
    let garbage = || notes.error(UpstreamKind::Garbage, "a frame of the stream is no JSON object".to_owned());
    object(&event.data, mask, notes).unwrap_or_else(|| Err(garbage()))
}

fn object(text: &str, mask: &Mask, notes: &Notes) -> Option<Result<Value, UpstreamError>> {
    let body: Value = serde_json::from_str(&mask.hide(text)).ok()?;
    let error = body.as_object()?.get("error").filter(|error| !error.is_null());
    Some(match error {
        Some(_) => Err(notes.error(UpstreamKind::ErrorInBody, reason(text, mask))),
        None => Ok(body),
    })
}

pub(super) fn is_json(text: &str) -> bool {
    serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok()
}

/// The provider's own explanation in an error body, fit to be passed on.
pub(super) fn reason(text: &str, mask: &Mask) -> String {
    let said = serde_json::from_str::<Value>(text).ok().and_then(|body| explanation(&body).map(str::to_owned));
    let said = mask.message(said.as_deref().unwrap_or(text));
    if said.is_empty() { "the provider gave no reason".to_owned() } else { said }
}

/// OpenAI nests it, others do not.
fn explanation(body: &Value) -> Option<&str> {
    match body.get("error").unwrap_or(body) {
        Value::String(text) => Some(text),
        Value::Object(fields) => ["message", "detail"].iter().find_map(|name| fields.get(*name)?.as_str()),
        _ => None,
    }
}
