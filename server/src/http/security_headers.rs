//! Headers that tell browsers what an answer may do. A handler that sets one itself is not overruled.

use axum::extract::{Request, State};
use axum::http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, REFERRER_POLICY, STRICT_TRANSPORT_SECURITY, X_CONTENT_TYPE_OPTIONS,
};
use axum::http::{HeaderName, HeaderValue};
use axum::middleware::Next;
use axum::response::Response;

use crate::compose::App;

/// Of every answer that is no page of the console.
const NOTHING: &str = "default-src 'none'; base-uri 'none'; frame-ancestors 'none'; form-action 'none'";

const FIXED: [(HeaderName, &str); 7] = [
    (CONTENT_SECURITY_POLICY, NOTHING),
    (X_CONTENT_TYPE_OPTIONS, "nosniff"),
    // `no-referrer` would blank `Origin` and break forms without scripts.
    (REFERRER_POLICY, "same-origin"),
    (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
    (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
    (HeaderName::from_static("permissions-policy"), "camera=(), microphone=(), geolocation=()"),
    (CACHE_CONTROL, "no-store"),
];

/// Adds what is missing.
pub(super) async fn add(State(app): State<App>, request: Request, next: Next) -> Response {
    let mut response = next.run(request).await;
    let headers = response.headers_mut();
    for (name, value) in FIXED {
        headers.entry(name).or_insert(HeaderValue::from_static(value));
    }
    if app.config.http.public_url.scheme() == "https" {
        headers.insert(STRICT_TRANSPORT_SECURITY, HeaderValue::from_static("max-age=31536000"));
    }
    response
}

/// The policy of a console page whose scripts carry the nonce.
pub(crate) fn console_policy(nonce: &str) -> String {
    // Style attributes are needed for bar widths and canvas positions.
    format!(
        "default-src 'none'; script-src 'self' 'nonce-{nonce}' 'wasm-unsafe-eval'; style-src 'self' 'nonce-{nonce}'; \
         style-src-attr 'unsafe-inline'; img-src 'self' data: blob:; font-src 'self'; connect-src 'self'; \
         form-action 'self'; base-uri 'none'; frame-ancestors 'none'; object-src 'none'"
    )
}
