//! Query parameters that no route reads are refused, never passed over: a misspelt filter would answer with everything.
//!
//! What a route reads is what its description declares, so the document is the list.

use std::collections::HashMap;
use std::sync::Arc;

use axum::extract::{MatchedPath, Request, State};
use axum::http::Method;
use axum::middleware::Next;
use axum::response::Response;
use utoipa::openapi::path::{Operation, Parameter, ParameterIn};
use utoipa::openapi::{OpenApi, RefOr};

use crate::http::problem::Error;

/// Where the router of this door is put.
const DOOR: &str = "/api/v1";

/// Names of the query parameters of each route.
#[derive(Clone, Debug)]
pub(super) struct Declared(Arc<HashMap<(Method, String), Vec<String>>>);

impl Declared {
    /// What the document says.
    pub(super) fn of(document: &OpenApi) -> Self {
        let routes = document.paths.paths.iter().flat_map(|(path, item)| {
            let operations = [
                (Method::GET, &item.get),
                (Method::PUT, &item.put),
                (Method::POST, &item.post),
                (Method::PATCH, &item.patch),
                (Method::DELETE, &item.delete),
            ];
            let declared = operations.into_iter().filter_map(|(method, operation)| Some((method, operation.as_ref()?)));
            declared.map(move |(method, operation)| ((method, path.clone()), names(operation)))
        });
        Self(Arc::new(routes.collect()))
    }

    /// Whether a route, as the server has matched it, reads the parameter.
    fn has(&self, method: &Method, route: &str, name: &str) -> bool {
        let method = if method == Method::HEAD { Method::GET } else { method.clone() };
        let path = route.strip_prefix(DOOR).unwrap_or(route);
        let names = self.0.get(&(method, path.to_owned()));
        // What is not described is no route, which is told elsewhere.
        names.is_none_or(|names| names.iter().any(|known| means(known, name)))
    }
}

/// Whether the declared name is this one: `label.{key}` is every name that begins with `label.`.
fn means(known: &str, name: &str) -> bool {
    match known.split_once('{') {
        Some((start, _)) => name.starts_with(start),
        None => known == name,
    }
}

fn names(operation: &Operation) -> Vec<String> {
    let written_out = |parameter: &RefOr<Parameter>| match parameter {
        RefOr::T(parameter) if matches!(parameter.parameter_in, ParameterIn::Query) => Some(parameter.name.clone()),
        _ => None,
    };
    operation.parameters.iter().flatten().filter_map(written_out).collect()
}

/// Refuses a request with a query parameter its route does not declare.
pub(super) async fn check(
    State(declared): State<Declared>,
    route: MatchedPath,
    request: Request,
    next: Next,
) -> Result<Response, Error> {
    let query = request.uri().query().unwrap_or_default();
    let unread = url::form_urlencoded::parse(query.as_bytes())
        .find(|(name, _)| !declared.has(request.method(), route.as_str(), name));
    match unread {
        Some((name, _)) => Err(Error::invalid(name, "is no parameter of this route")),
        None => Ok(next.run(request).await),
    }
}
