//! Reading artifacts. They are made by batches; what is kept for a while goes here.

use std::collections::HashSet;

use async_trait::async_trait;
use types::artifact::Artifact;
use types::id::{ArtifactId, RunId};

use super::{ObjectKey, StoreError};
use crate::context::Scope;
use crate::ledger::Place;

/// An artifact with the place of its bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredArtifact {
    /// What readers see of it.
    pub artifact: Artifact,
    /// Where its bytes are.
    pub place: Place,
}

/// An artifact whose time is over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expired {
    /// Which one.
    pub id: ArtifactId,
    /// The object to delete before its row: none where the bytes lie in the row, or where another row names the object too.
    pub object: Option<ObjectKey>,
}

/// Reads artifacts.
#[async_trait]
pub trait Artifacts: Send + Sync {
    /// Artifacts of a run, oldest first.
    async fn list_artifacts(&self, scope: Scope, run_id: RunId) -> Result<Vec<Artifact>, StoreError>;
    /// One artifact.
    async fn find_artifact(&self, scope: Scope, id: ArtifactId) -> Result<Option<StoredArtifact>, StoreError>;
    /// Which of these objects a row names, whoever it belongs to.
    async fn named_objects(&self, keys: &[ObjectKey]) -> Result<HashSet<ObjectKey>, StoreError>;
    /// Artifacts whose time is over by the database's clock, at most `limit`.
    async fn expired_artifacts(&self, limit: u32) -> Result<Vec<Expired>, StoreError>;
    /// Deletes the rows of artifacts whose time is over.
    async fn delete_expired(&self, ids: &[ArtifactId]) -> Result<(), StoreError>;
}
