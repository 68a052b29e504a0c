//! The forms that sign people in and out. They work without scripts: each answers by sending the browser on.

use axum::Form;
use axum::extract::State;
use axum::extract::rejection::FormRejection;
use axum::http::StatusCode;
use axum::http::header::SET_COOKIE;
use axum::response::{AppendHeaders, IntoResponse, Redirect, Response};
use kernel::identity::{Place, Presented};
use serde::Deserialize;
use tower_sessions::Session;
use types::identity::Login;
use types::problem::Code;

use super::next::next_path;
use crate::compose::App;
use crate::http::{Caller, Result};
use crate::session::{Ticket, cookie_digest, device_cookie, drop_cookie, email_cookie, expired_cookie, hand_over};

/// The sign-in form.
#[derive(Deserialize)]
pub(super) struct SignInForm {
    email: String,
    password: String,
    #[serde(default)]
    next: String,
}

/// Opens a console session and goes on to `next`; a refusal goes back to the form and names its code.
pub(super) async fn sign_in(
    State(app): State<App>,
    Caller(client): Caller,
    session: Session,
    form: std::result::Result<Form<SignInForm>, FormRejection>,
) -> Result<Response> {
    let Form(form) = match form {
        Ok(form) => form,
        Err(unread) => {
            let is_large = unread.status() == StatusCode::PAYLOAD_TOO_LARGE;
            let code = if is_large { Code::TooLarge } else { Code::Invalid };
            return Ok(back(code, None, "/").into_response());
        }
    };
    let next = &*next_path(&form.next);
    let typed = email_cookie(&app, &form.email);
    let before = cookie_digest(&session).map(Presented::Cookie);
    let ticket = Ticket::fresh(&*app.ids);
    let command = Login { email: form.email, password: form.password };
    match app.identity.sign_in(&client, &command, ticket.digest()).await {
        Err(error) => {
            let typed = AppendHeaders(typed.map(|typed| (SET_COOKIE, typed)));
            Ok((typed, back(error.code(), error.retry_after(), next)).into_response())
        }
        Ok(signed_in) => {
            // A session this browser had before is over; if it was over already, so much the better.
            if let Ok(ctx) = app.identity.authenticate(&client, before.as_ref(), &Place::Person { header: None }).await
            {
                app.identity.log_out(&ctx).await?;
            }
            hand_over(&session, ticket, signed_in.expires_at).await?;
            let mark = signed_in.device.as_deref().and_then(|mark| device_cookie(&app, mark));
            let cookies = [mark, email_cookie(&app, "")].into_iter().flatten().map(|cookie| (SET_COOKIE, cookie));
            Ok((AppendHeaders(cookies), Redirect::to(next)).into_response())
        }
    }
}

/// Ends the session, if there is one, and takes the cookie away.
pub(super) async fn sign_out(State(app): State<App>, Caller(client): Caller, session: Session) -> Result<Response> {
    let cookie = cookie_digest(&session).map(Presented::Cookie);
    if let Ok(ctx) = app.identity.authenticate(&client, cookie.as_ref(), &Place::Person { header: None }).await {
        app.identity.log_out(&ctx).await?;
    }
    drop_cookie(&session).await?;
    Ok((AppendHeaders([(SET_COOKIE, expired_cookie(&app))]), Redirect::to(app::route::SIGN_IN)).into_response())
}

fn back(code: Code, retry_after: Option<u64>, next: &str) -> Redirect {
    let mut query = url::form_urlencoded::Serializer::new(String::new());
    query.append_pair("error", code.as_str());
    if let Some(seconds) = retry_after {
        query.append_pair("retry_after", &seconds.to_string());
    }
    if next != "/" {
        query.append_pair("next", next);
    }
    Redirect::to(&format!("{}?{}", app::route::SIGN_IN, query.finish()))
}
