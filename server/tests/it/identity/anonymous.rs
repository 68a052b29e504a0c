//! Every route and every server function refuses who is not signed in, but for one list.

use std::collections::BTreeSet;

use axum::http::header::COOKIE;
use axum::http::{HeaderName, Method};
use leptos::server_fn::axum::server_fn_paths;
use serde_json::json;
use server::http::ANONYMOUS;

use super::people::SAME_ORIGIN;
use crate::util::test_app::{Caller, TestApp};

const METHODS: [&str; 5] = ["GET", "POST", "PUT", "PATCH", "DELETE"];

/// Every path the router has, as it says itself: axum lists them nowhere but in what it prints for debugging.
pub(super) fn paths(app: &TestApp) -> BTreeSet<String> {
    let printed = format!("{:?}", app.browser().router());
    let (paths, _) = printed.split_once("fallback_router").expect("the router of paths comes first");
    let (_, paths) = paths.split_once("node: Node").expect("paths by number");
    let named = paths.split("RouteId(").skip(1).filter_map(|entry| entry.split('"').nth(1));
    named.map(str::to_owned).collect()
}

/// Every route there may be, as `METHOD /path`. The path that says of `/v1/` that nothing is there is none.
fn routes(app: &TestApp) -> BTreeSet<String> {
    let paths = paths(app).into_iter().filter(|path| path != "/v1/");
    paths.flat_map(|path| METHODS.map(|method| format!("{method} {path}"))).collect()
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
    let soit = TestApp::sqlite().await;
    let routes = routes(&soit);
    for (known, _) in server_fn_paths() {
        assert!(routes.contains(&format!("POST {known}")), "{known} is not among the paths");
    }
    let nobody = soit.browser().header(SAME_ORIGIN.0, SAME_ORIGIN.1);
    let strangers = [
        nobody.clone(),
        nobody.clone().header(COOKIE, "soit_session=AAAAAAAAAAAAAAAAAAAAAA"),
        nobody.clone().bearer("sk_made_up"),
        nobody.header(HeaderName::from_static("x-api-key"), ""),
    ];
    for route in routes.iter().filter(|route| !ANONYMOUS.contains(&route.as_str())) {
        let doors = ["GET /api/", "GET /v1/", "GET /ui/"];
        let is_door = doors.iter().any(|door| route.starts_with(door)) && *route != format!("GET {}", app::route::KIT);
        let is_page = route.starts_with("GET /") && !is_door;
        for stranger in &strangers {
            let expected = if is_page { 303 } else { 401 };
            let status = status(stranger, route).await;
            // Every path is tried with every method, also with those it does not have.
            assert!(status == expected || status == 405, "{route}: {status}");
        }
    }
}

#[tokio::test]
async fn what_is_listed_is_open_and_exists() {
    // Where it is not offered, there is no registration.
    let app = TestApp::with_settings(&[
        ("SYSTEM_MAIL_ENABLED", "true"),
        ("SYSTEM_MAIL_URL", "smtp://127.0.0.1:9?tls=none"),
        ("SYSTEM_MAIL_FROM", "soit@example.com"),
        ("ALLOW_PUBLIC_REGISTRATION", "true"),
    ])
    .await;
    let nobody = app.browser().header(SAME_ORIGIN.0, SAME_ORIGIN.1);
    for route in ANONYMOUS {
        let status = status(&nobody, route).await;
        assert!(![401, 403, 405].contains(&status), "{route}: {status}");
        assert!(status != 404 || route.contains('{'), "{route} does not exist");
    }
}
