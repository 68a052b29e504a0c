//! The way back of a form without scripts: to the page it is on, with what was typed, also where the browser sends no
//! `Referer` and where the session has ended meanwhile.
//!
//! A refused form's page carries the refusal and what was typed in its address, as server functions write it. Nothing is kept
//! on the server. What is secret is no field of `form[…]`, so it never gets there.

use app::error::{AppError, MAX_FORM_KIB, Typed, changed};
use axum::body::to_bytes;
use axum::extract::{Query, Request, State};
use axum::http::header::{ACCEPT, LOCATION, REFERER};
use axum::http::{HeaderMap, HeaderValue, Method, Uri};
use axum::middleware::Next;
use axum::response::Response;
use leptos::server_fn::error::ServerFnUrlError;
use serde::Deserialize;
use types::id::UserId;
use types::problem::{Code, Problem};

use super::next::next_path;
use crate::compose::App;

/// What a form's address says.
#[derive(Deserialize)]
struct Sent {
    page: String,
}

/// Tells what follows the page of a form by the one header it looks at. The browser is sent back by a path alone: it knows
/// best under which name it reached the console.
pub(super) async fn lead_back(State(app): State<App>, mut request: Request, next: Next) -> Response {
    if *request.method() != Method::POST || !request.uri().path().starts_with(app::route::FUNCTION_PREFIX) {
        return next.run(request).await;
    }
    let origin = app.config.http.public_url.origin().ascii_serialization();
    let page = Query::<Sent>::try_from_uri(request.uri()).ok().map(|Query(sent)| sent.page);
    let path = page.as_ref().and_then(|page| next_path(page).parse().ok());
    let referer = path.and_then(|path| HeaderValue::try_from(format!("{origin}{}", without_refusal(&path))).ok());
    if let Some(referer) = referer {
        request.headers_mut().insert(REFERER, referer);
    }
    let is_proof = request.uri().path() == app::route::STEP_UP;
    let mut response = next.run(request).await;
    let location = response.headers().get(LOCATION).and_then(|goal| goal.to_str().ok()?.strip_prefix(&*origin));
    let path = location.filter(|path| path.starts_with('/')).map(str::to_owned);
    let path =
        path.map(|path| page.filter(|_| is_proof).and_then(|page| proven(&origin, &page, &path)).unwrap_or(path));
    let path = path.and_then(|path| HeaderValue::try_from(path).ok());
    if let Some(path) = path {
        response.headers_mut().insert(LOCATION, path);
    }
    response
}

/// Whether a browser waits for a page, and no script for an answer.
pub(super) fn accepts_html(headers: &HeaderMap) -> bool {
    headers.get(ACCEPT).and_then(|value| value.to_str().ok()).is_some_and(|value| value.contains("text/html"))
}

/// The page a refused form was on, with the refusal and what was typed.
pub(super) async fn page_of(request: Request, problem: &Problem) -> String {
    let page = request.headers().get(REFERER).and_then(|page| page.to_str().ok()).unwrap_or_default().to_owned();
    let function = request.uri().path().to_owned();
    let body = to_bytes(request.into_body(), MAX_FORM_KIB * 1024).await.unwrap_or_default();
    let (typed, user) = typed(&body);
    let url = match user {
        Some(_) => {
            let error = AppError { typed, user, ..AppError::from(problem.clone()) }.for_address();
            ServerFnUrlError::new(function, error).to_url(&page).map(String::from).unwrap_or(page)
        }
        // Without its owner nobody gets it back.
        None => page,
    };
    let path = url.parse::<Uri>().ok().and_then(|url| url.path_and_query().map(ToString::to_string));
    path.unwrap_or_else(|| "/".to_owned())
}

/// The page of a form that was refused until its reader proves who they are, after they tried: still with what was typed, and
/// with how that went. None where nothing was refused there, or where the answer leads elsewhere.
fn proven(origin: &str, page: &str, answer: &str) -> Option<String> {
    let (page, answer): (Uri, Uri) = (next_path(page).parse().ok()?, answer.parse().ok()?);
    if page.path() != answer.path() {
        return None;
    }
    told(origin, &page, answer.query().and_then(refusal).map_or(Ok(()), |(_, wrong)| Err(wrong.problem.code)))
}

/// The page of a form that was refused until its reader proves who they are, after they went elsewhere to do so: still with what
/// was typed, and with how that went. None where nothing was refused there.
pub(super) fn proven_elsewhere(origin: &str, page: &str, outcome: Result<(), Code>) -> Option<String> {
    told(origin, &next_path(page).parse().ok()?, outcome)
}

fn told(origin: &str, page: &Uri, outcome: Result<(), Code>) -> Option<String> {
    let (function, mut error) = refusal(page.query()?)?;
    if error.problem.code != Code::StepUpRequired {
        return None;
    }
    error.proven = Some(outcome);
    let url = ServerFnUrlError::new(function, error).to_url(&format!("{origin}{}", without_refusal(page))).ok()?;
    url.as_str().strip_prefix(origin).map(str::to_owned)
}

/// The function that refused a form, and how, as it stands in the address of the form's page.
fn refusal(query: &str) -> Option<(String, AppError)> {
    let find = |name| url::form_urlencoded::parse(query.as_bytes()).find(|pair| pair.0 == name).map(|pair| pair.1);
    Some((find("__path")?.into_owned(), ServerFnUrlError::<AppError>::decode_err(&find("__err")?)))
}

