//! Reading second factors.

use async_trait::async_trait;
use kernel::port::{SecondFactors, StoreError};
use kernel::record::{Digest, MfaChallenge, Row, SecondFactor};
use types::id::UserId;

use super::store::{FakeStore, rows};

#[async_trait]
impl SecondFactors for FakeStore {
    async fn find_second_factor(&self, user_id: UserId) -> Result<Option<SecondFactor>, StoreError> {
        Ok(rows!(self.rows(), SecondFactor).find(|factor| factor.user_id == user_id).cloned())
    }

    async fn find_challenge(&self, digest: Digest) -> Result<Option<MfaChallenge>, StoreError> {
        Ok(rows!(self.rows(), MfaChallenge).find(|challenge| challenge.digest == digest).cloned())
    }

    async fn prune_challenges(&self, limit: u32) -> Result<u64, StoreError> {
        let mut rows = self.rows();
        let now = rows.now();
        let over = rows.records.iter().filter_map(|(key, row)| match row {
            Row::MfaChallenge(challenge) if challenge.expires_at <= now => Some((challenge.expires_at, key.clone())),
            _ => None,
        });
        let mut over: Vec<_> = over.collect();
        over.sort();
        over.truncate(usize::try_from(limit).unwrap_or(usize::MAX));
        for (_, key) in &over {
            rows.records.remove(key);
            rows.state.rows.remove(key);
        }
        Ok(over.len() as u64)
    }
}
