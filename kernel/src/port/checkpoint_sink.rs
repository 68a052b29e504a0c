//! Copying checkpoints out, to where who runs the database has no say.

use std::time::Duration;

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use types::id::ProcessId;

use super::{ObjectError, StoreError};
use crate::chain::Checkpoint;
use crate::context::Scope;

/// Takes copies of checkpoints.
#[async_trait]
pub trait CheckpointSink: Send + Sync {
    /// Takes a copy under a name, `{tenant}/{workspace}/{number}.json`: an answer of `Ok` means that it is kept. The same copy
    /// may come again after a crash.
    async fn take(&self, name: &str, copy: Vec<u8>) -> Result<(), ObjectError>;
}

/// The first checkpoint of a chain that is not copied out yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Uncopied {
    /// Whose chain.
    pub scope: Scope,
    /// The checkpoint.
    pub checkpoint: Checkpoint,
    /// When it was written, by the database's clock.
    pub since: DateTime<Utc>,
}

/// Remembers what was copied out, by the name of where to.
#[async_trait]
pub trait CheckpointCopies: Send + Sync {
    /// Lets a process copy for a while, and nobody else; whether it may. By the database's clock.
    async fn lease_copies(&self, sink: &str, process_id: ProcessId, time: Duration) -> Result<bool, StoreError>;
    /// Of each chain the first checkpoint that is not copied, the longest waiting first, at most `limit`.
    async fn list_uncopied(&self, sink: &str, limit: u32) -> Result<Vec<Uncopied>, StoreError>;
    /// Notes that every checkpoint of a chain up to a number is copied.
    async fn mark_copied(&self, sink: &str, scope: Scope, number: u64) -> Result<(), StoreError>;
}