/// The address without a refusal.
pub(super) fn without_refusal(uri: &Uri) -> String {
    let query = uri.query().unwrap_or_default();
    if !query.contains("__err=") {
        return uri.to_string();
    }
    let pairs = url::form_urlencoded::parse(query.as_bytes());
    let own = pairs.filter(|(name, _)| !matches!(&**name, "__err" | "__path"));
    let query = url::form_urlencoded::Serializer::new(String::new()).extend_pairs(own).finish();
    if query.is_empty() { uri.path().to_owned() } else { format!("{}?{query}", uri.path()) }
}

/// The address without what somebody else typed, where it holds that.
pub(super) fn without_foreign(uri: &Uri, reader: Option<UserId>) -> Option<String> {
    let (_, error) = refusal(uri.query()?)?;
    let user = error.user?;
    (reader.is_none_or(|reader| reader.to_string() != user)).then(|| without_refusal(uri))
}

/// What a form gives back of its fields, by their last name, and who filled it in.
fn typed(body: &[u8]) -> (Typed, Option<String>) {
    let (mut typed, mut seen) = (Typed::new(), Typed::new());
    let (mut user, mut id, mut version) = (None, None, None);
    for (name, value) in url::form_urlencoded::parse(body) {
        let last = |path: &str| {
            let path = path.trim_end_matches("[]").trim_end_matches(']');
            path.rsplit('[').next().unwrap_or_default().to_owned()
        };
        match (&*name, name.strip_prefix("form["), name.strip_prefix("seen[")) {
            (_, Some(path), _) => {
                typed
                    .entry(last(path))
                    .and_modify(|words| *words = format!("{words},{value}"))
                    .or_insert_with(|| value.into_owned());
            }
            (_, _, Some(path)) => drop(seen.insert(last(path), value.into_owned())),
            ("user", ..) => user = Some(value.into_owned()).filter(|user| !user.is_empty()),
            ("id", ..) => id = Some(value.into_owned()),
            ("version", ..) => version = Some(value.into_owned()),
            _ => {}
        }
    }
    // What is off is not sent.
    for field in seen.keys() {
        typed.entry(field.clone()).or_default();
    }
    let typed = match version {
        Some(version) => changed(typed, &seen, id, version),
        None => typed,
    };
    (typed, user)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_form_that_waits_for_a_proof_keeps_what_was_typed() {
        let origin = "https://soit.test";
        let refused = |code| AppError {
            typed: Typed::from([("host".to_owned(), "api.test".to_owned())]),
            ..AppError::from(Problem::new(code, "why"))
        };
        let page_of = |code| {
            let url = ServerFnUrlError::new("/ui/fn/create_egress_rule", refused(code));
            let url = url.to_url(&format!("{origin}/w/a/models?tab=egress")).expect("an address");
            url.as_str().strip_prefix(origin).expect("a path").to_owned()
        };
        let page = page_of(Code::StepUpRequired);
        let wrong = ServerFnUrlError::new(app::route::STEP_UP, refused(Code::InvalidCredentials));
        let wrong = wrong.to_url(&format!("{origin}/w/a/models?tab=egress")).expect("an address");
        let wrong = wrong.as_str().strip_prefix(origin).expect("a path");
        for (answer, expected) in [("/w/a/models?tab=egress", Ok(())), (wrong, Err(Code::InvalidCredentials))] {
            let uri: Uri = proven(origin, &page, answer).expect("an address").parse().expect("an address");
            assert_eq!(without_refusal(&uri), "/w/a/models?tab=egress");
            let (function, error) = refusal(uri.query().expect("a query")).expect("a refusal");
            assert_eq!((function.as_str(), error.proven), ("/ui/fn/create_egress_rule", Some(expected)));
            assert_eq!(error.typed, refused(Code::Invalid).typed);
        }
        assert_eq!(proven(origin, &page, "/sign-in"), None, "who is signed out");
        assert_eq!(proven(origin, &page_of(Code::Invalid), "/w/a/models"), None, "what waits for no proof");
        assert_eq!(proven(origin, "/w/a/models", "/w/a/models"), None, "where nothing was refused");
    }

    #[test]
    fn fields_are_kept_by_name_and_secrets_are_not() {
        let body =
            b"workspace=w&user=usr_1&credential=sk-1&form[name]=A+b&form[price][input]=1&form[can][]=x&form[can][]=y";
        let (fields, user) = typed(body);
        let fields: Vec<_> = fields.iter().map(|(field, text)| (field.as_str(), text.as_str())).collect();
        assert_eq!(fields, [("can", "x,y"), ("input", "1"), ("name", "A b")]);
        assert_eq!(user.as_deref(), Some("usr_1"));
        let body = b"version=3&form[name]=A&seen[name]=A&form[amount]=2&seen[amount]=1&seen[hard_stop]=on&seen[can]=";
        let (fields, _) = typed(body);
        let fields: Vec<_> = fields.iter().map(|(field, text)| (field.as_str(), text.as_str())).collect();
        assert_eq!(fields, [("amount", "2"), ("hard_stop", ""), ("version", "3")], "what was changed");
    }
}
