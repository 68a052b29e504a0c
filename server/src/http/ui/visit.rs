//! Around everything the console serves: who visits, and whether they are signed in.

use std::sync::Arc;

use app::error::AppError;
use axum::Json;
use axum::extract::{MatchedPath, Request, State};
use axum::http::header::SET_COOKIE;
use axum::http::{Method, StatusCode, Uri};
use axum::middleware::Next;
use axum::response::{AppendHeaders, IntoResponse, Redirect, Response};
use kernel::OpContext;
use kernel::identity::{Called, address};
use tower_sessions::Session;
use types::identity::SsoConnection;
use types::problem::Code;

use super::form_page::{accepts_html, page_of, without_foreign};
use super::next::next_path;
use crate::backend::Visitor;
use crate::compose::App;
use crate::http::anonymous::is_anonymous;
use crate::http::{Caller, Error, Reads};
use crate::session::expired_cookie;

/// The identity providers that the sign-in page offers.
#[derive(Clone, Debug)]
pub(super) struct SsoOffers(pub(super) Vec<SsoConnection>);

/// Lets the signed-in pass, and anybody to the few open routes. The others are sent to the sign-in page.
pub(super) async fn enter(
    State(app): State<App>,
    route: MatchedPath,
    session: Session,
    Caller(client): Caller,
    Reads(language): Reads,
    mut request: Request,
    next: Next,
) -> Response {
    let visitor = Visitor::new(app.clone(), client, language, session, request.method());
    if !is_anonymous(request.method(), route.as_str()) {
        match visitor.person().await {
            Ok(ctx) => {
                if let Some(own) = without_foreign(request.uri(), ctx.user_id) {
                    return Redirect::to(&own).into_response();
                }
                match clear_address(&app, &ctx, request.method(), request.uri()).await {
                    Ok(None) => {}
                    Ok(Some(own)) => return Redirect::to(&own).into_response(),
                    Err(error) => return Error::from(error).into_response(),
                }
            }
            Err(error) => {
                let refusal = Error::from(error);
                return match refusal.0.code {
                    Code::Unauthenticated | Code::InvalidCredentials | Code::CredentialsExpired => {
                        signed_out(&app, request).await
                    }
                    _ => refusal.into_response(),
                };
            }
        }
    }
    if request.uri().path() == app::route::SIGN_IN {
        match app.identity.list_sso_offers().await {
            Ok(offers) => drop(request.extensions_mut().insert(SsoOffers(offers))),
            // The password is another way.
            Err(error) => tracing::warn!(%error, "identity providers cannot be read, the sign-in page shows none"),
        }
    }
    request.extensions_mut().insert(Arc::new(visitor));
    next.run(request).await
}

/// Where the page of a workspace is whose short name several of the reader's have; the page to choose on, where none of them was
/// used last.
async fn clear_address(app: &App, ctx: &OpContext, method: &Method, uri: &Uri) -> kernel::Result<Option<String>> {
    let path = uri.path().strip_prefix("/w/").filter(|_| *method == Method::GET);
    let Some(path) = path else { return Ok(None) };
    let (called, rest) = path.split_once('/').map_or((path, None), |(called, rest)| (called, Some(rest)));
    let Ok(slug) = called.parse() else { return Ok(None) };
    let id = match app.identity.called(ctx, &slug).await? {
        Called::Clearly => return Ok(None),
        Called::AsUsed(id) => id,
        Called::Unclear => return Ok(Some("/?choose=1".to_owned())),
    };
    let rest = rest.map(|rest| format!("/{rest}")).unwrap_or_default();
    let query = uri.query().map(|query| format!("?{query}")).unwrap_or_default();
    Ok(Some(format!("/w/{}{rest}{query}", address(id)?)))
}

/// Pages and forms go on at the sign-in page and come back after; scripts and streams are told so. Whatever is wrong with
/// the cookie, its reader is signed out.
async fn signed_out(app: &App, request: Request) -> Response {
    let refusal = Error::new(Code::Unauthenticated, "the session has ended, sign in again");
    let forget = AppendHeaders([(SET_COOKIE, expired_cookie(app))]);
    let is_function = request.uri().path().starts_with(app::route::FUNCTION_PREFIX);
    let back = match *request.method() {
        Method::GET if is_page(request.uri().path()) => Some(path_and_query(request.uri())),
        Method::POST if accepts_html(request.headers()) => Some(page_of(request, &refusal.0).await),
        _ => None,
    };
    match back {
        Some(next) => {
            let mut query = url::form_urlencoded::Serializer::new(String::new());
            query.append_pair("next", &next_path(&next));
            (forget, Redirect::to(&format!("{}?{}", app::route::SIGN_IN, query.finish()))).into_response()
        }
        None if is_function => (StatusCode::UNAUTHORIZED, forget, Json(AppError::from(*refusal.0))).into_response(),
        None => (forget, refusal).into_response(),
    }
}

fn is_page(path: &str) -> bool {
    !path.starts_with("/ui/") || path == app::route::KIT
}

fn path_and_query(uri: &Uri) -> String {
    uri.path_and_query().map_or("/", |path| path.as_str()).to_owned()
}
