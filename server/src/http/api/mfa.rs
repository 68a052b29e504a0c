//! One's second factor: setting it up, its recovery codes, doing without it.

use axum::extract::State;
use axum::http::StatusCode;
use types::mfa::{ConfirmMfa, Mfa, MfaSetup, RecoveryCodes};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::compose::App;
use crate::http::{Json, Person, Result};

pub(super) fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(find_mfa))
        .routes(routes!(setup_mfa))
        .routes(routes!(confirm_mfa))
        .routes(routes!(renew_recovery_codes))
        .routes(routes!(disable_mfa))
}

/// Where one's second factor stands.
#[utoipa::path(get, path = "/me/mfa", tag = "identity",
    responses((status = 200, description = "Whether signing in asks for it, and what is left of its codes", body = Mfa)))]
async fn find_mfa(State(app): State<App>, Person(ctx): Person) -> Result<Json<Mfa>> {
    Ok(Json(app.identity.find_mfa(&ctx).await?))
}

/// Makes a seed for an authenticator app. It counts once a code of it is confirmed; one that counts goes on until then.
#[utoipa::path(post, path = "/me/mfa/setup", tag = "identity",
    responses((status = 200, description = "The seed, shown this once", body = MfaSetup)))]
async fn setup_mfa(State(app): State<App>, Person(ctx): Person) -> Result<Json<MfaSetup>> {
    Ok(Json(app.identity.setup_mfa(&ctx).await?))
}

/// Makes the seed that was set up count.
#[utoipa::path(post, path = "/me/mfa/confirm", tag = "identity", request_body = ConfirmMfa,
    responses((status = 200, description = "Recovery codes, shown this once", body = RecoveryCodes)))]
async fn confirm_mfa(
    State(app): State<App>,
    Person(ctx): Person,
    Json(command): Json<ConfirmMfa>,
) -> Result<Json<RecoveryCodes>> {
    let (_, codes) = app.identity.confirm_mfa(&ctx, &command, None).await?;
    Ok(Json(codes))
}

/// Makes new recovery codes; those before count no more.
#[utoipa::path(post, path = "/me/mfa/recovery-codes", tag = "identity",
    responses((status = 200, description = "The codes, shown this once", body = RecoveryCodes)))]
async fn renew_recovery_codes(State(app): State<App>, Person(ctx): Person) -> Result<Json<RecoveryCodes>> {
    Ok(Json(app.identity.renew_recovery_codes(&ctx).await?))
}

/// Takes one's second factor away, its recovery codes with it. Not while a workspace asks for it.
#[utoipa::path(post, path = "/me/mfa/disable", tag = "identity",
    responses((status = 204, description = "Signing in asks for the password alone")))]
async fn disable_mfa(State(app): State<App>, Person(ctx): Person) -> Result<StatusCode> {
    app.identity.disable_mfa(&ctx).await?;
    Ok(StatusCode::NO_CONTENT)
}
