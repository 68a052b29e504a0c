//! The form that keeps a reader's preferences, in a cookie without power.

use app::prefs::{COOKIE, Prefs};
use axum::body::Bytes;
use axum::extract::State;
use axum::extract::rejection::BytesRejection;
use axum::http::header::SET_COOKIE;
use axum::http::{HeaderMap, HeaderValue};
use axum::response::{AppendHeaders, IntoResponse, Redirect, Response};

use super::next::next_path;
use crate::compose::App;
use crate::http::Result;
use crate::http::body::{MAX_BODY, unread};
use crate::session;

/// A year.
const MAX_AGE_SECONDS: u32 = 31_536_000;

/// Changes the preferences the form names and goes back to `next`.
pub(super) async fn save_prefs(
    State(app): State<App>,
    headers: HeaderMap,
    body: std::result::Result<Bytes, BytesRejection>,
) -> Result<Response> {
    let body = body.map_err(|rejection| unread(rejection, MAX_BODY))?;
    let form = String::from_utf8_lossy(&body);
    let next = url::form_urlencoded::parse(&body).find(|(name, _)| name == "next").map(|(_, next)| next.into_owned());
    let prefs = Prefs::default().read(cookie(&headers).unwrap_or_default()).read(&form);
    let secure = if app.config.http.public_url.scheme() == "https" { "; Secure" } else { "" };
    let cookie = format!("{COOKIE}={prefs}; Path=/; Max-Age={MAX_AGE_SECONDS}; SameSite=Lax{secure}");
    let goal = Redirect::to(&next_path(next.as_deref().unwrap_or_default()));
    Ok(match HeaderValue::from_str(&cookie) {
        Ok(value) => (AppendHeaders([(SET_COOKIE, value)]), goal).into_response(),
        Err(_) => goal.into_response(),
    })
}

/// The preferences a request brought.
pub(super) fn cookie(headers: &HeaderMap) -> Option<&str> {
    session::cookie(headers, COOKIE)
}
