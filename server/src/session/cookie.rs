//! The cookie: its name and attributes, and how it follows the session's row.

use axum::http::{HeaderMap, HeaderValue, header};
use chrono::{DateTime, Utc};
use kernel::identity::{self, Challenge};
use kernel::port::Ids;
use kernel::record::Digest;
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;
use tower_sessions::cookie::SameSite;
use tower_sessions::session::Id;
use tower_sessions::{Expiry, Session, SessionManagerLayer};

use super::store::Rows;
use crate::compose::App;

/// The mark of a browser in which somebody signed in before; it opens nothing.
const DEVICE: &str = "soit_device";
const DEVICE_MAX_AGE_SECONDS: u32 = 180 * 24 * 3600;
/// The address of a refused sign-in, on its way back to the form.
const EMAIL: &str = "soit_email";
const EMAIL_MAX_AGE_SECONDS: u32 = 300;
const MOST_EMAIL: usize = 254;
/// The question for a second factor, between the two steps of a sign-in.
const CHALLENGE: &str = "soit_mfa";
/// What a browser takes along to an identity provider; each sign-in on its way has one of its own.
const FLOW: &str = "soit_sso_";
/// More of them than anybody has open.
const MOST_FLOWS: usize = 5;
/// Where a fresh id waits in the session until the cookie takes it.
pub(super) const TICKET: &str = "ticket";

/// A cookie's id: 128 random bits.
#[derive(Clone, Copy, Serialize, Deserialize)]
pub(crate) struct Ticket([u8; 16]);

impl Ticket {
    /// A fresh id.
    pub(crate) fn fresh(ids: &dyn Ids) -> Self {
        let mut bytes = [0; 16];
        ids.random(&mut bytes);
        Self(bytes)
    }

    pub(super) fn of(id: Id) -> Self {
        Self(id.0.to_le_bytes())
    }

    pub(super) fn id(self) -> Id {
        Id(i128::from_le_bytes(self.0))
    }

    /// What is stored of it.
    pub(crate) fn digest(self) -> Digest {
        identity::digest(&self.0)
    }
}

/// Drives the cookie around the console's routes.
pub(crate) fn layer(app: &App) -> SessionManagerLayer<Rows> {
    let secure = is_secure(app);
    SessionManagerLayer::new(Rows::new(app.directory.clone(), app.clock.clone()))
        .with_name(name(secure))
        .with_secure(secure)
        .with_http_only(true)
        .with_same_site(SameSite::Lax)
        .with_path("/")
}

fn is_secure(app: &App) -> bool {
    app.config.http.public_url.scheme() == "https"
}

/// A prefix that browsers keep to this host, where the console is reached by https.
const fn name(secure: bool) -> &'static str {
    if secure { "__Host-soit_session" } else { "soit_session" }
}

/// The digest of the cookie a request brought.
pub(crate) fn cookie_digest(session: &Session) -> Option<Digest> {
    session.id().map(|id| Ticket::of(id).digest())
}

/// Makes the answer set the cookie of a session whose row was written under this ticket.
pub(crate) async fn hand_over(session: &Session, ticket: Ticket, expires_at: DateTime<Utc>) -> kernel::Result<()> {
    // What the browser brought is dropped first, unread: its id is never taken over.
    drop_cookie(session).await?;
    session.insert(TICKET, ticket).await.map_err(kernel::Error::internal)?;
    let expiry = OffsetDateTime::from_unix_timestamp(expires_at.timestamp()).ok();
    session.set_expiry(expiry.map(Expiry::AtDateTime));
    Ok(())
}

/// Makes the answer take the cookie away.
pub(crate) async fn drop_cookie(session: &Session) -> kernel::Result<()> {
    match session.id() {
        Some(_) => session.flush().await.map_err(kernel::Error::internal),
        None => Ok(()),
    }
}

/// The header that takes the cookie away: with all its attributes, for browsers refuse a `__Host-` cookie without them.
pub(crate) fn expired_cookie(app: &App) -> HeaderValue {
    HeaderValue::from_static(if is_secure(app) {
        "__Host-soit_session=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax; Secure"
    } else {
        "soit_session=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax"
    })
}

/// The mark a browser brought.
pub(crate) fn device(headers: &HeaderMap) -> Option<&str> {
    cookie(headers, DEVICE)
}

