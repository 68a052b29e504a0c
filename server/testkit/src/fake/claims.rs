//! What was done under callers' keys.

use async_trait::async_trait;
use kernel::context::Scope;
use kernel::ledger::{Claim, ClaimKey, ClaimStatus, Fence};
use kernel::port::{Claims, DeadClaim, StoreError};

use super::store::FakeStore;

#[async_trait]
impl Claims for FakeStore {
    async fn find_claim(&self, scope: Scope, key: &ClaimKey) -> Result<Option<Claim>, StoreError> {
        let found = self.rows().state.claims.get(&(scope.tenant_id, key.clone())).cloned();
        Ok(found.filter(|claim| claim.scope == scope))
    }

    async fn dead_claims(&self, limit: u32) -> Result<Vec<DeadClaim>, StoreError> {
        let rows = self.rows();
        let is_alive = |owner: Fence| rows.state.processes.get(&owner.process_id) == Some(&owner.epoch);
        let mut dead: Vec<DeadClaim> = Vec::new();
        for ((_, key), claim) in &rows.state.claims {
            if claim.status == ClaimStatus::InProgress && !is_alive(claim.owner) {
                dead.push(DeadClaim { scope: claim.scope, key: key.clone(), holder: claim.holder });
            }
        }
        dead.truncate(limit as usize);
        Ok(dead)
    }

    async fn prune_claims(&self, limit: u32) -> Result<u64, StoreError> {
        let mut rows = self.rows();
        let now = rows.now();
        let over: Vec<_> = rows.state.claims.iter().filter(|(_, claim)| claim.is_over(now)).collect();
        let over: Vec<_> = over.into_iter().map(|(full, _)| full.clone()).take(limit as usize).collect();
        over.iter().for_each(|full| drop(rows.state.claims.remove(full)));
        Ok(over.len() as u64)
    }
}
