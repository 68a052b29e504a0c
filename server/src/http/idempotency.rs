//! `Idempotency-Key` on the POSTs of `/api/v1`: its form is checked, so that a client that relies on one learns early
//! that it sent none. What it promises, claims and replay, is not here yet; `/v1` checks it in `kernel::gateway`.

use axum::extract::Request;
use axum::http::{HeaderMap, HeaderName, Method};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use types::problem::{Code, FieldError};

use super::problem::Error;

const KEY: HeaderName = HeaderName::from_static("idempotency-key");
const MOST: usize = 255;

/// Around the doors of `/api/v1`.
pub(super) async fn check(request: Request, next: Next) -> Response {
    match wrong(request.method(), request.headers()) {
        None => next.run(request).await,
        Some(what) => {
            let mut refusal =
                Error::new(Code::IdempotencyKeyInvalid, format!("the header `Idempotency-Key` {what}, send one UUID"));
            refusal.0.errors.push(FieldError { field: "Idempotency-Key".to_owned(), message: what.to_owned() });
            refusal.into_response()
        }
    }
}

/// What is wrong with the key of a POST.
fn wrong(method: &Method, headers: &HeaderMap) -> Option<&'static str> {
    let mut keys = headers.get_all(KEY).iter().filter(|_| *method == Method::POST);
    let key = keys.next()?.as_bytes();
    if keys.next().is_some() {
        return Some("is sent twice");
    }
    let plain = key.iter().all(|byte| (0x21..=0x7e).contains(byte));
    (!plain || key.is_empty() || key.len() > MOST).then_some("must have 1 to 255 visible ASCII characters")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_visible_key_of_255_characters_at_most() {
        let found = |method: Method, keys: &[&str]| {
            let mut headers = HeaderMap::new();
            for key in keys {
                headers.append(KEY, key.parse().expect("a header"));
            }
            wrong(&method, &headers).is_some()
        };
        let longest = "k".repeat(MOST);
        for keys in [&[][..], &["a"], &["7f9c0a52-5a3e-4f0e-8f9d-0f5c9c1f2a11"], &[&longest]] {
            assert!(!found(Method::POST, keys), "{keys:?}");
        }
        let longer = "k".repeat(MOST + 1);
        for keys in [&[""][..], &["a b"], &["a", "a"], &[&longer]] {
            assert!(found(Method::POST, keys), "{keys:?}");
            assert!(!found(Method::GET, keys), "only POSTs have keys: {keys:?}");
        }
    }
}
