//! The routers of the two ports, put together from the doors.

use axum::Router;
use axum::extract::{DefaultBodyLimit, Request, State};
use axum::http::{HeaderName, HeaderValue, Method, header};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use tower::{Layer, ServiceExt};
use tower_http::cors::{AllowOrigin, Any, CorsLayer};
use types::problem::Code;

use super::{
    api, body, context, denial, error_page, frame, head, health, idempotency, keys, metrics, problem::Error,
    security_headers, ui, v1,
};
use crate::compose::App;
use crate::config::AllowedOrigins;

/// The machine surfaces: `LISTEN_API`.
pub fn api_router(app: App) -> Router {
    finish(machine(&app).fallback(not_found), app)
}

/// The console and everything else: `LISTEN_CONSOLE`.
pub fn console_router(app: App) -> Router {
    finish(machine(&app).merge(ui::router(&app)).merge(ui::backchannel()).fallback(file_or_page), app)
}

fn machine(app: &App) -> Router<App> {
    let management = api::router()
        .route_layer(from_fn_with_state(app.clone(), idempotency::once))
        .route_layer(from_fn_with_state(app.clone(), context::require))
        .route_layer(from_fn_with_state(app.clone(), denial::note));
    let doors = Router::new().nest("/api/v1", management).merge(v1::router(app));
    let doors = match cross_origin(app) {
        Some(layer) => doors.layer(from_fn_with_state(layer, share)),
        None => doors,
    };
    Router::new()
        .route("/health", get(health::show_health))
        .route("/health/ready", get(health::show_readiness))
        .route("/metrics", get(metrics::show_metrics))
        .route("/.well-known/soit-keys.json", get(keys::show_keys))
        .route("/docs/errors/{code}", get(error_page::show_error_page))
        .merge(doors)
}

fn finish(router: Router<App>, app: App) -> Router {
    router
        .method_not_allowed_fallback(method_not_allowed)
        .layer(DefaultBodyLimit::max(body::MAX_BODY))
        .layer(from_fn_with_state(app.clone(), head::check))
        .layer(from_fn_with_state(app.clone(), security_headers::add))
        .layer(from_fn_with_state(app.clone(), frame::frame))
        .with_state(app)
}

/// Tells browsers what scripts of other sites may do. A plain `OPTIONS` asks nothing of the kind and goes on to its path.
async fn share(State(layer): State<CorsLayer>, request: Request, next: Next) -> Response {
    let is_preflight = request.headers().contains_key(header::ACCESS_CONTROL_REQUEST_METHOD);
    if *request.method() == Method::OPTIONS && !is_preflight {
        return next.run(request).await;
    }
    match layer.layer(next).oneshot(request).await {
        Ok(response) => response,
        Err(never) => match never {},
    }
}

/// Scripts of the sites named in `CORS_ALLOWED_ORIGINS` may call the API with a bearer of their own.
fn cross_origin(app: &App) -> Option<CorsLayer> {
    let layer = CorsLayer::new()
        .allow_methods([Method::GET, Method::POST, Method::PUT, Method::PATCH, Method::DELETE])
        .allow_headers([
            header::AUTHORIZATION,
            header::CONTENT_TYPE,
            header::IF_MATCH,
            HeaderName::from_static("idempotency-key"),
            HeaderName::from_static("last-event-id"),
            HeaderName::from_static("x-api-key"),
            HeaderName::from_static("x-workspace-id"),
        ])
        .expose_headers(Any);
    match &app.config.http.cors_allowed_origins {
        AllowedOrigins::Any => Some(layer.allow_origin(AllowOrigin::any())),
        AllowedOrigins::These(origins) if origins.is_empty() => None,
        AllowedOrigins::These(origins) => {
            let origins = origins.iter().filter_map(|origin| HeaderValue::from_str(origin).ok());
            Some(layer.allow_origin(AllowOrigin::list(origins)))
        }
    }
}

async fn not_found() -> Error {
    Error::new(Code::NotFound, "there is no such path, see /api/v1/openapi.json")
}

async fn method_not_allowed() -> Error {
    Error::new(Code::MethodNotAllowed, "the path exists, but not with this method")
}

/// A file of the console, or its page for what does not exist.
async fn file_or_page(State(app): State<App>, request: Request) -> Response {
    let uri = request.uri();
    match app.site.answer(request.method(), uri.path(), uri.query(), request.headers()) {
        Some(file) => file,
        None => ui::not_found(app, request).await.into_response(),
    }
}
