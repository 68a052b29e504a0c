//! Metrics over HTTP, for those who know the token.

use axum::extract::State;
use axum::http::HeaderMap;
use axum::http::header::{AUTHORIZATION, CONTENT_TYPE};
use axum::response::IntoResponse;
use kernel::secret::SecretString;
use sha2::{Digest, Sha256};
use types::problem::Code;

use super::problem::{Error, Result};
use crate::compose::App;

/// `GET /metrics`
pub(super) async fn show_metrics(State(app): State<App>, headers: HeaderMap) -> Result<impl IntoResponse> {
    if let Some(token) = &app.config.telemetry.metrics_token {
        authorize(&headers, token)?;
    }
    Ok(([(CONTENT_TYPE, "text/plain; version=0.0.4; charset=utf-8")], app.encode_metrics()))
}

fn authorize(headers: &HeaderMap, token: &SecretString) -> Result<()> {
    let given = headers.get(AUTHORIZATION).and_then(|value| value.to_str().ok());
    let Some((scheme, given)) = given.and_then(|value| value.split_once(' ')) else {
        return Err(Error::new(Code::Unauthenticated, "send METRICS_TOKEN as a bearer token"));
    };
    // Digests are compared, so that the time taken says nothing about the token.
    let same = Sha256::digest(given.trim()) == Sha256::digest(token.expose());
    if !scheme.eq_ignore_ascii_case("bearer") || !same {
        return Err(Error::new(Code::InvalidCredentials, "the token is not METRICS_TOKEN"));
    }
    Ok(())
}
