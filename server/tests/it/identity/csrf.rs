use axum::body::Body;
use axum::http::header::{CONTENT_TYPE, ORIGIN};
use axum::http::{HeaderName, Method, Request};
use types::identity::Role;

use super::people::{at_console, first_home, new_member};
use crate::util::test_app::{Caller, TestApp};

async fn post(caller: &Caller, path: &str, kind: &str, headers: &[(HeaderName, &str)]) -> (u16, String) {
    let mut request = Request::builder().method(Method::POST).uri(path).header(CONTENT_TYPE, kind);
    for (name, value) in headers {
        request = request.header(name, *value);
    }
    let answer = caller.send_raw(request.body(Body::from("password=x&email=x")).expect("a request")).await;
    let code = if answer.status == 303 { String::new() } else { answer.json()["code"].to_string() };
    (answer.status, code)
}

#[tokio::test]
async fn forms_of_other_sites_are_refused_cookie_or_not() {
    let app = TestApp::sqlite().await;
    let home = first_home(&app).await;
    new_member(&app, &home, "ada@example.com", Role::Owner).await;
    let signed_in = at_console(&app, "ada@example.com").await;
    let site = HeaderName::from_static("sec-fetch-site");
    let form = "application/x-www-form-urlencoded";
    let foreign: &[&[(HeaderName, &str)]] = &[
        &[],
        &[(site.clone(), "cross-site")],
        &[(site.clone(), "same-site")],
        &[(ORIGIN, "https://evil.test")],
        &[(ORIGIN, "null")],
    ];
    for path in ["/ui/fn/revoke_other_sessions", "/ui/sign-in", "/ui/sign-out", "/ui/prefs"] {
        for headers in foreign {
            let refused = post(&signed_in, path, form, headers).await;
            assert_eq!(refused, (403, "\"csrf_failed\"".to_owned()), "{path} {headers:?}");
        }
    }
    assert_eq!(post(&signed_in, "/ui/prefs", form, &[(ORIGIN, "http://localhost:5000")]).await.0, 303);
    assert_eq!(post(&signed_in, "/ui/prefs", form, &[(site.clone(), "same-origin")]).await.0, 303);
    let text = post(&signed_in, "/ui/prefs", "text/plain", &[(site, "same-origin")]).await;
    assert_eq!(text, (415, "\"unsupported_media_type\"".to_owned()));
}
