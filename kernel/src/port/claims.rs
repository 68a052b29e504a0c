//! What was done under callers' keys. Claims are made and ended by batches; here they are read.

use async_trait::async_trait;
use types::id::Uuid;

use super::StoreError;
use crate::context::Scope;
use crate::ledger::{Claim, ClaimKey};

/// A claim whose process is dead.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeadClaim {
    /// Where.
    pub scope: Scope,
    /// Which key.
    pub key: ClaimKey,
    /// Who held it.
    pub holder: Uuid,
}

/// Reads claims.
#[async_trait]
pub trait Claims: Send + Sync {
    /// What is known of a key, with the answer it came to. What is remembered no longer may still be there.
    async fn find_claim(&self, scope: Scope, key: &ClaimKey) -> Result<Option<Claim>, StoreError>;
    /// Claims in progress whose process is dead, at most `limit`.
    async fn dead_claims(&self, limit: u32) -> Result<Vec<DeadClaim>, StoreError>;
    /// Forgets claims that are over by the database's clock, at most `limit`; returns how many.
    async fn prune_claims(&self, limit: u32) -> Result<u64, StoreError>;
}
