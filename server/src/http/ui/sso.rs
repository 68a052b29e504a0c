//! Signing in with an identity provider: links that lead there and back again, and the provider's own word of a sign-out.
//!
//! Codes and states stand in the query of the way back; nothing of it is logged, recorded or sent on. Browsers are led on,
//! everything else is answered with the problem.

use axum::Router;
use axum::extract::{Path, RawForm, RawQuery, State};
use axum::http::header::{CACHE_CONTROL, SET_COOKIE};
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::{AppendHeaders, IntoResponse, Redirect, Response};
use axum::routing::post;
use kernel::OpContext;
use kernel::identity::{Client, Finished, Place, Presented, Returned, Started, Unfinished, flow_name};
use kernel::secret::SecretString;
use serde_json::json;
use tower_sessions::Session;
use types::id::SsoConnectionId;
use types::problem::Code;
use url::form_urlencoded;

use super::form_page::{accepts_html, proven_elsewhere, without_refusal};
use super::next::next_path;
use super::sign_in::go_in;
use crate::compose::App;
use crate::http::{Caller, Error, Result, csrf};
use crate::session::{Ticket, cookie_digest, flow_cookie, flow_of, forgotten_flows, hand_over};

/// The longest way back that the kernel carries along.
const MOST_CARRIED: usize = 1_000;

/// Where the provider tells of sign-outs: asked by a server, so outside of all that guards browsers.
pub(in crate::http) fn backchannel() -> Router<App> {
    Router::new().route(app::route::SSO_BACKCHANNEL, post(end_sessions))
}

/// Leads the browser to the provider: to sign in, or with `link` to link an account to one's own.
pub(super) async fn start(
    State(app): State<App>,
    Caller(client): Caller,
    session: Session,
    Path(id): Path<String>,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
) -> Response {
    let query = Pairs::read(query.as_deref().unwrap_or_default());
    let next = next_path(query.get("next").unwrap_or_default()).into_owned();
    let link = query.get("link");
    let started = match id.parse::<SsoConnectionId>() {
        Ok(id) => begin(&app, &client, &session, id, link, &next).await,
        Err(_) => Err(kernel::Error::not_found()),
    };
    lead(&app, &headers, started, &next, link.is_some())
}

/// Leads the browser to the provider with what it takes along; or back, where that did not start.
fn lead(app: &App, headers: &HeaderMap, started: kernel::Result<Started>, next: &str, is_signed_in: bool) -> Response {
    match started {
        Ok(started) => {
            let too_many = forgotten_flows(app, headers).into_iter();
            let cookies = too_many.chain(flow_cookie(app, &started.name, &started.cookie, started.max_age));
            let cookies = cookies.map(|cookie| (SET_COOKIE, cookie)).collect::<Vec<_>>();
            (AppendHeaders(cookies), Redirect::to(&started.redirect)).into_response()
        }
        Err(error) => led_back(headers, error, next, is_signed_in, None),
    }
}

async fn begin(
    app: &App,
    client: &Client,
    session: &Session,
    id: SsoConnectionId,
    link: Option<&str>,
    next: &str,
) -> kernel::Result<Started> {
    let Some(proof) = link else { return app.identity.start_sso(client, id, next).await };
    let ctx = person(app, client, session).await?;
    app.identity.start_sso_link(client, &ctx, id, proof, next).await
}

/// Leads who is signed in to their provider, to prove it again; from a page of the console alone.
pub(super) async fn step_up(
    State(app): State<App>,
    Caller(client): Caller,
    session: Session,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
) -> Response {
    let query = Pairs::read(query.as_deref().unwrap_or_default());
    let next = next_path(query.get("next").unwrap_or_default());
    // With what was typed, where that is short enough to be carried along.
    let short = next.parse().ok().filter(|_| next.len() > MOST_CARRIED).map(|page| without_refusal(&page));
    let next = short.unwrap_or_else(|| next.into_owned());
    let started = async {
        if !csrf::is_followed_here(&headers, &origin(&app)) {
            let detail = "this begins on the page of the console that asks for it, open it there";
            return Err(kernel::Error::new(Code::CsrfFailed, detail));
        }
        let ctx = person(&app, &client, &session).await?;
        app.identity.start_sso_step_up(&client, &ctx, &next).await
    };
    lead(&app, &headers, started.await, &next, true)
}

