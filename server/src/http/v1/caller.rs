//! Who calls. A refusal of somebody who is known is a run, whoever refuses; nobody gets one for reading.

use axum::extract::FromRequestParts;
use axum::http::Method;
use axum::http::request::Parts;
use kernel::OpContext;

use crate::compose::App;
use crate::http::context;
use crate::http::problem::Error;

/// Somebody with a valid credential, in a workspace.
#[derive(Clone, Debug)]
pub(super) struct Caller {
    pub(super) ctx: OpContext,
    is_reading: bool,
}

impl FromRequestParts<App> for Caller {
    type Rejection = Error;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, Error> {
        let is_reading = matches!(parts.method, Method::GET | Method::HEAD);
        match context::authenticated(parts, app).await {
            Ok(ctx) => Ok(Self { ctx, is_reading }),
            Err(turned_away) => match turned_away.known {
                Some(ctx) => Err(Self { ctx: *ctx, is_reading }.refuse(app, turned_away.error).await),
                None => Err(turned_away.error.into()),
            },
        }
    }
}

impl Caller {
    /// A refusal of this caller by the door itself.
    pub(super) async fn refuse(&self, app: &App, error: kernel::Error) -> Error {
        if self.is_reading { error.into() } else { app.gateway.refuse(&self.ctx, None, error).await.into() }
    }
}
