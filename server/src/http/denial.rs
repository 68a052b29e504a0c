//! Refusals of people who are known leave a trace in the audit, one row a minute for each person and code.

use std::sync::{Arc, Mutex, PoisonError};

use axum::extract::{Request, State};
use axum::http::Extensions;
use axum::middleware::Next;
use axum::response::Response;
use kernel::OpContext;

use super::problem::Error;
use crate::compose::App;

/// Who the request turned out to come from, and where they last were.
#[derive(Clone, Debug, Default)]
struct Known(Arc<Mutex<Option<OpContext>>>);

/// Remembers who asks, in case of a refusal.
pub(super) fn known(extensions: &Extensions, ctx: &OpContext) {
    if let Some(Known(slot)) = extensions.get::<Known>() {
        *slot.lock().unwrap_or_else(PoisonError::into_inner) = Some(ctx.clone());
    }
}

/// Around the doors: notes refusals of people who are known.
pub(super) async fn note(State(app): State<App>, mut request: Request, next: Next) -> Response {
    let known = Known::default();
    request.extensions_mut().insert(known.clone());
    let response = next.run(request).await;
    let known = known.0.lock().unwrap_or_else(PoisonError::into_inner);
    if let (Some(Error(problem)), Some(ctx)) = (response.extensions().get::<Error>(), &*known) {
        app.identity.note_denial(ctx, problem.code, &problem.detail);
    }
    drop(known);
    response
}
