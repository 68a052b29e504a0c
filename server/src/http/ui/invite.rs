//! The form that accepts an invitation. It works without scripts and answers by sending the browser on.

use axum::Form;
use axum::extract::State;
use axum::extract::rejection::FormRejection;
use axum::http::StatusCode;
use axum::response::Redirect;
use kernel::identity::{Called, Place, Presented, address};
use serde::Deserialize;
use tower_sessions::Session;
use types::member::AcceptInvitation;
use types::name::Name;
use types::problem::Code;

use crate::compose::App;
use crate::http::Caller;
use crate::session::cookie_digest;

/// The form of the page.
#[derive(Deserialize)]
pub(super) struct InviteForm {
    token: String,
    #[serde(default)]
    name: String,
    #[serde(default)]
    password: String,
}

/// Joins the workspace: as who is signed in, else by a new account, which then signs in. A refusal goes back to the form and
/// names its code; the token and the password are in no address.
pub(super) async fn accept(
    State(app): State<App>,
    Caller(client): Caller,
    session: Session,
    form: Result<Form<InviteForm>, FormRejection>,
) -> Redirect {
    let command = match form.map(|Form(form)| read(form)) {
        Ok(Ok(command)) => command,
        Ok(Err(code)) => return back(code),
        Err(unread) => {
            let is_large = unread.status() == StatusCode::PAYLOAD_TOO_LARGE;
            return back(if is_large { Code::TooLarge } else { Code::Invalid });
        }
    };
    let cookie = cookie_digest(&session).map(Presented::Cookie);
    let ctx = app.identity.authenticate(&client, cookie.as_ref(), &Place::Person { header: None }).await.ok();
    match app.identity.accept_invitation(&client, ctx.as_ref(), &command).await {
        Err(error) => back(error.code()),
        // Who is not signed in is asked to, and led on.
        Ok(accepted) => {
            let slug = accepted.workspace_slug;
            let is_clear = match &ctx {
                Some(ctx) => app.identity.called(ctx, &slug).await.is_ok_and(|called| called == Called::Clearly),
                None => true,
            };
            let own = address(accepted.workspace_id).ok().filter(|_| !is_clear).unwrap_or(slug);
            Redirect::to(&format!("/w/{own}"))
        }
    }
}

fn read(form: InviteForm) -> Result<AcceptInvitation, Code> {
    let name = Some(form.name.trim()).filter(|name| !name.is_empty());
    let name: Option<Name> = name.map(str::parse).transpose().map_err(|_| Code::Invalid)?;
    let password = Some(form.password).filter(|password| !password.is_empty());
    Ok(AcceptInvitation { token: form.token, name, password })
}

fn back(code: Code) -> Redirect {
    Redirect::to(&format!("{}?error={}", app::route::INVITE, code.as_str()))
}
