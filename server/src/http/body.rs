//! JSON bodies: read whole, checked, and refused with the path of what is wrong.

use axum::body::Bytes;
use axum::extract::rejection::BytesRejection;
use axum::extract::{FromRequest, Request};
use axum::http::header::{CONTENT_ENCODING, CONTENT_TYPE};
use axum::http::{HeaderMap, HeaderName, StatusCode};
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use types::money::InvalidAmount;
use types::problem::Code;

use super::by_name::ByName;
use super::plain::plain;
use super::problem::Error;
use crate::listener::BodyTimeout;

/// Largest body of a request, unless a route allows more.
pub(super) const MAX_BODY: usize = app::error::MAX_FORM_KIB * 1024;

const MIB: usize = 1024 * 1024;

/// A JSON body, in or out.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Json<T>(pub(crate) T);

impl<T: Serialize> IntoResponse for Json<T> {
    fn into_response(self) -> Response {
        axum::Json(self.0).into_response()
    }
}

impl<T: DeserializeOwned, S: Send + Sync> FromRequest<S> for Json<T> {
    type Rejection = Error;

    async fn from_request(request: Request, state: &S) -> Result<Self, Error> {
        check_kind(request.headers()).map_err(|wrong| Error::new(Code::UnsupportedMediaType, wrong))?;
        let bytes = Bytes::from_request(request, state).await;
        let bytes = bytes.map_err(|rejection| unread(rejection, MAX_BODY))?;
        parse(&bytes).map(Self)
    }
}

/// What is read as JSON: `application/json` and its relatives, in UTF-8, uncompressed. Else what to do.
pub(crate) fn check_kind(headers: &HeaderMap) -> Result<(), &'static str> {
    let header = |name: HeaderName| {
        let text = headers.get(name).map(|value| value.to_str().unwrap_or("unreadable"));
        text.unwrap_or_default().to_ascii_lowercase()
    };
    let kind = header(CONTENT_TYPE);
    let (media, parameters) = kind.split_once(';').unwrap_or((&kind, ""));
    let media = media.trim();
    if media != "application/json" && !(media.starts_with("application/") && media.ends_with("+json")) {
        return Err("send the body as `application/json`");
    }
    let charset = parameters.split(';').find_map(|parameter| parameter.trim().strip_prefix("charset="));
    if charset.is_some_and(|charset| charset.trim_matches('"') != "utf-8") {
        return Err("send the body in UTF-8");
    }
    match header(CONTENT_ENCODING).trim() {
        "" | "identity" => Ok(()),
        _ => Err("send the body uncompressed, without `Content-Encoding`"),
    }
}

