//! `/ui/download/…`: what a run keeps whole, as a file.

use std::sync::Arc;

use axum::Extension;
use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::Response;
use serde::Deserialize;
use types::id::{ArtifactId, RunId};
use types::name::Slug;

use crate::backend::Visitor;
use crate::compose::App;
use crate::http::{Path, Query, Result, download};

/// Which workspace.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Place {
    w: Slug,
}

/// An artifact of a run.
pub(super) async fn read_artifact(
    State(app): State<App>,
    Extension(visitor): Extension<Arc<Visitor>>,
    Path((id, artifact)): Path<(RunId, ArtifactId)>,
    Query(Place { w }): Query<Place>,
    headers: HeaderMap,
) -> Result<Response> {
    let ctx = visitor.enter(&w).await?;
    Ok(download::answer(app.observe.open_artifact(&ctx, id, artifact).await?, &headers))
}
