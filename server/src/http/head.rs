//! Heads of requests that are too large: refused in soit's own words, below what the listener itself gives up at.

use axum::extract::{Request, State};
use axum::http::{HeaderMap, Uri};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use types::problem::Code;

use super::problem::Error;
use super::v1;
use crate::compose::App;

/// Longest address, and most bytes of headers.
const MOST_KIB: usize = 32;
/// Most headers.
const MOST_HEADERS: usize = 100;

/// Lets heads of a sound size pass.
pub(super) async fn check(State(app): State<App>, request: Request, next: Next) -> Response {
    let Some(refusal) = oversize(request.uri(), request.headers()) else { return next.run(request).await };
    let response = refusal.into_response();
    if v1::serves(request.uri().path()) { v1::in_envelope(&app, response) } else { response }
}

fn oversize(uri: &Uri, headers: &HeaderMap) -> Option<Error> {
    let length = uri.path_and_query().map_or(0, |path| path.as_str().len());
    if length > MOST_KIB * 1024 {
        let detail = format!("the address is longer than {MOST_KIB} KiB, send what is long in a body");
        return Some(Error::new(Code::UriTooLong, detail));
    }
    // With the colon, the blank and the end of the line.
    let bytes: usize = headers.iter().map(|(name, value)| name.as_str().len() + value.len() + 4).sum();
    (headers.len() > MOST_HEADERS || bytes > MOST_KIB * 1024).then(|| {
        let detail = format!(
            "the headers are more than {MOST_HEADERS} or larger than {MOST_KIB} KiB, send fewer and shorter ones"
        );
        Error::new(Code::HeadersTooLarge, detail)
    })
}
