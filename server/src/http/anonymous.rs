//! The routes that ask for no credential: all of them, and nothing else.

use axum::http::Method;

/// Method and path of each. A test walks every route and server function there is and finds all others closed.
pub const ANONYMOUS: &[&str] = &[
    "GET /health",
    "GET /health/ready",
    // Guarded by a token of its own, where one is set.
    "GET /metrics",
    "GET /docs/errors/{code}",
    "GET /.well-known/soit-keys.json",
    "POST /api/v1/login",
    "POST /api/v1/login/mfa",
    "POST /api/v1/refresh",
    "GET /api/v1/auth/capabilities",
    "POST /api/v1/register",
    "POST /api/v1/auth/password-reset",
    "POST /api/v1/auth/password-reset/confirm",
    "POST /api/v1/auth/email-verification/confirm",
    // Whoever has a credential may send it along.
    "POST /api/v1/invitations/accept",
    "GET /api/v1/openapi.json",
    "GET /sign-in",
    "GET /mfa",
    "GET /invite",
    "GET /forgot-password",
    "GET /reset-password",
    "GET /confirm-email",
    "GET /register",
    "POST /ui/sign-in",
    "POST /ui/mfa",
    "POST /ui/invite",
    "POST /ui/forgot-password",
    "POST /ui/reset-password",
    "POST /ui/confirm-email",
    "POST /ui/register",
    "POST /ui/sign-out",
    "POST /ui/prefs",
    "GET /auth/oidc/{id}/start",
    "GET /auth/oidc/{id}/callback",
    // Guarded by the signature of the token it brings.
    "POST /auth/oidc/{id}/backchannel-logout",
];

/// Whether a route asks for no credential.
pub(crate) fn is_anonymous(method: &Method, route: &str) -> bool {
    let method = if *method == Method::HEAD { "GET" } else { method.as_str() };
    ANONYMOUS.iter().any(|known| known.split_once(' ') == Some((method, route)))
}
