//! `artifacts`

use entity::artifact::{ActiveModel, Column, Model};
use kernel::context::Scope;
use kernel::ledger::{NewArtifact, Place};
use kernel::port::{ObjectKey, StoredArtifact};
use sea_orm::ActiveValue::{NotSet, Set};
use sea_orm::prelude::DateTimeUtc;
use types::artifact::Artifact;
use types::id::{ArtifactId, RunId, StepId, Uuid};

use super::{Corrupt, count, digest, number, word};

pub(crate) fn active(scope: Scope, artifact: NewArtifact) -> ActiveModel {
    let (content, key) = match artifact.place {
        Place::Inline(bytes) => (Some(bytes), None),
        Place::Object(key) => (None, Some(key.to_string())),
    };
    ActiveModel {
        id: Set(artifact.id.as_uuid()),
        tenant_id: Set(scope.tenant_id.as_uuid()),
        workspace_id: Set(scope.workspace_id.as_uuid()),
        run_id: Set(artifact.run_id.map(RunId::as_uuid)),
        step_id: Set(artifact.step_id.map(StepId::as_uuid)),
        kind: Set(artifact.kind.to_string()),
        mime: Set(artifact.mime),
        size: Set(number(artifact.size)),
        sha256: Set(artifact.sha256.0.to_vec()),
        content: Set(content),
        storage_key: Set(key),
        expires_at: Set(artifact.expires_at),
        created_at: NotSet,
    }
}

/// A row without its content, as [`COLUMNS`] lists it.
pub(crate) type Facts = (Uuid, Option<Uuid>, Option<Uuid>, String, String, i64, Vec<u8>, DateTimeUtc);

/// What readers see of a row: content lies in many of them, and a list needs none of it.
pub(crate) const COLUMNS: [Column; 8] = [
    Column::Id,
    Column::RunId,
    Column::StepId,
    Column::Kind,
    Column::Mime,
    Column::Size,
    Column::Sha256,
    Column::CreatedAt,
];

pub(crate) fn record((id, run_id, step_id, kind, mime, size, sha256, created_at): Facts) -> Result<Artifact, Corrupt> {
    Ok(Artifact {
        id: ArtifactId::from_uuid(id),
        run_id: run_id.map(RunId::from_uuid),
        step_id: step_id.map(StepId::from_uuid),
        kind: word(&kind, "artifacts.kind")?,
        mime,
        size: count(size),
        sha256: digest(&sha256, "artifacts.sha256")?.hex(),
        created_at,
    })
}

pub(crate) fn stored(row: Model) -> Result<StoredArtifact, Corrupt> {
    let Model { id, run_id, step_id, kind, mime, size, sha256, created_at, .. } = row;
    let artifact = record((id, run_id, step_id, kind, mime, size, sha256, created_at))?;
    let place = match (row.content, row.storage_key) {
        (Some(bytes), _) => Place::Inline(bytes),
        (None, Some(key)) => Place::Object(object(&key)?),
        (None, None) => return Err(Corrupt::new("artifacts.content", "neither bytes nor a key")),
    };
    Ok(StoredArtifact { artifact, place })
}

pub(crate) fn object(key: &str) -> Result<ObjectKey, Corrupt> {
    ObjectKey::from_text(key).ok_or_else(|| Corrupt::new("artifacts.storage_key", format!("`{key}` is no key")))
}
