//! The console: pages, server functions, forms and streams, all under the cookie of a session.
//!
//! Around them, from outside in: the session's cookie, the guard against foreign forms, the way back of a form without
//! scripts, the check that somebody is signed in.

mod account;
mod chain;
mod download;
mod events;
mod evidence;
mod export;
mod form_page;
mod former;
mod invite;
mod mfa;
mod next;
mod page;
mod prefs;
mod run_stream;
mod second_factor;
mod sign_in;
mod sso;
mod view_as;
mod visit;

use axum::Router;
use axum::extract::Request;
use axum::http::Uri;
use axum::middleware::from_fn_with_state;
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::{get, post};

use super::csrf;
use crate::compose::App;
use crate::session;

pub(super) use sso::backchannel;

/// Pages, server functions, forms and streams of the console.
pub(super) fn router(app: &App) -> Router<App> {
    let former = |router: Router<App>, path: &&str| router.route(path, get(former::lead_on));
    former::PATHS
        .iter()
        .fold(page::routes(app), former)
        .route(app::route::SIGN_IN_POST, post(sign_in::sign_in))
        .route(app::route::MFA_POST, post(mfa::give_code))
        .route(app::route::SIGN_OUT_POST, post(sign_in::sign_out))
        .route(app::route::SSO_START, get(sso::start))
        .route(app::route::SSO_STEP_UP, get(sso::step_up))
        .route(app::route::SSO_CALLBACK, get(sso::come_back))
        .route(app::route::VIEW_AS_POST, post(view_as::start))
        .route(app::route::VIEW_AS_STOP_POST, post(view_as::stop))
        .route(app::route::INVITE_POST, post(invite::accept))
        .route(app::route::FORGOT_PASSWORD_POST, post(account::ask_for_reset))
        .route(app::route::RESET_PASSWORD_POST, post(account::reset))
        .route(app::route::CONFIRM_EMAIL_POST, post(account::confirm))
        .route(app::route::REGISTER_POST, post(account::register))
        .route(app::route::PREFS_POST, post(prefs::save_prefs))
        .route(app::route::EVENTS, get(events::stream_hints))
        .route("/ui/runs/{id}/stream", get(run_stream::stream_run))
        .route("/ui/runs/{id}/evidence", get(evidence::find_evidence))
        .route(app::route::RUNS_EXPORT, get(export::export_runs))
        .route("/ui/download/runs/{id}/artifacts/{artifact}", get(download::read_artifact))
        .route("/ui/audit/chain", get(chain::prove_chain))
        .route(app::route::AUDIT_EXPORT, get(export::export_audit))
        .route(app::route::EVENTS_EXPORT, get(export::export_events))
        .route_layer(from_fn_with_state(app.clone(), visit::enter))
        .route_layer(from_fn_with_state(app.clone(), form_page::lead_back))
        .route_layer(from_fn_with_state(app.clone(), csrf::guard))
        .layer(session::layer(app))
}

/// What the console says of a path that leads nowhere. One slash too many leads to the page it means.
pub(super) async fn not_found(app: App, request: Request) -> Response {
    match without_slash(request.uri()) {
        Some(target) => Redirect::permanent(&target).into_response(),
        None => page::render_not_found(app, request).await,
    }
}

/// The same path and query without slashes at the end; none when there are none, or when nothing but slashes is left.
fn without_slash(uri: &Uri) -> Option<String> {
    let path = uri.path().trim_end_matches('/');
    if path.len() == uri.path().len() || path.is_empty() || path.starts_with("//") {
        return None;
    }
    Some(uri.query().map_or_else(|| path.to_owned(), |query| format!("{path}?{query}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slash_too_many_leads_to_the_page_and_never_to_another_host() {
        let target = |text: &str| without_slash(&text.parse().expect("a path"));
        assert_eq!(target("/w/default/?range=7d").as_deref(), Some("/w/default?range=7d"));
        assert_eq!(target("/w/default"), None);
        assert_eq!(target("/"), None);
        assert_eq!(target("//evil.test/"), None);
    }
}
