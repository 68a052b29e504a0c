//! Deciding on a whole tenant: read it at one moment, decide, commit under the epoch of that moment.
//!
//! Each such change raises the epoch. So of two that were decided on the same state one is written; the other reads again and
//! decides again, with the rights the caller has by then.

use types::id::TenantId;
use types::problem::Code;

use crate::context::{OpContext, Scope};
use crate::error::{Error, Result};
use crate::identity::Identity;
use crate::identity::member::Change;
use crate::identity::operator::authorize_one;
use crate::ledger::{Batch, Durability, LedgerError, Op, Refusal};
use crate::policy::guard::authorize;
use crate::port::TenantRoster;

/// How often a change is decided before the caller is asked to come again.
const ATTEMPTS: usize = 5;

impl Identity {
    /// Commits what `decide` makes of the tenant of the context, if the caller may do `action`.
    pub(in crate::identity) async fn change_tenant<T>(
        &self,
        ctx: &OpContext,
        action: &'static str,
        decide: impl Fn(&OpContext, &TenantRoster) -> Result<Change<T>> + Send + Sync,
    ) -> Result<T> {
        let mut ctx = ctx.clone();
        for _ in 0..ATTEMPTS {
            authorize(&ctx, action)?;
            let seen = self.whole_tenant(ctx.scope.tenant_id).await?;
            // The caller's rights are of the same moment.
            if ctx.auth_epoch == seen.auth_epoch
                && let Some(answer) = self.try_change(&seen, decide(&ctx, &seen)?).await?
            {
                return Ok(answer);
            }
            ctx = self.reauthenticate(&ctx).await?;
        }
        Err(busy())
    }

    /// The same on any tenant, for who runs the instance: no place in it is needed, and none is had.
    pub(super) async fn operate_tenant<T>(
        &self,
        ctx: &OpContext,
        action: &'static str,
        id: TenantId,
        decide: impl Fn(&OpContext, &TenantRoster) -> Result<Change<T>> + Send + Sync,
    ) -> Result<T> {
        let mut ctx = ctx.clone();
        for _ in 0..ATTEMPTS {
            authorize_one(&ctx, action)?;
            let seen = self.whole_tenant(id).await?;
            if let Some(answer) = self.try_change(&seen, decide(&ctx, &seen)?).await? {
                return Ok(answer);
            }
            ctx = self.reauthenticate(&ctx).await?;
        }
        Err(busy())
    }

    pub(super) async fn whole_tenant(&self, id: TenantId) -> Result<TenantRoster> {
        self.ports.tenants.tenant_roster(id).await?.ok_or_else(Error::not_found)
    }

    /// Writes a change, if nothing has moved since it was decided.
    async fn try_change<T>(&self, seen: &TenantRoster, change: Change<T>) -> Result<Option<T>> {
        let (ops, answer) = change.parts();
        if ops.is_empty() {
            return Ok(Some(answer));
        }
        let id = seen.tenant.id;
        let batch = Batch::opening(Scope::of_tenant(id), Durability::Power)
            .under_epoch(seen.auth_epoch)
            .with(ops)
            .with([Op::EpochRaise(id)]);
        match self.ports.ledger.commit(batch).await {
            Ok(_) => Ok(Some(answer)),
            Err(LedgerError::Refused(Refusal::AuthEpoch { .. } | Refusal::Version { .. })) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }
}

fn busy() -> Error {
    Error::new(Code::Busy, "others change the tenant at the same time, try again").with_retry_after(1)
}
