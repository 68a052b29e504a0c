//! The second step of a sign-in: the form that takes a code. The question waits in a cookie that only this form's address gets,
//! so it stands in no address and no page.

use axum::Form;
use axum::extract::State;
use axum::extract::rejection::FormRejection;
use axum::http::HeaderMap;
use axum::response::{IntoResponse, Response};
use serde::Deserialize;
use tower_sessions::Session;
use types::problem::Code;

use super::next::next_path;
use super::sign_in::{back_to, go_in, unread_as};
use crate::compose::App;
use crate::http::{Caller, Result};
use crate::session::{Ticket, challenge};

/// The form of the page.
#[derive(Deserialize)]
pub(super) struct CodeForm {
    code: String,
    #[serde(default)]
    next: String,
}

/// Opens the session the password was given for. A refusal goes back to the form and names its code; where the question is
/// over, to the first step.
pub(super) async fn give_code(
    State(app): State<App>,
    Caller(client): Caller,
    session: Session,
    headers: HeaderMap,
    form: std::result::Result<Form<CodeForm>, FormRejection>,
) -> Result<Response> {
    let Form(form) = match form {
        Ok(form) => form,
        Err(unread) => return Ok(back_to(app::route::MFA, unread_as(&unread), None, "/").into_response()),
    };
    let next = &*next_path(&form.next);
    let ticket = Ticket::fresh(&*app.ids);
    let token = challenge(&headers).unwrap_or_default();
    match app.identity.sign_in_mfa(&client, token, &form.code, ticket.digest()).await {
        Ok(signed_in) => go_in(&app, &client, &session, ticket, signed_in, next).await,
        Err(error) => {
            let is_over = error.code() == Code::ChallengeExpired;
            let page = if is_over { app::route::SIGN_IN } else { app::route::MFA };
            Ok(back_to(page, error.code(), error.retry_after(), next).into_response())
        }
    }
}
