//! Where one's second factor stands.

use types::mfa::Mfa;

use crate::context::OpContext;
use crate::error::Result;
use crate::identity::Identity;
use crate::policy::guard::authorize;
use crate::port::Account;

impl Identity {
    /// Where one's second factor stands.
    pub async fn find_mfa(&self, ctx: &OpContext) -> Result<Mfa> {
        authorize(ctx, "me.read_mfa")?;
        let (account, session) = self.own_session(ctx).await?;
        let factor = self.ports.second_factors.find_second_factor(account.user.id).await?;
        let factor = factor.as_ref();
        let active = factor.and_then(|factor| factor.active.as_ref());
        Ok(Mfa {
            enabled: active.is_some(),
            enabled_at: active.map(|(_, since)| *since),
            pending: factor.is_some_and(|factor| factor.pending.is_some()),
            recovery_codes_left: factor.map_or(0, |factor| u32::try_from(factor.recovery.len()).unwrap_or(u32::MAX)),
            enforced: is_enforced(&account),
            session: session.mfa,
        })
    }
}

/// Whether a workspace of the person asks for a second factor, now or from a day on.
pub(super) fn is_enforced(account: &Account) -> bool {
    account.workspaces.iter().any(|(workspace, _)| workspace.require_mfa_from.is_some())
}
