//! Reading: no byte is answered that is not part of what was kept.

use std::sync::Arc;

use futures::stream::{StreamExt, once, try_unfold};
use sha2::{Digest as _, Sha256};
use types::artifact::Artifact;
use types::id::{ArtifactId, RunId};
use types::problem::Code;

use crate::context::Scope;
use crate::error::{Error, Result};
use crate::ledger::Place;
use crate::port::{Artifacts, ObjectBody, ObjectError, ObjectKey, Objects, StoredArtifact};

/// Up to so many bytes are held in memory while they are checked; more are read twice.
const AT_ONCE: u64 = 1024 * 1024;

/// Reads artifacts and their bytes.
#[derive(Clone)]
pub struct Library {
    artifacts: Arc<dyn Artifacts>,
    objects: Arc<dyn Objects>,
}

/// An artifact about to be read.
pub struct Opened {
    /// What it is.
    pub artifact: Artifact,
    /// Its bytes. What changes while it is read ends in an error before its last piece.
    pub body: ObjectBody,
}

impl Library {
    /// A library over these ports.
    pub fn new(artifacts: Arc<dyn Artifacts>, objects: Arc<dyn Objects>) -> Self {
        Self { artifacts, objects }
    }

    /// Artifacts of a run, oldest first.
    pub(crate) async fn list(&self, scope: Scope, run_id: RunId) -> Result<Vec<Artifact>> {
        Ok(self.artifacts.list_artifacts(scope, run_id).await?)
    }

    /// Opens an artifact of a run, or one that belongs to none; its bytes are checked against its digest. None where there is no
    /// such artifact.
    pub(crate) async fn open(&self, scope: Scope, run_id: Option<RunId>, id: ArtifactId) -> Result<Option<Opened>> {
        let found = self.artifacts.find_artifact(scope, id).await?;
        let Some(StoredArtifact { artifact, place }) = found.filter(|found| found.artifact.run_id == run_id) else {
            return Ok(None);
        };
        let body = match place {
            Place::Inline(bytes) => once(async { Ok(bytes) }).boxed(),
            Place::Object(key) => self.body(&artifact, &key).await.map_err(|error| told(&artifact, &key, error))?,
        };
        Ok(Some(Opened { artifact, body }))
    }

    /// The bytes of an artifact that belongs to no run, at once; none where there is no such artifact.
    pub(crate) async fn read(&self, scope: Scope, id: ArtifactId) -> Result<Option<Vec<u8>>> {
        let Some(Opened { mut body, .. }) = self.open(scope, None, id).await? else { return Ok(None) };
        let mut bytes = Vec::new();
        while let Some(piece) = body.next().await {
            bytes.extend(piece?);
        }
        Ok(Some(bytes))
    }

    /// The bytes of an object: checked as a whole before the first of them is given out.
    async fn body(&self, artifact: &Artifact, key: &ObjectKey) -> std::result::Result<ObjectBody, ObjectError> {
        let mut pieces = self.objects.get(key).await?;
        let mut check = Check::of(artifact);
        let mut held = Vec::new();
        while let Some(piece) = pieces.next().await {
            let piece = piece?;
            check.note(&piece)?;
            if artifact.size <= AT_ONCE {
                held.extend(piece);
            }
        }
        check.done()?;
        if artifact.size <= AT_ONCE {
            return Ok(once(async { Ok(held) }).boxed());
        }
        Ok(checked(self.objects.get(key).await?, Check::of(artifact)))
    }
}

impl std::fmt::Debug for Library {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Library").finish_non_exhaustive()
    }
}

/// What the reader is told; the cause, which names the object, is for the log.
fn told(artifact: &Artifact, key: &ObjectKey, error: ObjectError) -> Error {
    match error {
        ObjectError::Missing => {
            let detail = format!("the bytes of `{}` are not those that were kept, none is given out", artifact.id);
            let cause = ObjectError::Internal(format!("`{key}` is gone or altered"));
            Error::new(Code::ArtifactCorrupt, detail).with_source(cause)
        }
        error => error.into(),
    }
}

/// What was read so far of bytes whose size and digest are known.
struct Check {
    hash: Sha256,
    left: u64,
    sha256: String,
}

impl Check {
    fn of(artifact: &Artifact) -> Self {
        Self { hash: Sha256::new(), left: artifact.size, sha256: artifact.sha256.clone() }
    }

    /// Bytes that are not those of the artifact are as good as none.
    fn note(&mut self, piece: &[u8]) -> std::result::Result<(), ObjectError> {
        self.hash.update(piece);
        let length = u64::try_from(piece.len()).unwrap_or(u64::MAX);
        self.left = self.left.checked_sub(length).ok_or(ObjectError::Missing)?;
        Ok(())
    }

    fn done(self) -> std::result::Result<(), ObjectError> {
        let sha256 = crate::record::Digest(self.hash.finalize().into()).hex();
        if self.left == 0 && sha256 == self.sha256 { Ok(()) } else { Err(ObjectError::Missing) }
    }
}

/// The pieces, the last one only once all of them are known to be right.
fn checked(pieces: ObjectBody, check: Check) -> ObjectBody {
    try_unfold(Some((pieces, check, None::<Vec<u8>>)), |state| async move {
        let Some((mut pieces, mut check, mut held)) = state else { return Ok(None) };
        loop {
            let Some(piece) = pieces.next().await.transpose()? else {
                check.done()?;
                return Ok(held.map(|last| (last, None)));
            };
            check.note(&piece)?;
            if let Some(earlier) = held.replace(piece) {
                return Ok(Some((earlier, Some((pieces, check, held)))));
            }
        }
    })
    .boxed()
}