/// Takes what the provider sent back with the browser.
pub(super) async fn come_back(
    State(app): State<App>,
    Caller(client): Caller,
    session: Session,
    Path(id): Path<String>,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
) -> Result<Response> {
    let query = Pairs::read(query.as_deref().unwrap_or_default());
    let state = query.get("state").unwrap_or_default();
    let name = flow_name(state);
    let returned = Returned {
        state: SecretString::new(state.to_owned()),
        code: query.get("code").map(|code| SecretString::new(code.to_owned())),
        error: query.get("error").map(str::to_owned),
        iss: query.get("iss").map(str::to_owned),
        cookie: flow_of(&app, &headers, &name).map(str::to_owned),
    };
    let Ok(id) = id.parse::<SsoConnectionId>() else {
        return Ok(led_back(&headers, kernel::Error::not_found(), "/", false, None));
    };
    let spent = returned.cookie.is_some().then(|| flow_cookie(&app, &name, "", 0)).flatten();
    let ctx = person(&app, &client, &session).await.ok();
    let ticket = Ticket::fresh(&*app.ids);
    match app.identity.finish_sso(&client, ctx.as_ref(), id, returned, ticket.digest()).await {
        Ok(finished) => {
            let mut response = match finished {
                Finished::SignedIn(signed_in, next) => {
                    go_in(&app, &client, &session, ticket, signed_in, &next_path(&next)).await?
                }
                Finished::Linked(next) => Redirect::to(&next_path(&next)).into_response(),
                Finished::Proven(signed_in, next) => {
                    hand_over(&session, ticket, signed_in.expires_at).await?;
                    let told = proven_elsewhere(&origin(&app), &next, Ok(()));
                    Redirect::to(&told.unwrap_or_else(|| next_path(&next).into_owned())).into_response()
                }
            };
            if let Some(spent) = spent {
                response.headers_mut().append(SET_COOKIE, spent);
            }
            Ok(response)
        }
        Err(Unfinished { error, next, is_signed_in }) => {
            // The page that asked for a proof says itself that there is none.
            let told = proven_elsewhere(&origin(&app), &next, Err(error.code())).filter(|_| accepts_html(&headers));
            Ok(match told.filter(|_| is_signed_in) {
                Some(page) => {
                    let spent = AppendHeaders(spent.map(|cookie| (SET_COOKIE, cookie)));
                    (spent, Redirect::to(&page)).into_response()
                }
                None => led_back(&headers, error, &next_path(&next), is_signed_in, spent),
            })
        }
    }
}

/// Hears of a sign-out (OpenID Connect Back-Channel Logout 1.0, 2.8).
async fn end_sessions(
    State(app): State<App>,
    Caller(client): Caller,
    Path(id): Path<String>,
    RawForm(form): RawForm,
) -> Response {
    let token =
        form_urlencoded::parse(&form).find(|(name, _)| name == "logout_token").map(|(_, token)| token.into_owned());
    let ended = match (id.parse::<SsoConnectionId>(), token) {
        (Ok(id), Some(token)) => app.identity.end_sso_sessions(&client, id, SecretString::new(token)).await,
        (Ok(_), None) => Err(kernel::Error::new(Code::SsoFailed, "the form holds no `logout_token`")),
        (Err(_), _) => Err(kernel::Error::not_found()),
    };
    let mut response = match ended {
        Ok(()) => StatusCode::OK.into_response(),
        Err(error) if error.code() == Code::SsoFailed => {
            let told = json!({ "error": "invalid_request", "error_description": error.detail() });
            (StatusCode::BAD_REQUEST, axum::Json(told)).into_response()
        }
        Err(error) => Error::from(error).into_response(),
    };
    response.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

/// Where browsers reach the console.
fn origin(app: &App) -> String {
    app.config.http.public_url.origin().ascii_serialization()
}

async fn person(app: &App, client: &Client, session: &Session) -> kernel::Result<OpContext> {
    let cookie = cookie_digest(session).map(Presented::Cookie);
    Ok(app.identity.authenticate(client, cookie.as_ref(), &Place::Person { header: None }).await?)
}

/// A browser goes to the page it came from, or to the sign-in page, which says why.
fn led_back(
    headers: &HeaderMap,
    error: kernel::Error,
    next: &str,
    is_signed_in: bool,
    spent: Option<HeaderValue>,
) -> Response {
    let Error(problem) = Error::from(error);
    let spent = AppendHeaders(spent.map(|cookie| (SET_COOKIE, cookie)));
    if !accepts_html(headers) {
        return (spent, Error(problem)).into_response();
    }
    let mut query = form_urlencoded::Serializer::new(String::new());
    query.append_pair("error", problem.code.as_str());
    if let Some(reason) = &problem.reason {
        query.append_pair("reason", reason);
    }
    if let Some(seconds) = problem.retry_after {
        query.append_pair("retry_after", &seconds.to_string());
    }
    let target = match is_signed_in {
        true => {
            let path = next.split(['?', '#']).next().unwrap_or("/");
            // Of the pages of a workspace that of one's profile says what came of it.
            let workspace = path.strip_prefix("/w/").and_then(|rest| rest.split('/').next());
            let path = workspace.map_or_else(|| path.to_owned(), |slug| format!("/w/{slug}/settings/profile"));
            format!("{path}?{}", query.finish())
        }
        false => {
            if next != "/" {
                query.append_pair("next", next);
            }
            format!("{}?{}", app::route::SIGN_IN, query.finish())
        }
    };
    (spent, Redirect::to(&target)).into_response()
}

/// The pairs of a query. A name that stands twice stands for nothing.
struct Pairs(Vec<(String, String)>);

impl Pairs {
    fn read(query: &str) -> Self {
        Self(form_urlencoded::parse(query.as_bytes()).into_owned().collect())
    }

    fn get(&self, name: &str) -> Option<&str> {
        let mut found = self.0.iter().filter(|(known, _)| known == name).map(|(_, value)| value.as_str());
        found.next().filter(|_| found.next().is_none())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_stands_twice_is_not_there() {
        let pairs = Pairs::read("state=a%20b&code=1&code=2&iss=");
        assert_eq!((pairs.get("state"), pairs.get("code"), pairs.get("iss")), (Some("a b"), None, Some("")));
    }
}
