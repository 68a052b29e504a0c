//! Every route and every server function refuses who is not signed in, but for one list.

use std::collections::BTreeSet;

use app::app::App as Console;
use axum::http::header::COOKIE;
use axum::http::{HeaderName, Method};
use leptos::server_fn::axum::server_fn_paths;
use leptos_axum::generate_route_list;
use serde_json::json;
use server::http::ANONYMOUS;

use super::people::SAME_ORIGIN;
use crate::util::test_app::{Caller, TestApp};

/// The doors that are no document of their own.
pub(super) const UNDOCUMENTED: [&str; 16] = [
    "POST /v1/chat/completions",
    "POST /v1/embeddings",
    "GET /v1/models",
    "GET /v1/models/{id}",
    "GET /ui/events",
    "GET /ui/runs/{id}/stream",
    "POST /ui/sign-in",
    "POST /ui/sign-out",
    "POST /ui/prefs",
    "POST /w/{workspace}/keys/{key}/reveal",
    "GET /ui/export/runs",
    "GET /build/{*page}",
    "GET /execute/{*page}",
    "GET /observe/{*page}",
    "GET /govern/{*page}",
    "GET /api/v1/openapi.json",
];

/// Every route there is, as `METHOD /path`.
async fn routes(app: &TestApp) -> BTreeSet<String> {
    let document = app.anon().get("/api/v1/openapi.json").await.expect(200);
    let paths = document["paths"].as_object().expect("paths");
    let documented = paths.iter().flat_map(|(path, item)| {
        let methods = item.as_object().expect("operations").keys();
        methods.map(move |method| format!("{} /api/v1{path}", method.to_uppercase()))
    });
    let pages = generate_route_list(Console).into_iter().map(|page| format!("GET {}", page.path()));
    let functions = server_fn_paths().map(|(path, method)| format!("{method} {path}"));
    documented.chain(pages).chain(functions).chain(UNDOCUMENTED.map(str::to_owned)).collect()
}

async fn status(caller: &Caller, route: &str) -> u16 {
    let (method, path) = route.split_once(' ').expect("a method and a path");
    let path = path.replace("{*rest}", "x").replace("{*page}", "runs").replace(['{', '}'], "");
    let method: Method = method.parse().expect("a method");
    let body = (method != Method::GET && method != Method::DELETE).then(|| json!({}));
    caller.send(method, &path, body).await.status
}

#[tokio::test]
async fn nothing_is_open_but_what_is_listed() {
    let app = TestApp::sqlite().await;
    let routes = routes(&app).await;
    assert!(routes.len() > 80, "{}", routes.len());
    let nobody = app.browser().header(SAME_ORIGIN.0, SAME_ORIGIN.1);
    let strangers = [
        nobody.clone(),
        nobody.clone().header(COOKIE, "soit_session=AAAAAAAAAAAAAAAAAAAAAA"),
        nobody.clone().bearer("sk_made_up"),
        nobody.header(HeaderName::from_static("x-api-key"), ""),
    ];
    for route in routes.iter().filter(|route| !ANONYMOUS.contains(&route.as_str())) {
        let doors = ["GET /api/", "GET /v1/", "GET /ui/events", "GET /ui/export", "GET /ui/runs"];
        let is_page = route.starts_with("GET /") && !doors.iter().any(|door| route.starts_with(door));
        for stranger in &strangers {
            let expected = if is_page { 303 } else { 401 };
            assert_eq!(status(stranger, route).await, expected, "{route}");
        }
    }
}

#[tokio::test]
async fn what_is_listed_is_open_and_exists() {
    let app = TestApp::sqlite().await;
    let nobody = app.browser().header(SAME_ORIGIN.0, SAME_ORIGIN.1);
    for route in ANONYMOUS {
        let status = status(&nobody, route).await;
        assert!(![401, 403, 405].contains(&status), "{route}: {status}");
        assert!(status != 404 || route.contains('{'), "{route} does not exist");
    }
}
