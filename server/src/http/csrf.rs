//! Forms come from the console itself: unsafe methods under a cookie are refused unless the browser says so.

use axum::extract::{Request, State};
use axum::http::header::{CONTENT_TYPE, ORIGIN, REFERER};
use axum::http::{HeaderMap, HeaderName, Method};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use types::problem::Code;

use super::problem::Error;
use crate::compose::App;

const FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");
/// The bodies that forms and the console's scripts send.
const BODIES: [&str; 3] = ["application/x-www-form-urlencoded", "multipart/form-data", "application/json"];

/// Guards everything a cookie may be sent to.
pub(super) async fn guard(State(app): State<App>, request: Request, next: Next) -> Response {
    let origin = app.config.http.public_url.origin().ascii_serialization();
    match check(request.method(), request.headers(), &origin) {
        Ok(()) => next.run(request).await,
        Err(refusal) => refusal.into_response(),
    }
}

fn check(method: &Method, headers: &HeaderMap, own_origin: &str) -> Result<(), Error> {
    if matches!(*method, Method::GET | Method::HEAD | Method::OPTIONS) {
        return Ok(());
    }
    let text = |name: &HeaderName| headers.get(name).map(|value| value.to_str().unwrap_or_default());
    let is_own = match text(&FETCH_SITE) {
        Some(site) => site == "same-origin",
        None => text(&ORIGIN) == Some(own_origin),
    };
    if !is_own {
        let detail =
            format!("the form was not sent from the console at `{own_origin}`, open it there and send it again");
        return Err(Error::new(Code::CsrfFailed, detail));
    }
    let media =
        text(&CONTENT_TYPE).map(|media| media.split(';').next().unwrap_or_default().trim().to_ascii_lowercase());
    match media {
        Some(media) if !BODIES.contains(&media.as_str()) => {
            Err(Error::new(Code::UnsupportedMediaType, "send a form or JSON"))
        }
        _ => Ok(()),
    }
}

/// Whether a link was followed on a page of the console: as the browser says, or else by the page it comes from. For what is
/// asked by a GET and still must be the person's own wish.
pub(super) fn is_followed_here(headers: &HeaderMap, own_origin: &str) -> bool {
    let text = |name: &HeaderName| headers.get(name).map(|value| value.to_str().unwrap_or_default());
    match text(&FETCH_SITE) {
        Some(site) => site == "same-origin",
        None => text(&REFERER).and_then(|page| page.strip_prefix(own_origin)).is_some_and(|rest| rest.starts_with('/')),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(method: &Method, pairs: &[(&'static str, &'static str)]) -> Option<Code> {
        let mut headers = HeaderMap::new();
        for (name, value) in pairs {
            headers.append(HeaderName::from_static(name), value.parse().unwrap());
        }
        check(method, &headers, "https://soit.example.com").err().map(|Error(problem)| problem.code)
    }

    #[test]
    fn only_the_console_itself_may_post() {
        let post = |pairs| refused(&Method::POST, pairs);
        assert_eq!(post(&[("sec-fetch-site", "same-origin")]), None);
        assert_eq!(post(&[("origin", "https://soit.example.com")]), None);
        let form = [("sec-fetch-site", "same-origin"), ("content-type", "multipart/form-data; boundary=x")];
        assert_eq!(post(&form), None);
        for strange in [
            &[][..],
            &[("sec-fetch-site", "same-site")],
            &[("sec-fetch-site", "none")],
            &[("sec-fetch-site", "cross-site"), ("origin", "https://soit.example.com")],
            &[("origin", "https://soit.example.com.evil.test")],
            &[("origin", "null")],
        ] {
            assert_eq!(post(strange), Some(Code::CsrfFailed), "{strange:?}");
        }
        let text = [("sec-fetch-site", "same-origin"), ("content-type", "text/plain")];
        assert_eq!(post(&text), Some(Code::UnsupportedMediaType));
    }

    #[test]
    fn a_link_of_the_console_is_followed_on_a_page_of_the_console() {
        let followed = |name: &'static str, value: &str| {
            let headers = HeaderMap::from_iter([(HeaderName::from_static(name), value.parse().unwrap())]);
            is_followed_here(&headers, "https://soit.example.com")
        };
        assert!(followed("sec-fetch-site", "same-origin") && followed("referer", "https://soit.example.com/w/a"));
        for strange in ["none", "same-site", "cross-site"] {
            assert!(!followed("sec-fetch-site", strange), "{strange}");
        }
        assert!(!followed("referer", "https://soit.example.com.evil.test/"));
        assert!(!is_followed_here(&HeaderMap::new(), "https://soit.example.com"), "nobody says where");
    }

    #[test]
    fn reading_needs_no_proof_of_origin() {
        assert_eq!(refused(&Method::GET, &[("sec-fetch-site", "cross-site")]), None);
    }
}
