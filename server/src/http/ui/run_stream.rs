//! `/ui/runs/{id}/stream`: one run as it happens.

use std::sync::Arc;

use axum::Extension;
use axum::extract::State;
use axum::response::Response;
use serde::Deserialize;
use types::id::RunId;
use types::name::Slug;

use crate::backend::Visitor;
use crate::compose::App;
use crate::http::live;
use crate::http::sse::{self, LastEventId};
use crate::http::{Path, Query, Result};

/// Which workspace, and from where on; `Last-Event-ID` wins.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Start {
    w: Slug,
    #[serde(default)]
    after: u64,
}

/// A run's events: first the stored ones, then each as it happens, none twice.
pub(super) async fn stream_run(
    State(app): State<App>,
    Extension(visitor): Extension<Arc<Visitor>>,
    Path(id): Path<RunId>,
    Query(Start { w, after }): Query<Start>,
    LastEventId(last): LastEventId,
) -> Result<Response> {
    let ctx = visitor.enter(&w).await?;
    Ok(sse::respond(live::run_events(app.observe.stream_run(ctx, id, last.unwrap_or(after)).await?)))
}
