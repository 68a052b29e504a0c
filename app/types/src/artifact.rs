//! Artifacts: content of a run that is longer than its preview, kept whole.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use crate::id::{ArtifactId, RunId, StepId};
use crate::word::words;

words! {
    /// What an artifact holds.
    pub enum ArtifactKind {
        /// Text.
        File = "file",
        /// Lines of a log.
        Log = "log",
        /// Bytes of no known kind.
        Blob = "blob",
        /// A JSON document.
        Json = "json",
        /// The messages of a conversation.
        Messages = "messages",
        /// An image.
        Image = "image",
    }
}

/// An artifact. Its bytes are at `/runs/{run}/artifacts/{artifact}/content`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Artifact {
    /// The artifact's id.
    pub id: ArtifactId,
    /// The run it belongs to.
    pub run_id: Option<RunId>,
    /// The step it came out of; null for what went into the run.
    pub step_id: Option<StepId>,
    /// What it holds.
    pub kind: ArtifactKind,
    /// The media type, told from the bytes.
    pub mime: String,
    /// Bytes.
    pub size: u64,
    /// SHA-256 of the bytes, hex.
    pub sha256: String,
    /// When it was kept.
    pub created_at: DateTime<Utc>,
}