/// The header that gives a browser its mark.
pub(crate) fn device_cookie(app: &App, mark: &str) -> Option<HeaderValue> {
    let secure = if is_secure(app) { "; Secure" } else { "" };
    let text = format!("{DEVICE}={mark}; Path=/; Max-Age={DEVICE_MAX_AGE_SECONDS}; HttpOnly; SameSite=Lax{secure}");
    HeaderValue::from_str(&text).ok()
}

/// The header that keeps the address of a refused sign-in for the form, which alone gets it; an empty one takes it away.
pub(crate) fn email_cookie(app: &App, email: &str) -> Option<HeaderValue> {
    let secure = if is_secure(app) { "; Secure" } else { "" };
    let short: String = email.chars().take(MOST_EMAIL).collect();
    let value: String = url::form_urlencoded::byte_serialize(short.as_bytes()).collect();
    let age = if email.is_empty() { 0 } else { EMAIL_MAX_AGE_SECONDS };
    let path = app::route::SIGN_IN;
    let text = format!("{EMAIL}={value}; Path={path}; Max-Age={age}; HttpOnly; SameSite=Lax{secure}");
    HeaderValue::from_str(&text).ok()
}

/// The address that was typed into the sign-in form before.
pub(crate) fn typed_email(headers: &HeaderMap) -> Option<String> {
    let pair = format!("{EMAIL}={}", cookie(headers, EMAIL)?);
    url::form_urlencoded::parse(pair.as_bytes()).next().map(|(_, email)| email.into_owned())
}

/// The question for a second factor a browser brought.
pub(crate) fn challenge(headers: &HeaderMap) -> Option<&str> {
    cookie(headers, CHALLENGE)
}

/// The header that gives a browser the question for a second factor, for the form that answers it alone; none takes it away.
pub(crate) fn challenge_cookie(app: &App, asked: Option<&Challenge>) -> Option<HeaderValue> {
    let secure = if is_secure(app) { "; Secure" } else { "" };
    let (token, age) = asked.map_or(("", 0), |asked| (asked.token.expose(), asked.expires_in));
    let path = app::route::MFA_POST;
    let text = format!("{CHALLENGE}={token}; Path={path}; Max-Age={age}; HttpOnly; SameSite=Lax{secure}");
    HeaderValue::from_str(&text).ok()
}

/// The header that gives a browser what it takes along to an identity provider; without seconds it is taken away.
pub(crate) fn flow_cookie(app: &App, flow: &str, value: &str, seconds: u64) -> Option<HeaderValue> {
    let (prefix, secure) = if is_secure(app) { ("__Host-", "; Secure") } else { ("", "") };
    let text = format!("{prefix}{FLOW}{flow}={value}; Path=/; Max-Age={seconds}; HttpOnly; SameSite=Lax{secure}");
    HeaderValue::from_str(&text).ok()
}

/// What a browser brought back of a sign-in on its way.
pub(crate) fn flow_of<'a>(app: &App, headers: &'a HeaderMap, flow: &str) -> Option<&'a str> {
    let prefix = if is_secure(app) { "__Host-" } else { "" };
    cookie(headers, &format!("{prefix}{FLOW}{flow}"))
}

/// The headers that take all of them away, where a browser has too many: those it left on the way are of no use.
pub(crate) fn forgotten_flows(app: &App, headers: &HeaderMap) -> Vec<HeaderValue> {
    let prefix = format!("{}{FLOW}", if is_secure(app) { "__Host-" } else { "" });
    let lines = headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
    let names =
        lines.flat_map(|line| line.split(';')).filter_map(|pair| pair.trim().split_once('=')?.0.strip_prefix(&prefix));
    let flows: Vec<&str> = names.filter(|flow| flow.bytes().all(|byte| byte.is_ascii_hexdigit())).collect();
    if flows.len() < MOST_FLOWS {
        return Vec::new();
    }
    flows.into_iter().filter_map(|flow| flow_cookie(app, flow, "", 0)).collect()
}

/// The value of a cookie by its name.
pub(crate) fn cookie<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    let lines = headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
    let mut pairs = lines.flat_map(|line| line.split(';')).filter_map(|pair| pair.trim().split_once('='));
    pairs.find(|(known, _)| *known == name).map(|(_, value)| value)
}
