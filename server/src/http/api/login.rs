//! Signing in, trading tokens, signing out.

use axum::extract::State;
use axum::http::StatusCode;
use types::identity::{AuthCapabilities, LoggedIn, Login, Refresh};
use types::mfa::{LoginAnswer, LoginMfa};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::compose::App;
use crate::http::{Caller, Json, Person, Result};

pub(super) fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(log_in))
        .routes(routes!(log_in_mfa))
        .routes(routes!(refresh_tokens))
        .routes(routes!(log_out))
        .routes(routes!(show_auth_capabilities))
}

/// Signs in with an e-mail address and a password; who has a second factor is asked for it.
#[utoipa::path(post, path = "/login", tag = "identity", security(()), request_body = Login,
    responses((status = 200, description = "Signed in, the tokens shown this once; or what `POST /login/mfa` takes", body = LoginAnswer)))]
async fn log_in(
    State(app): State<App>,
    Caller(client): Caller,
    Json(command): Json<Login>,
) -> Result<Json<LoginAnswer>> {
    Ok(Json(app.identity.login(&client, &command).await?))
}

/// The second step of signing in: a code of one's second factor.
#[utoipa::path(post, path = "/login/mfa", tag = "identity", security(()), request_body = LoginMfa,
    responses((status = 200, description = "Signed in; the tokens are shown this once", body = LoggedIn)))]
async fn log_in_mfa(
    State(app): State<App>,
    Caller(client): Caller,
    Json(command): Json<LoginMfa>,
) -> Result<Json<LoggedIn>> {
    Ok(Json(app.identity.login_mfa(&client, &command).await?))
}

/// Trades a refresh token for new tokens. Each refresh token works once.
#[utoipa::path(post, path = "/refresh", tag = "identity", security(()), request_body = Refresh,
    responses((status = 200, description = "New tokens, shown this once", body = LoggedIn)))]
async fn refresh_tokens(
    State(app): State<App>,
    Caller(client): Caller,
    Json(command): Json<Refresh>,
) -> Result<Json<LoggedIn>> {
    Ok(Json(app.identity.refresh(&client, &command).await?))
}

/// Ends the session of the access token.
#[utoipa::path(post, path = "/logout", tag = "identity", responses((status = 204, description = "Signed out")))]
async fn log_out(State(app): State<App>, Person(ctx): Person) -> Result<StatusCode> {
    app.identity.log_out(&ctx).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// How people can get in.
#[utoipa::path(get, path = "/auth/capabilities", tag = "identity", security(()),
    responses((status = 200, description = "What this deployment offers", body = AuthCapabilities)))]
async fn show_auth_capabilities(State(app): State<App>) -> Result<Json<AuthCapabilities>> {
    Ok(Json(app.identity.auth_capabilities().await?))
}
