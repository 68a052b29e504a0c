//! `/ui/audit/chain`: a stretch of the hash chain with what proves it, for the check in the browser.

use std::sync::Arc;

use axum::extract::State;
use axum::{Extension, Json};
use serde::Deserialize;
use types::chain::ChainProof;
use types::name::Slug;

use crate::backend::Visitor;
use crate::compose::App;
use crate::http::{Query, Result};

/// Which workspace, and which entries.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Stretch {
    w: Slug,
    #[serde(default = "first")]
    from: u64,
    to: Option<u64>,
}

const fn first() -> u64 {
    1
}

/// A page of it.
pub(super) async fn prove_chain(
    State(app): State<App>,
    Extension(visitor): Extension<Arc<Visitor>>,
    Query(Stretch { w, from, to }): Query<Stretch>,
) -> Result<Json<ChainProof>> {
    let ctx = visitor.enter(&w).await?;
    Ok(Json(app.chain.prove(&ctx, from, to).await?))
}
