//! The forms that sign people in and out. They work without scripts: each answers by sending the browser on.

use axum::Form;
use axum::extract::State;
use axum::extract::rejection::FormRejection;
use axum::http::StatusCode;
use axum::http::header::SET_COOKIE;
use axum::response::{AppendHeaders, IntoResponse, Redirect, Response};
use kernel::identity::{Client, FirstStep, Place, Presented, SignedIn};
use serde::Deserialize;
use tower_sessions::Session;
use types::identity::Login;
use types::problem::Code;
use url::form_urlencoded;

use super::next::next_path;
use crate::compose::App;
use crate::http::{Caller, Result};
use crate::session::{
    Ticket, challenge_cookie, cookie_digest, device_cookie, drop_cookie, email_cookie, expired_cookie, hand_over,
};

/// The sign-in form.
#[derive(Deserialize)]
pub(super) struct SignInForm {
    email: String,
    password: String,
    #[serde(default)]
    next: String,
}

/// Opens a console session and goes on to `next`, by way of a second step where the account has one; a refusal goes back to the
/// form and names its code.
pub(super) async fn sign_in(
    State(app): State<App>,
    Caller(client): Caller,
    session: Session,
    form: std::result::Result<Form<SignInForm>, FormRejection>,
) -> Result<Response> {
    let Form(form) = match form {
        Ok(form) => form,
        Err(unread) => return Ok(back_to(app::route::SIGN_IN, unread_as(&unread), None, "/").into_response()),
    };
    let next = &*next_path(&form.next);
    let typed = email_cookie(&app, &form.email);
    let ticket = Ticket::fresh(&*app.ids);
    let command = Login { email: form.email, password: form.password };
    match app.identity.sign_in(&client, &command, ticket.digest()).await {
        Err(error) => {
            let typed = AppendHeaders(typed.map(|typed| (SET_COOKIE, typed)));
            Ok((typed, back_to(app::route::SIGN_IN, error.code(), error.retry_after(), next)).into_response())
        }
        Ok(FirstStep::SignedIn(signed_in)) => go_in(&app, &client, &session, ticket, signed_in, next).await,
        Ok(FirstStep::CodeAsked(asked)) => {
            let cookies = [challenge_cookie(&app, Some(&asked)), email_cookie(&app, "")];
            let cookies = cookies.into_iter().flatten().map(|cookie| (SET_COOKIE, cookie));
            let query = form_urlencoded::Serializer::new(String::new()).append_pair("next", next).finish();
            let page = if next == "/" { app::route::MFA.to_owned() } else { format!("{}?{query}", app::route::MFA) };
            Ok((AppendHeaders(cookies), Redirect::to(&page)).into_response())
        }
    }
}

/// Gives the browser the session that was opened and leads it on to `next`.
pub(super) async fn go_in(
    app: &App,
    client: &Client,
    session: &Session,
    ticket: Ticket,
    signed_in: SignedIn,
    next: &str,
) -> Result<Response> {
    // A session this browser had before is over; if it was over already, so much the better.
    let before = cookie_digest(session).map(Presented::Cookie);
    if let Ok(ctx) = app.identity.authenticate(client, before.as_ref(), &Place::Person { header: None }).await {
        app.identity.log_out(&ctx).await?;
    }
    hand_over(session, ticket, signed_in.expires_at).await?;
    let mark = signed_in.device.as_deref().and_then(|mark| device_cookie(app, mark));
    let cookies = [mark, email_cookie(app, ""), challenge_cookie(app, None)];
    let cookies = cookies.into_iter().flatten().map(|cookie| (SET_COOKIE, cookie));
    Ok((AppendHeaders(cookies), Redirect::to(next)).into_response())
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

/// What is said of a form that cannot be read.
pub(super) fn unread_as(unread: &FormRejection) -> Code {
    if unread.status() == StatusCode::PAYLOAD_TOO_LARGE { Code::TooLarge } else { Code::Invalid }
}

/// Back to the page of a form, which says why.
pub(super) fn back_to(page: &str, code: Code, retry_after: Option<u64>, next: &str) -> Redirect {
    let mut query = form_urlencoded::Serializer::new(String::new());
    query.append_pair("error", code.as_str());
    if let Some(seconds) = retry_after {
        query.append_pair("retry_after", &seconds.to_string());
    }
    if next != "/" {
        query.append_pair("next", next);
    }
    Redirect::to(&format!("{page}?{}", query.finish()))
}
