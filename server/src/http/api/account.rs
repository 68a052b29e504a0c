//! Accounts beyond signing in: registration, forgotten passwords, addresses, closure.

use axum::extract::State;
use axum::http::StatusCode;
use types::account::{ConfirmEmail, DeletionRequest, Register, RequestPasswordReset, ResetPassword, VerifyEmail};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::compose::App;
use crate::http::{Caller, Json, Person, Reads, Result};

pub(super) fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(register))
        .routes(routes!(request_password_reset))
        .routes(routes!(reset_password))
        .routes(routes!(confirm_email))
        .routes(routes!(verify_email))
        .routes(routes!(find_deletion_request, request_deletion, withdraw_deletion))
}

/// Makes an account with a tenant and a workspace of its own, once a link sent to its address is opened. Whether the address
/// has one already is told by mail only.
#[utoipa::path(post, path = "/register", tag = "identity", security(()), request_body = Register,
    responses((status = 202, description = "A mail is sent"), (status = 404, description = "Not offered here")))]
async fn register(
    State(app): State<App>,
    Caller(client): Caller,
    Reads(language): Reads,
    Json(command): Json<Register>,
) -> Result<StatusCode> {
    app.identity.register(&client, language, &command).await?;
    Ok(StatusCode::ACCEPTED)
}

/// Has a link sent that sets a new password. The answer is the same for every address; one gets three mails an hour.
#[utoipa::path(post, path = "/auth/password-reset", tag = "identity", security(()), request_body = RequestPasswordReset,
    responses((status = 204, description = "If the address has an account, a mail is sent")))]
async fn request_password_reset(
    State(app): State<App>,
    Caller(client): Caller,
    Reads(language): Reads,
    Json(command): Json<RequestPasswordReset>,
) -> Result<StatusCode> {
    app.identity.request_password_reset(&client, language, &command).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Sets a new password with a link's token and ends every session of the account.
#[utoipa::path(post, path = "/auth/password-reset/confirm", tag = "identity", security(()), request_body = ResetPassword,
    responses((status = 204, description = "Set; sign in with it")))]
async fn reset_password(
    State(app): State<App>,
    Caller(client): Caller,
    Json(command): Json<ResetPassword>,
) -> Result<StatusCode> {
    app.identity.reset_password(&client, &command).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Confirms an address with a link's token: of an account that has it, is to have it, or is made with it.
#[utoipa::path(post, path = "/auth/email-verification/confirm", tag = "identity", security(()), request_body = ConfirmEmail,
    responses((status = 204, description = "Confirmed")))]
async fn confirm_email(
    State(app): State<App>,
    Caller(client): Caller,
    Json(command): Json<ConfirmEmail>,
) -> Result<StatusCode> {
    app.identity.confirm_email(&client, &command).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Has a link sent that proves one's address, or another address that the account is to have: that needs a fresh proof of
/// who one is.
#[utoipa::path(post, path = "/me/email-verification", tag = "identity", request_body = VerifyEmail,
    responses((status = 204, description = "A mail is sent")))]
async fn verify_email(
    State(app): State<App>,
    Person(ctx): Person,
    Caller(client): Caller,
    Reads(language): Reads,
    Json(command): Json<VerifyEmail>,
) -> Result<StatusCode> {
    app.identity.verify_email(&ctx, &client, language, &command).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// When one's account is closed, if that was asked for.
#[utoipa::path(get, path = "/me/deletion-request", tag = "identity",
    responses((status = 200, description = "When, or null", body = DeletionRequest)))]
async fn find_deletion_request(State(app): State<App>, Person(ctx): Person) -> Result<Json<DeletionRequest>> {
    Ok(Json(app.identity.find_deletion_request(&ctx).await?))
}

/// Has one's account closed after some days of grace. The last owner of a workspace or tenant cannot.
#[utoipa::path(post, path = "/me/deletion-request", tag = "identity",
    responses((status = 200, description = "When it is closed", body = DeletionRequest)))]
async fn request_deletion(State(app): State<App>, Person(ctx): Person) -> Result<Json<DeletionRequest>> {
    Ok(Json(app.identity.request_deletion(&ctx).await?))
}

/// Takes it back.
#[utoipa::path(delete, path = "/me/deletion-request", tag = "identity",
    responses((status = 204, description = "The account stays")))]
async fn withdraw_deletion(State(app): State<App>, Person(ctx): Person) -> Result<StatusCode> {
    app.identity.withdraw_deletion(&ctx).await?;
    Ok(StatusCode::NO_CONTENT)
}
