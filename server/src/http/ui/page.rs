//! The console's pages and server functions: what Leptos renders, with the backend of the request around it.

use std::sync::Arc;

use app::app::{App as Console, shell};
use app::query::Params;
use app::visit::Visit;
use axum::Router;
use axum::extract::{FromRef, Request};
use axum::http::HeaderValue;
use axum::http::header::{ACCEPT_LANGUAGE, CONTENT_SECURITY_POLICY};
use axum::http::request::Parts;
use axum::response::Response;
use axum::routing::post;
use leptos::config::LeptosOptions;
use leptos::context::{provide_context, use_context};
use leptos::nonce::use_nonce;
use leptos_axum::{LeptosRoutes, ResponseOptions, generate_route_list, render_app_async_with_context};

use super::visit::SsoOffers;
use super::{prefs, second_factor};
use crate::backend::{Visitor, backend};
use crate::compose::App;
use crate::http::console_policy;
use crate::session::typed_email;

impl FromRef<App> for LeptosOptions {
    fn from_ref(_: &App) -> Self {
        options()
    }
}

fn options() -> LeptosOptions {
    LeptosOptions::builder().output_name("soit").site_pkg_dir("pkg").build()
}

/// Every page and every server function.
pub(super) fn routes(app: &App) -> Router<App> {
    let around = {
        let app = app.clone();
        move || provide(&app)
    };
    let render = render_app_async_with_context(around.clone(), || shell(options()));
    let reveal = post(render.clone());
    let second_factor = post(move |request: Request| async move { render(second_factor::act(request).await).await });
    Router::new()
        .leptos_routes_with_context(app, generate_route_list(Console), around, || shell(options()))
        .route(app::route::KEY_REVEAL, reveal.clone())
        .route(app::route::INVITATION_REVEAL, reveal)
        .route(app::route::SECOND_FACTOR, second_factor)
}

/// The page of a path that leads nowhere, for anybody.
pub(super) async fn render_not_found(app: App, request: Request) -> Response {
    render_app_async_with_context(move || provide(&app), || shell(options()))(request).await
}

/// What pages and server functions find around them.
fn provide(app: &App) {
    let Some(parts) = use_context::<Parts>() else {
        return;
    };
    let language = parts.headers.get(ACCEPT_LANGUAGE).and_then(|value| value.to_str().ok());
    let query = Params::parse(parts.uri.query().unwrap_or_default());
    let visit = Visit::new(prefs::cookie(&parts.headers), language, &query, app.clock.now());
    let offers = app.identity.capabilities();
    provide_context(Visit {
        build: app.site.version().to_owned(),
        email: typed_email(&parts.headers),
        password_reset: offers.password_reset,
        registration: offers.registration,
        sso: parts.extensions.get().map(|SsoOffers(offers)| offers.clone()).unwrap_or_default(),
        ..visit
    });
    if let Some(visitor) = parts.extensions.get::<Arc<Visitor>>() {
        provide_context(backend(visitor));
    }
    if let (Some(nonce), Some(response)) = (use_nonce(), use_context::<ResponseOptions>())
        && let Ok(policy) = HeaderValue::from_str(&console_policy(&nonce))
    {
        response.insert_header(CONTENT_SECURITY_POLICY, policy);
    }
}
