//! What somebody made or sent, as a file: never a page of soit's own to a browser.

use axum::body::{Body, Bytes};
use axum::http::header::{
    CONTENT_DISPOSITION, CONTENT_LENGTH, CONTENT_SECURITY_POLICY, CONTENT_TYPE, ETAG, IF_NONE_MATCH,
    X_CONTENT_TYPE_OPTIONS,
};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use futures::stream::TryStreamExt;
use kernel::artifact::Opened;

/// Whatever a browser takes the bytes for, they may do nothing.
const SANDBOX: &str = "sandbox; default-src 'none'";

/// The bytes of an artifact, or that the caller has them.
pub(super) fn answer(Opened { artifact, body }: Opened, headers: &HeaderMap) -> Response {
    let tag = format!("\"{}\"", artifact.sha256);
    let known = headers.get(IF_NONE_MATCH).and_then(|value| value.to_str().ok()).unwrap_or_default();
    if known.split(',').any(|known| matches!(known.trim(), known if known == "*" || known == tag)) {
        return (StatusCode::NOT_MODIFIED, [(ETAG, tag)]).into_response();
    }
    let name = format!("attachment; filename=\"{}.{}\"", artifact.id, ending(&artifact.mime));
    let headers = [
        (CONTENT_TYPE, artifact.mime),
        (CONTENT_LENGTH, artifact.size.to_string()),
        (CONTENT_DISPOSITION, name),
        (ETAG, tag),
        (CONTENT_SECURITY_POLICY, SANDBOX.to_owned()),
        (X_CONTENT_TYPE_OPTIONS, "nosniff".to_owned()),
    ];
    let id = artifact.id;
    let body = body.map_ok(Bytes::from);
    let body = body.inspect_err(move |error| tracing::error!(artifact.id = %id, %error, "an artifact was cut"));
    (headers, Body::from_stream(body)).into_response()
}

fn ending(mime: &str) -> &'static str {
    match mime {
        "image/png" => "png",
        "image/jpeg" => "jpg",
        "image/gif" => "gif",
        "image/webp" => "webp",
        "application/pdf" => "pdf",
        "application/json" => "json",
        mime if mime.starts_with("text/") => "txt",
        _ => "bin",
    }
}
