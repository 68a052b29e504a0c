//! Writing what was decided, under the epoch it was decided in.

use crate::context::OpContext;
use crate::error::Result;
use crate::ledger::{Batch, LedgerError, Op, Refusal};
use crate::port::{Account, Committed};

use super::Identity;

/// How often a decision is made anew while access rules keep moving.
const RETRIES: usize = 3;

impl Identity {
    /// Commits what `ctx` was allowed to do. Where access rules moved since, the caller is looked up and `decide` asked again.
    pub async fn commit(
        &self,
        ctx: &OpContext,
        batch: Batch,
        decide: impl Fn(&OpContext) -> Result<()> + Send + Sync,
    ) -> Result<Committed> {
        let mut epoch = ctx.auth_epoch;
        for _ in 0..RETRIES {
            let attempt = match ctx.token {
                Some(_) => batch.clone().under_epoch(epoch),
                None => batch.clone(),
            };
            match self.ports.ledger.commit(attempt).await {
                Err(LedgerError::Refused(Refusal::AuthEpoch { .. })) => {
                    let fresh = self.reauthenticate(ctx).await?;
                    decide(&fresh)?;
                    epoch = fresh.auth_epoch;
                }
                outcome => return Ok(outcome?),
            }
        }
        Ok(self.ports.ledger.commit(batch.under_epoch(epoch)).await?)
    }
}

/// Makes every decision about a person stale, in all their tenants.
pub(super) fn raise_epochs(account: &Account) -> impl Iterator<Item = Op> {
    account.tenants.iter().map(|(tenant, ..)| Op::EpochRaise(tenant.id))
}
