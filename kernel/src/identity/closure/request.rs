//! Asking for one's account to be closed, and taking that back.

use std::sync::Arc;

use serde_json::json;
use types::account::DeletionRequest;
use types::identity::UserStatus;
use types::problem::Code;

use crate::context::{OpContext, Scope};
use crate::error::{Error, Result};
use crate::identity::commit::raise_epochs;
use crate::identity::{Identity, delta};
use crate::ledger::{Audit, Batch, Durability, LedgerError, Op, Refusal};
use crate::policy::guard::authorize;
use crate::record::{Row, User};

/// How often it is decided anew while others move places.
const ATTEMPTS: usize = 5;

impl Identity {
    /// When one's account is closed, if that was asked for.
    pub async fn find_deletion_request(&self, ctx: &OpContext) -> Result<DeletionRequest> {
        authorize(ctx, "me.read_deletion_request")?;
        let (account, _) = self.own_session(ctx).await?;
        Ok(DeletionRequest { closes_at: account.user.closes_at })
    }

    /// Has one's account closed after the days of grace. Asked for again, the day stays.
    pub async fn request_deletion(&self, ctx: &OpContext) -> Result<DeletionRequest> {
        let closing = |user: &User, ctx: &OpContext| {
            let closes_at = Some(ctx.now + delta(self.settings.closure_grace));
            (user.status == UserStatus::Active).then(|| User { status: UserStatus::Closing, closes_at, ..user.clone() })
        };
        self.change_closure(ctx, "me.request_deletion", "user.closure_requested", closing).await
    }

    /// Takes it back. Where it was not asked for, nothing changes.
    pub async fn withdraw_deletion(&self, ctx: &OpContext) -> Result<DeletionRequest> {
        let staying = |user: &User, _: &OpContext| {
            (user.status == UserStatus::Closing).then(|| User {
                status: UserStatus::Active,
                closes_at: None,
                ..user.clone()
            })
        };
        self.change_closure(ctx, "me.withdraw_deletion", "user.closure_withdrawn", staying).await
    }

    /// Writes what `change` makes of oneself, if anything. Two owners who want to go at the same moment move the same epoch: one
    /// of them decides again, and stays.
    async fn change_closure(
        &self,
        ctx: &OpContext,
        action: &'static str,
        event: &'static str,
        change: impl Fn(&User, &OpContext) -> Option<User> + Send + Sync,
    ) -> Result<DeletionRequest> {
        let mut ctx = ctx.clone();
        for _ in 0..ATTEMPTS {
            authorize(&ctx, action)?;
            let (account, _) = self.own_session(&ctx).await?;
            let Some(user) = change(&account.user, &ctx) else {
                return Ok(DeletionRequest { closes_at: account.user.closes_at });
            };
            if user.status == UserStatus::Closing {
                self.check_others_own(&account).await?;
            }
            let user = User { version: account.user.version + 1, ..user };
            let closes_at = user.closes_at;
            let audit = Audit::done(&ctx, &*self.ports.ids, event, action, ("user", user.id))
                .with_payload(json!({ "closes_at": closes_at }));
            let mut batch = Batch::opening(ctx.scope, Durability::Power)
                .with([Op::RowPut(Arc::new(Row::User(user))), audit.into()])
                .with(raise_epochs(&account));
            if ctx.scope != Scope::INSTANCE {
                batch = batch.under_epoch(ctx.auth_epoch);
            }
            match self.ports.ledger.commit(batch).await {
                Ok(_) => {
                    self.cache.forget_person(account.user.id);
                    return Ok(DeletionRequest { closes_at });
                }
                Err(LedgerError::Refused(Refusal::AuthEpoch { .. } | Refusal::Version { .. })) => {}
                Err(error) => return Err(error.into()),
            }
            ctx = self.reauthenticate(&ctx).await?;
        }
        Err(Error::new(Code::Busy, "access rules change at the same time, try again").with_retry_after(1))
    }
}
