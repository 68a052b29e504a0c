//! Reading hash chains, and keeping checkpoints. Entries themselves are written by the ledger, with what they are of.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use types::audit::AuditEntry;
use types::id::RunId;

use super::StoreError;
use crate::chain::{Checkpoint, Entry, Hash, Records};
use crate::context::Scope;

/// Where a chain ends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ChainHead {
    /// Number of the last entry; 0 in an empty chain.
    pub seq: u64,
    /// Its hash.
    pub hash: Hash,
    /// The last entry under a checkpoint.
    pub sealed: u64,
}

/// A chain with entries that no checkpoint covers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unsealed {
    /// Whose chain.
    pub scope: Scope,
    /// How many entries.
    pub entries: u64,
    /// When the oldest of them was written, by the database's clock.
    pub since: DateTime<Utc>,
}

/// Reads chains. What lies outside the scope is not there.
#[async_trait]
pub trait Chains: Send + Sync {
    /// Where the chain ends.
    async fn head(&self, scope: Scope) -> Result<ChainHead, StoreError>;
    /// Entries from a number on, in order, at most `limit`.
    async fn list_entries(&self, scope: Scope, from: u64, limit: u32) -> Result<Vec<Entry>, StoreError>;
    /// The last entry of each of these subjects, in order; those without one are left out.
    async fn find_entries(&self, scope: Scope, subject_ids: &[String]) -> Result<Vec<Entry>, StoreError>;
    /// What these entries are of, as it is kept now.
    async fn records(&self, scope: Scope, entries: &[Entry]) -> Result<Records, StoreError>;
    /// A run's audit rows, oldest first.
    async fn list_audit_of(&self, scope: Scope, run_id: RunId) -> Result<Vec<AuditEntry>, StoreError>;
    /// Checkpoints that end at an entry or behind it, in order, at most `limit`.
    async fn list_checkpoints(&self, scope: Scope, ending_from: u64, limit: u32)
    -> Result<Vec<Checkpoint>, StoreError>;
    /// The last checkpoint.
    async fn last_checkpoint(&self, scope: Scope) -> Result<Option<Checkpoint>, StoreError>;
    /// Keeps a checkpoint; false where somebody else's of that number is kept already.
    async fn put_checkpoint(&self, scope: Scope, checkpoint: &Checkpoint) -> Result<bool, StoreError>;
    /// Chains behind one of them, in an order that stays, at most `limit`.
    async fn list_chains(&self, after: Option<Scope>, limit: u32) -> Result<Vec<Scope>, StoreError>;
    /// Chains with entries that no checkpoint covers, the longest waiting first, at most `limit`.
    async fn list_unsealed(&self, limit: u32) -> Result<Vec<Unsealed>, StoreError>;
}
