//! Content that is kept whole.

use std::collections::HashSet;

use async_trait::async_trait;
use kernel::context::Scope;
use kernel::ledger::Place;
use kernel::port::{Artifacts, Expired, ObjectKey, StoreError, StoredArtifact as Found};
use types::artifact::Artifact;
use types::id::{ArtifactId, RunId};

use super::store::{FakeStore, StoredArtifact};

pub(super) fn seen(stored: &StoredArtifact) -> Artifact {
    let StoredArtifact { artifact, created_at, .. } = stored;
    Artifact {
        id: artifact.id,
        run_id: artifact.run_id,
        step_id: artifact.step_id,
        kind: artifact.kind,
        mime: artifact.mime.clone(),
        size: artifact.size,
        sha256: artifact.sha256.hex(),
        created_at: *created_at,
    }
}

fn object(stored: &StoredArtifact) -> Option<&ObjectKey> {
    match &stored.artifact.place {
        Place::Object(key) => Some(key),
        Place::Inline(_) => None,
    }
}

#[async_trait]
impl Artifacts for FakeStore {
    async fn list_artifacts(&self, scope: Scope, run_id: RunId) -> Result<Vec<Artifact>, StoreError> {
        let rows = self.rows();
        let of_run = rows.artifacts.values().filter(|stored| stored.scope == scope);
        Ok(of_run.filter(|stored| stored.artifact.run_id == Some(run_id)).map(seen).collect())
    }

    async fn find_artifact(&self, scope: Scope, id: ArtifactId) -> Result<Option<Found>, StoreError> {
        let rows = self.rows();
        let stored = rows.artifacts.get(&id).filter(|stored| stored.scope == scope);
        Ok(stored.map(|stored| Found { artifact: seen(stored), place: stored.artifact.place.clone() }))
    }

    async fn named_objects(&self, keys: &[ObjectKey]) -> Result<HashSet<ObjectKey>, StoreError> {
        let rows = self.rows();
        Ok(rows.artifacts.values().filter_map(object).filter(|key| keys.contains(key)).cloned().collect())
    }

    async fn expired_artifacts(&self, limit: u32) -> Result<Vec<Expired>, StoreError> {
        let rows = self.rows();
        let now = rows.now();
        let is_over = |stored: &&StoredArtifact| stored.artifact.expires_at.is_some_and(|at| at <= now);
        let (over, stays): (Vec<_>, Vec<_>) = rows.artifacts.values().partition(is_over);
        let named: HashSet<&ObjectKey> = stays.into_iter().filter_map(object).collect();
        let expired = over.into_iter().take(limit as usize).map(|stored| Expired {
            id: stored.artifact.id,
            object: object(stored).filter(|key| !named.contains(key)).cloned(),
        });
        Ok(expired.collect())
    }

    async fn delete_expired(&self, ids: &[ArtifactId]) -> Result<(), StoreError> {
        let mut rows = self.rows();
        let now = rows.now();
        rows.artifacts.retain(|id, stored| !ids.contains(id) || stored.artifact.expires_at.is_none_or(|at| at > now));
        Ok(())
    }
}
