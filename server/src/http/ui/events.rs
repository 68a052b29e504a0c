//! `/ui/events`: live hints for the lists of a workspace.

use std::collections::BTreeSet;
use std::sync::Arc;

use axum::Extension;
use axum::extract::State;
use axum::response::Response;
use serde::Deserialize;
use types::name::Slug;

use crate::backend::Visitor;
use crate::compose::App;
use crate::http::live;
use crate::http::sse::{self, LastEventId};
use crate::http::{Query, Result};

/// Which workspace.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct At {
    w: Slug,
}

/// Hints about everything the workspace has, as it happens.
pub(super) async fn stream_hints(
    State(app): State<App>,
    Extension(visitor): Extension<Arc<Visitor>>,
    Query(At { w }): Query<At>,
    LastEventId(last): LastEventId,
) -> Result<Response> {
    let ctx = visitor.enter(&w).await?;
    Ok(sse::respond(live::hints(app.observe.stream_hints(ctx, BTreeSet::new(), last.is_some())?)))
}
