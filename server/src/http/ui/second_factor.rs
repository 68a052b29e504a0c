//! The forms of the page of the second factor. Each is answered by the page itself: what is shown once is in the answer to a
//! POST alone, and in no address.

use std::sync::Arc;

use app::backend::second_factor::Act;
use axum::body::{Body, to_bytes};
use axum::extract::Request;
use kernel::secret::SecretString;

use crate::backend::{SecondFactorForm, Visitor};
use crate::http::body::MAX_BODY;

/// Does what the form asks for; the request that is left has the page rendered.
pub(super) async fn act(request: Request) -> Request {
    let (parts, body) = request.into_parts();
    let form = to_bytes(body, MAX_BODY).await.map(|bytes| read(&bytes)).unwrap_or_default();
    if let (Some(visitor), Some(form)) = (parts.extensions.get::<Arc<Visitor>>(), form) {
        visitor.post_second_factor(form).await;
    }
    Request::from_parts(parts, Body::empty())
}

/// None where it is no form of this page.
fn read(body: &[u8]) -> Option<SecondFactorForm> {
    let find = |name| url::form_urlencoded::parse(body).find(|pair| pair.0 == name).map(|pair| pair.1.into_owned());
    let text = |name| find(name).filter(|text| !text.is_empty());
    let act: Act = find(Act::FIELD)?.parse().ok()?;
    Some(SecondFactorForm { act, code: text("code"), password: text("password").map(SecretString::new) })
}
