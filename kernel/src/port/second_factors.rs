//! Reading second factors, and the questions for them.

use async_trait::async_trait;
use types::id::UserId;

use super::StoreError;
use crate::record::{Digest, MfaChallenge, SecondFactor};

/// Reads second factors. Writing goes through the ledger.
#[async_trait]
pub trait SecondFactors: Send + Sync {
    /// A person's second factor, one that is set up and not confirmed included.
    async fn find_second_factor(&self, user_id: UserId) -> Result<Option<SecondFactor>, StoreError>;
    /// The challenge whose token has this digest, spent and old ones included.
    async fn find_challenge(&self, digest: Digest) -> Result<Option<MfaChallenge>, StoreError>;
    /// Forgets challenges whose time is over by the database's clock, at most `limit`; returns how many.
    async fn prune_challenges(&self, limit: u32) -> Result<u64, StoreError>;
}
