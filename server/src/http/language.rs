//! The language somebody reads: chosen in the console, else what the browser asks for.

use std::convert::Infallible;

use app::prefs::COOKIE;
use app::query::Params;
use app::visit::Visit;
use axum::extract::FromRequestParts;
use axum::http::header::ACCEPT_LANGUAGE;
use axum::http::request::Parts;
use types::account::Language;

use crate::compose::App;
use crate::session;

/// The language of mails that a request asks for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reads(pub(crate) Language);

impl FromRequestParts<App> for Reads {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, Infallible> {
        let cookie = session::cookie(&parts.headers, COOKIE);
        let accepted = parts.headers.get(ACCEPT_LANGUAGE).and_then(|value| value.to_str().ok());
        let visit = Visit::new(cookie, accepted, &Params::default(), app.clock.now());
        Ok(Self(visit.lang.as_str().parse().unwrap_or(Language::English)))
    }
}
