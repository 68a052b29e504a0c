//! Addresses of the earlier console: they lead to the same page of the workspace used last.

use std::sync::Arc;

use app::backend::Session as _;
use axum::extract::{Request, State};
use axum::http::header::CACHE_CONTROL;
use axum::response::{IntoResponse, Redirect, Response};

use super::page;
use crate::backend::Visitor;
use crate::compose::App;
use crate::http::{Error, Result};

/// Sections whose pages had addresses of their own.
pub(super) const SECTIONS: [&str; 4] = ["/build/{*page}", "/execute/{*page}", "/observe/{*page}", "/govern/{*page}"];
/// The pages there are.
const PAGES: [&str; 4] = ["runs", "keys", "models", "settings"];

/// Leads to the page, with its query; to nothing where there is none, or no workspace.
pub(super) async fn lead_on(State(app): State<App>, request: Request) -> Result<Response> {
    let visitor = request.extensions().get::<Arc<Visitor>>().cloned();
    let workspace = match visitor {
        Some(visitor) => visitor.find_last_workspace().await.map_err(|problem| Error(Box::new(problem)))?,
        None => None,
    };
    let target = workspace.zip(page_of(request.uri().path()));
    let Some((workspace, page)) = target else {
        return Ok(page::render_not_found(app, request).await);
    };
    let query = request.uri().query().map(|query| format!("{}{query}", if page.contains('?') { '&' } else { '?' }));
    let goal = format!("/w/{workspace}/{page}{}", query.unwrap_or_default());
    // Permanent for who wrote the address down, but the workspace used last changes.
    Ok(([(CACHE_CONTROL, "no-store")], Redirect::permanent(&goal)).into_response())
}

/// Where the page of an earlier path is now.
fn page_of(path: &str) -> Option<&str> {
    let (_, page) = path.trim_matches('/').split_once('/')?;
    match page {
        "budgets" => Some("keys?tab=budgets"),
        _ if PAGES.contains(&page.split('/').next().unwrap_or_default()) => Some(page),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_that_are_there_have_their_address() {
        for (path, page) in [
            ("/observe/runs", Some("runs")),
            ("/observe/runs/run_1/", Some("runs/run_1")),
            ("/govern/budgets", Some("keys?tab=budgets")),
            ("/govern/keys", Some("keys")),
            ("/build/agents", None),
            ("/build", None),
        ] {
            assert_eq!(page_of(path), page, "{path}");
        }
    }
}
