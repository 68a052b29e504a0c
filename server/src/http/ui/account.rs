//! The forms of who has no session. They work without scripts and answer by sending the browser on; a refusal goes back to the
//! form and names its code. No address ever holds what was typed.

use axum::Form;
use axum::extract::State;
use axum::extract::rejection::FormRejection;
use axum::http::StatusCode;
use axum::response::Redirect;
use serde::Deserialize;
use types::account::{ConfirmEmail, Register, RequestPasswordReset, ResetPassword};
use types::problem::Code;

use crate::compose::App;
use crate::http::{Caller, Reads};

/// Where an address is asked for.
#[derive(Deserialize)]
pub(super) struct AddressForm {
    email: String,
}

/// Where a new password is set.
#[derive(Deserialize)]
pub(super) struct PasswordForm {
    token: String,
    password: String,
    repeated: String,
}

/// Where a link is used.
#[derive(Deserialize)]
pub(super) struct LinkForm {
    token: String,
}

/// Where an account is made.
#[derive(Deserialize)]
pub(super) struct RegisterForm {
    email: String,
    name: String,
    password: String,
    repeated: String,
}

type Filled<T> = Result<Form<T>, FormRejection>;

/// Has a link sent that sets a new password.
pub(super) async fn ask_for_reset(
    State(app): State<App>,
    Caller(client): Caller,
    Reads(language): Reads,
    form: Filled<AddressForm>,
) -> Redirect {
    let done = async {
        let command = RequestPasswordReset { email: read(form)?.email };
        app.identity.request_password_reset(&client, language, &command).await.map_err(|error| error.code())
    };
    lead(done.await, app::route::FORGOT_PASSWORD, &format!("{}?sent=1", app::route::FORGOT_PASSWORD))
}

/// Sets a new password, and leads to where one signs in with it.
pub(super) async fn reset(State(app): State<App>, Caller(client): Caller, form: Filled<PasswordForm>) -> Redirect {
    let done = async {
        let PasswordForm { token, password, repeated } = read(form)?;
        same(&password, &repeated)?;
        let command = ResetPassword { token, password };
        app.identity.reset_password(&client, &command).await.map_err(|error| error.code())
    };
    lead(done.await, app::route::RESET_PASSWORD, &format!("{}?done=password_reset", app::route::SIGN_IN))
}

/// Confirms an address.
pub(super) async fn confirm(State(app): State<App>, Caller(client): Caller, form: Filled<LinkForm>) -> Redirect {
    let done = async {
        let command = ConfirmEmail { token: read(form)?.token };
        app.identity.confirm_email(&client, &command).await.map_err(|error| error.code())
    };
    lead(done.await, app::route::CONFIRM_EMAIL, &format!("{}?done=1", app::route::CONFIRM_EMAIL))
}

/// Has a link sent that makes an account.
pub(super) async fn register(
    State(app): State<App>,
    Caller(client): Caller,
    Reads(language): Reads,
    form: Filled<RegisterForm>,
) -> Redirect {
    let done = async {
        let RegisterForm { email, name, password, repeated } = read(form)?;
        same(&password, &repeated)?;
        let command = Register { email, name: name.trim().parse().map_err(|_| Code::Invalid)?, password };
        app.identity.register(&client, language, &command).await.map_err(|error| error.code())
    };
    lead(done.await, app::route::REGISTER, &format!("{}?sent=1", app::route::REGISTER))
}

fn read<T>(form: Filled<T>) -> Result<T, Code> {
    form.map(|Form(form)| form).map_err(|unread| {
        let is_large = unread.status() == StatusCode::PAYLOAD_TOO_LARGE;
        if is_large { Code::TooLarge } else { Code::Invalid }
    })
}

fn same(password: &str, repeated: &str) -> Result<(), Code> {
    if password == repeated { Ok(()) } else { Err(Code::Invalid) }
}

fn lead(done: Result<(), Code>, back: &str, on: &str) -> Redirect {
    match done {
        Ok(()) => Redirect::to(on),
        Err(code) => Redirect::to(&format!("{back}?error={}", code.as_str())),
    }
}
