//! The OpenAPI 3.1 document of `/api/v1`, at `/api/v1/openapi.json`.

use std::sync::Arc;

use axum::Router;
use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderValue, Method};
use axum::routing::get;
use types::problem::Problem;
use utoipa::openapi::path::{ParameterBuilder, ParameterIn};
use utoipa::openapi::security::{ApiKey, ApiKeyValue, HttpAuthScheme, HttpBuilder, SecurityScheme};
use utoipa::openapi::{ContentBuilder, Object, OpenApi, Ref, RefOr, Required, ResponseBuilder, Type};
use utoipa::{Modify, OpenApi as _};

use crate::compose::App;
use crate::http::anonymous::is_anonymous;

/// What the document says besides its routes.
#[derive(utoipa::OpenApi)]
#[openapi(
    info(title = "soit", description = "Management and reading. Models are called at `/v1`."),
    servers((url = "/api/v1")),
    components(schemas(Problem)),
    security(("bearer" = []), ("api_key" = [])),
    tags(
        (name = "identity", description = "Signing in, sessions, API keys, workspaces"),
        (name = "operator", description = "Accounts and the process, for who runs the instance"),
        (name = "modelhub", description = "Provider accounts, models, prices"),
        (name = "billing", description = "Budgets and where they stand"),
        (name = "security", description = "What may leave"),
        (name = "observe", description = "Runs, steps, costs, events, live streams"),
    ),
    modifiers(&Credentials),
)]
struct Document;

/// The ways to prove who asks.
struct Credentials;

impl Modify for Credentials {
    fn modify(&self, document: &mut OpenApi) {
        let components = document.components.get_or_insert_default();
        let bearer = HttpBuilder::new().scheme(HttpAuthScheme::Bearer).build();
        components.add_security_scheme("bearer", SecurityScheme::Http(bearer));
        let header = ApiKey::Header(ApiKeyValue::new("X-API-Key"));
        components.add_security_scheme("api_key", SecurityScheme::ApiKey(header));
    }
}

/// The document without routes.
pub(super) fn frame() -> OpenApi {
    Document::openapi()
}

/// The document with what every route has in common.
pub(super) fn finish(mut document: OpenApi) -> OpenApi {
    let problem = ContentBuilder::new().schema(Some(Ref::from_schema_name("Problem"))).build();
    let refusal = ResponseBuilder::new()
        .description("A refusal or failure; `code` says which, `/docs/errors/{code}` explains it")
        .content("application/problem+json", problem)
        .build();
    let key = ParameterBuilder::new()
        .name("Idempotency-Key")
        .parameter_in(ParameterIn::Header)
        .required(Required::False)
        .description(Some(
            "1 to 255 visible characters: the request has one effect and one answer, however often it is sent",
        ))
        .schema(Some(Object::with_type(Type::String)))
        .build();
    for (path, item) in &mut document.paths.paths {
        // Where nobody is known there is nobody whose key it would be.
        if let Some(post) = item.post.as_mut().filter(|_| !is_anonymous(&Method::POST, &format!("/api/v1{path}"))) {
            post.parameters.get_or_insert_default().push(RefOr::T(key.clone()));
        }
        let operations = [&mut item.get, &mut item.put, &mut item.post, &mut item.patch, &mut item.delete];
        for operation in operations.into_iter().flatten() {
            operation.responses.responses.insert("default".to_owned(), RefOr::T(refusal.clone()));
        }
    }
    document
}

/// Serves the document, to anybody.
pub(super) fn router(document: &OpenApi) -> Router<App> {
    let text: Arc<str> = document.to_json().unwrap_or_default().into();
    let headers = [(CONTENT_TYPE, HeaderValue::from_static("application/json"))];
    Router::new().route("/openapi.json", get(move || async move { (headers, text.to_string()) }))
}
