//! Evidence as an answer. The same at `/api/v1` and in the console.

use axum::http::HeaderName;
use axum::http::header::{CONTENT_DISPOSITION, CONTENT_TYPE};
use axum::response::{IntoResponse, Response};
use kernel::evidence::Bundle;
use types::id::RunId;

/// SHA-256 of the file, in hex.
const SHA256: HeaderName = HeaderName::from_static("x-soit-evidence-sha256");

/// The zip, as a file to keep.
pub(super) fn answer(bundle: Bundle, id: RunId) -> Response {
    let headers = [
        (CONTENT_TYPE, "application/zip".to_owned()),
        (CONTENT_DISPOSITION, format!("attachment; filename=\"evidence-{id}.zip\"")),
        (SHA256, bundle.sha256),
    ];
    (headers, bundle.bytes).into_response()
}
