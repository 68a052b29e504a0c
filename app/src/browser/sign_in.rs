//! Signing in from within a page, by the form of the sign-in page.

use leptos::prelude::*;
use types::problem::Code;
use wasm_bindgen::JsCast as _;
use wasm_bindgen_futures::JsFuture;
use web_sys::{RequestInit, Response, UrlSearchParams};

use crate::query::Params;
use crate::route;

/// Where the sign-in leads to: something small that anybody may see.
const AFTER: &str = "/favicon.svg";

/// Opens a session for somebody; a refusal has the code that the sign-in page would show, or says that a second step is asked
/// for.
pub(crate) async fn sign_in(email: &str, password: &str) -> Result<(), Code> {
    post(route::SIGN_IN_POST, &[("email", email), ("password", password)]).await
}

/// The second step.
pub(crate) async fn give_code(code: &str) -> Result<(), Code> {
    post(route::MFA_POST, &[("code", code)]).await
}

async fn post(goal: &str, fields: &[(&str, &str)]) -> Result<(), Code> {
    let form = UrlSearchParams::new().map_err(|_| Code::Internal)?;
    for (name, value) in fields.iter().chain(&[("next", AFTER)]) {
        form.append(name, value);
    }
    let request = RequestInit::new();
    request.set_method("POST");
    request.set_body(&form);
    let answer = JsFuture::from(window().fetch_with_str_and_init(goal, &request)).await;
    let answer: Response = answer.ok().and_then(|answer| answer.dyn_into().ok()).ok_or(Code::Timeout)?;
    let url = answer.url();
    if answer.ok() && url.ends_with(AFTER) && !url.contains('?') {
        return Ok(());
    }
    let (page, query) =
        url.split_once('?').map_or((url.as_str(), Params::default()), |(page, query)| (page, Params::parse(query)));
    let refused = query.get("error").and_then(|code| code.parse().ok());
    Err(refused.unwrap_or(if page.ends_with(route::MFA) { Code::MfaRequired } else { Code::Internal }))
}
