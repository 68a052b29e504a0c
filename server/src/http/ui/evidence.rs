//! `/ui/runs/{id}/evidence`: the evidence of a run, as a file.

use std::sync::Arc;

use axum::Extension;
use axum::extract::State;
use axum::response::Response;
use serde::Deserialize;
use types::id::RunId;
use types::name::Slug;

use crate::backend::Visitor;
use crate::compose::App;
use crate::http::evidence as file;
use crate::http::{Path, Query, Result};

/// Which workspace.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Place {
    w: Slug,
}

/// The zip.
pub(super) async fn find_evidence(
    State(app): State<App>,
    Extension(visitor): Extension<Arc<Visitor>>,
    Path(id): Path<RunId>,
    Query(Place { w }): Query<Place>,
) -> Result<Response> {
    let ctx = visitor.enter(&w).await?;
    Ok(file::answer(app.evidence.collect(&ctx, id).await?, id))
}
