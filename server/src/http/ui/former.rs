//! Addresses of the earlier console: they lead to the same page of the workspace used last.

use std::sync::Arc;

use app::backend::Tenants as _;
use axum::Extension;
use axum::http::Uri;
use axum::http::header::CACHE_CONTROL;
use axum::response::{IntoResponse, Redirect, Response};

use crate::backend::Visitor;
use crate::http::{Error, Result};

/// What had addresses of its own: the pages of four sections, and two more.
pub(super) const PATHS: [&str; 6] =
    ["/build/{*page}", "/execute/{*page}", "/observe/{*page}", "/govern/{*page}", "/agents", "/workflow/{id}"];
/// The pages that have another name by now.
const RENAMED: [(&str, &str); 3] = [("api-keys", "keys"), ("budgets", "keys?tab=budgets"), ("workflow", "workflows")];

/// Leads to the page, with its query, whether or not there is one yet; to the start where there is no workspace.
pub(super) async fn lead_on(Extension(visitor): Extension<Arc<Visitor>>, uri: Uri) -> Result<Response> {
    let places = visitor.find_places().await.map_err(|problem| Error(Box::new(problem)))?;
    let Some(workspace) = places.last else { return Ok(Redirect::to("/").into_response()) };
    let page = page_of(uri.path());
    let query = uri.query().map(|query| format!("{}{query}", if page.contains('?') { '&' } else { '?' }));
    let goal = format!("/w/{workspace}/{page}{}", query.unwrap_or_default());
    // Permanent for who wrote the address down, but the workspace used last changes.
    Ok(([(CACHE_CONTROL, "no-store")], Redirect::permanent(&goal)).into_response())
}

/// Where the page of an earlier path is now, within its workspace.
fn page_of(path: &str) -> String {
    let path = path.trim_matches('/');
    let mut sections = PATHS.iter().filter_map(|path| path.strip_prefix('/')?.strip_suffix("/{*page}"));
    let page = sections.find_map(|section| path.strip_prefix(section)?.strip_prefix('/')).unwrap_or(path);
    let (name, rest) = page.split_once('/').map_or((page, None), |(name, rest)| (name, Some(rest)));
    let name = RENAMED.iter().find(|(former, _)| *former == name).map_or(name, |(_, name)| *name);
    // What is a view of another page by now has no pages of its own.
    rest.filter(|_| !name.contains('?')).map_or_else(|| name.to_owned(), |rest| format!("{name}/{rest}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_earlier_page_has_its_address() {
        for (path, page) in [
            ("/observe/runs", "runs"),
            ("/observe/runs/run_1/", "runs/run_1"),
            ("/observe/traces", "traces"),
            ("/govern/keys", "keys"),
            ("/govern/api-keys/key_1", "keys/key_1"),
            ("/govern/budgets", "keys?tab=budgets"),
            ("/govern/budgets/bdg_1", "keys?tab=budgets"),
            ("/execute/playground", "playground"),
            ("/build/agents/agt_1", "agents/agt_1"),
            ("/agents", "agents"),
            ("/workflow/wfl_1", "workflows/wfl_1"),
            ("/build//evil.test", "/evil.test"),
        ] {
            assert_eq!(page_of(path), page, "{path}");
        }
    }
}
