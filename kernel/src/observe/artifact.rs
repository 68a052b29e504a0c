//! What runs keep whole, by the rights of the run itself.

use types::artifact::Artifact;
use types::id::{ArtifactId, RunId};

use super::Observe;
use crate::artifact::Opened;
use crate::context::OpContext;
use crate::error::{Error, Result};

impl Observe {
    /// A run's artifacts, oldest first.
    pub async fn list_artifacts(&self, ctx: &OpContext, id: RunId) -> Result<Vec<Artifact>> {
        self.find_run(ctx, id).await?;
        self.ports.library.list(ctx.scope, id).await
    }

    /// An artifact of a run with its bytes, which are those that were kept.
    pub async fn open_artifact(&self, ctx: &OpContext, run_id: RunId, id: ArtifactId) -> Result<Opened> {
        self.find_run(ctx, run_id).await?;
        self.ports.library.open(ctx.scope, Some(run_id), id).await?.ok_or_else(Error::not_found)
    }
}
