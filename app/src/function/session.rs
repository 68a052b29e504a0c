//! Server functions of the signed-in person.

use leptos::prelude::*;
use types::account::{self, DeletionRequest};
use types::id::SessionId;
use types::identity::{self, Me};
use types::name::Slug;
use types::search::Hit;

use super::{ask, refused, submit};
use crate::backend::session::Shell;
use crate::error::{AppError, Typed};
use crate::form::{EmailForm, PasswordForm, ProfileForm, ProofForm};

/// What surrounds the pages of a workspace.
#[server(prefix = "/ui/fn", endpoint = "find_shell")]
pub(crate) async fn find_shell(workspace: Slug) -> Result<Shell, AppError> {
    ask(|backend| async move { backend.session.find_shell(&workspace).await }).await
}

/// Changes oneself.
#[server(prefix = "/ui/fn", endpoint = "update_me")]
pub(crate) async fn update_me(form: ProfileForm) -> Result<Me, AppError> {
    submit(&form, form.read(), |backend, command| async move { backend.session.update_me(command).await }).await
}

/// What a workspace holds, by a few letters or an id.
#[server(prefix = "/ui/fn", endpoint = "search")]
pub(crate) async fn search(workspace: Slug, q: String) -> Result<Vec<Hit>, AppError> {
    ask(|backend| async move { backend.session.search(&workspace, q).await }).await
}

/// One's sessions.
#[server(prefix = "/ui/fn", endpoint = "list_sessions")]
pub(crate) async fn list_sessions() -> Result<Vec<identity::Session>, AppError> {
    ask(|backend| async move { backend.session.list_sessions().await }).await
}

/// Ends one session.
#[server(prefix = "/ui/fn", endpoint = "revoke_session")]
pub(crate) async fn revoke_session(id: SessionId) -> Result<(), AppError> {
    ask(|backend| async move { backend.session.revoke_session(id).await }).await
}

/// Ends all sessions but the present one.
#[server(prefix = "/ui/fn", endpoint = "revoke_other_sessions")]
pub(crate) async fn revoke_other_sessions() -> Result<(), AppError> {
    ask(|backend| async move { backend.session.revoke_other_sessions().await }).await
}

/// Changes one's password.
#[server(prefix = "/ui/fn", endpoint = "change_password")]
pub(crate) async fn change_password(
    current_password: String,
    new_password: String,
    repeated: String,
) -> Result<(), AppError> {
    let form = PasswordForm { current_password, new_password, repeated };
    let command = form.read().map_err(|problem| refused(problem, Typed::new()))?;
    ask(|backend| async move { backend.session.change_password(command).await }).await
}

/// Has a link sent that proves one's address.
#[server(prefix = "/ui/fn", endpoint = "verify_email")]
pub(crate) async fn verify_email() -> Result<(), AppError> {
    ask(|backend| async move { backend.session.verify_email(account::VerifyEmail::default()).await }).await
}

/// Has a link sent that gives the account another address.
#[server(prefix = "/ui/fn", endpoint = "change_email")]
pub(crate) async fn change_email(form: EmailForm) -> Result<(), AppError> {
    submit(&form, form.read(), |backend, command| async move { backend.session.verify_email(command).await }).await
}

/// Has one's account closed after some days.
#[server(prefix = "/ui/fn", endpoint = "request_deletion")]
pub(crate) async fn request_deletion() -> Result<DeletionRequest, AppError> {
    ask(|backend| async move { backend.session.request_deletion().await }).await
}

/// Keeps it after all.
#[server(prefix = "/ui/fn", endpoint = "withdraw_deletion")]
pub(crate) async fn withdraw_deletion() -> Result<DeletionRequest, AppError> {
    ask(|backend| async move { backend.session.withdraw_deletion().await }).await
}

/// Proves one's identity again.
#[server(prefix = "/ui/fn", endpoint = "step_up")]
pub(crate) async fn step_up(
    #[server(default)] password: String,
    #[server(default)] code: String,
) -> Result<(), AppError> {
    let proof = ProofForm { password, code }.read();
    ask(|backend| async move { backend.session.step_up(proof).await }).await
}