/// Why a body of a route that takes so many bytes could not be read.
pub(crate) fn unread(rejection: BytesRejection, most: usize) -> Error {
    if rejection.status() == StatusCode::PAYLOAD_TOO_LARGE {
        let most = if most < MIB { format!("{} KiB", most / 1024) } else { format!("{} MiB", most / MIB) };
        return Error::new(
            Code::TooLarge,
            format!("the body is larger than {most}, which is all this path takes: send less"),
        );
    }
    let mut cause: Option<&(dyn std::error::Error + 'static)> = Some(&rejection);
    while let Some(error) = cause {
        if error.is::<BodyTimeout>() {
            return Error::new(Code::RequestTimeout, "the body did not arrive in time");
        }
        cause = error.source();
    }
    Error::new(Code::Invalid, "the body ended early, send it again")
}

/// The value of a JSON text; the error names where in it the first wrong thing is.
pub(crate) fn parse<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, Error> {
    let object = kernel::json::object(bytes)?;
    serde_path_to_error::deserialize(ByName(Value::Object(object))).map_err(|error| {
        let path = error.path().to_string();
        refuse(&path, &error.into_inner().to_string())
    })
}

fn refuse(path: &str, message: &str) -> Error {
    let mut error = Error::invalid(field(path, message), plain(message));
    if message == InvalidAmount::Range.to_string() {
        let errors = std::mem::take(&mut error.0.errors);
        error = Error::new(Code::AmountOutOfRange, "an amount does not fit");
        error.0.errors = errors;
    }
    error
}

/// The field a message is about: serde names missing and unknown ones in the message, at their parent's path.
fn field(path: &str, message: &str) -> String {
    let parent = if path == "." { "" } else { path };
    let named = ["missing field `", "unknown field `"].iter().find_map(|start| message.strip_prefix(start));
    let Some((name, _)) = named.and_then(|rest| rest.split_once('`')) else { return parent.to_owned() };
    match parent {
        "" => name.to_owned(),
        parent if parent == name || parent.ends_with(&format!(".{name}")) => parent.to_owned(),
        parent => format!("{parent}.{name}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde::Deserialize;

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Rules {
        #[expect(dead_code, reason = "only read by serde")]
        rules: Vec<Rule>,
    }

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Rule {
        #[expect(dead_code, reason = "only read by serde")]
        port: u16,
    }

    fn refused(text: &str) -> (Code, Option<String>) {
        let problem = parse::<Rules>(text.as_bytes()).unwrap_err().0;
        (problem.code, problem.errors.first().map(|error| error.field.clone()))
    }

    #[test]
    fn the_wrong_field_is_named_by_its_path() {
        let invalid = |field: &str| (Code::Invalid, Some(field.to_owned()));
        assert_eq!(refused(r#"{"rules":[{"port":1},{"port":"x"}]}"#), invalid("rules[1].port"));
        assert_eq!(refused(r#"{"rules":[{"port":1,"host":2}]}"#), invalid("rules[0].host"));
        assert_eq!(refused(r#"{"rules":[{}]}"#), invalid("rules[0].port"));
        assert_eq!(refused(r#"{"rule":[]}"#), invalid("rule"));
        assert_eq!(refused("{}"), invalid("rules"));
    }

    #[test]
    fn a_list_is_no_object_however_deep_it_lies() {
        for list in ["[]", " [[]]", r#"[[{"port":1}]]"#] {
            assert_eq!(refused(list), (Code::InvalidJson, None), "{list}");
        }
        let invalid = |field: &str| (Code::Invalid, Some(field.to_owned()));
        assert_eq!(refused(r#"{"rules":[{"port":1},[1]]}"#), invalid("rules[1]"));
        assert_eq!(refused(r#"{"rules":[[]]}"#), invalid("rules[0]"));
        assert!(parse::<Rules>(br#"{"rules":[{"port":1}]}"#).is_ok());
    }

    #[test]
    fn only_plain_json_in_utf_8_is_read() {
        let kind = |kind: &str, encoding: Option<&str>| {
            let mut headers = HeaderMap::from_iter([(CONTENT_TYPE, kind.parse().unwrap())]);
            headers.extend(encoding.map(|encoding| (CONTENT_ENCODING, encoding.parse().unwrap())));
            check_kind(&headers).is_ok()
        };
        for good in [
            "application/json",
            "Application/JSON; charset=UTF-8",
            "application/merge-patch+json",
            "application/json;charset=\"utf-8\"",
        ] {
            assert!(kind(good, None) && kind(good, Some("identity")), "{good}");
        }
        for bad in ["text/plain", "application/json; charset=utf-16", "application/x-json", "application/json5", ""] {
            assert!(!kind(bad, None), "{bad}");
        }
        for encoding in ["gzip", "br", "identity, gzip"] {
            assert!(!kind("application/json", Some(encoding)), "{encoding}");
        }
        assert!(check_kind(&HeaderMap::new()).is_err());
    }

    #[test]
    fn what_is_no_json_says_where() {
        for text in ["", "{", "{]", "{\"rules\":[]} x"] {
            assert_eq!(refused(text).0, Code::InvalidJson, "{text}");
        }
        assert_eq!(refused(r#"{"rules":[],"rules":[]}"#).0, Code::DuplicateKey);
    }
}
