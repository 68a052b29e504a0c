//! Disabling an account, and letting it act again.

use std::sync::Arc;

use serde_json::json;
use types::id::UserId;
use types::identity::UserStatus;
use types::problem::Code;
use types::tenant::AccountView;

use super::authorize_one;
use super::read::view;
use crate::context::OpContext;
use crate::error::{Error, Result};
use crate::identity::Identity;
use crate::identity::commit::raise_epochs;
use crate::identity::login::home;
use crate::ledger::{Audit, Batch, Durability, LedgerError, Op, Refusal};
use crate::port::Account;
use crate::record::{ApiKey, Row, Session, User};

/// How often it is decided anew while access rules move.
const ATTEMPTS: usize = 5;
/// Keys and sessions ended in one batch at most. What is beyond them ends right after; of who is disabled it is dead already.
const ENDED_AT_ONCE: usize = 400;

impl Identity {
    /// Disables an account: once this is answered nothing starts with it on any process. Its sessions end and its keys are
    /// revoked, for good; service principals it answers for wait until it may act again.
    pub async fn disable_user(&self, ctx: &OpContext, id: UserId) -> Result<AccountView> {
        if ctx.user_id == Some(id) {
            authorize_one(ctx, "user.disable")?;
            return Err(Error::invalid("id", "is your own account, another operator may disable it"));
        }
        self.set_status(ctx, id, "user.disable", "user.disabled").await
    }

    /// Lets a disabled account act again. What ended with it stays ended.
    pub async fn enable_user(&self, ctx: &OpContext, id: UserId) -> Result<AccountView> {
        self.set_status(ctx, id, "user.enable", "user.enabled").await
    }

    async fn set_status(
        &self,
        ctx: &OpContext,
        id: UserId,
        action: &'static str,
        event: &'static str,
    ) -> Result<AccountView> {
        let disables = action == "user.disable";
        let mut ctx = ctx.clone();
        for _ in 0..ATTEMPTS {
            authorize_one(&ctx, action)?;
            let account = self.ports.directory.find_account(id).await?.ok_or_else(Error::not_found)?;
            let present = account.user.status;
            if present == UserStatus::Closed {
                return Err(Refusal::State { what: "account", present: present.to_string() }.into());
            }
            if disables == (present == UserStatus::Disabled) {
                self.end_all(&ctx, &account, action).await?;
                return Ok(view(&account.user));
            }
            if disables {
                self.check_others_own(&account).await?;
            } else {
                // Before it may act again, everything is ended that a process left when it died.
                self.end_all(&ctx, &account, action).await?;
            }
            let ended = self.ending(&ctx, &account).await?;
            // Who asked to have it closed still does.
            let open = if account.user.closes_at.is_some() { UserStatus::Closing } else { UserStatus::Active };
            let status = if disables { UserStatus::Disabled } else { open };
            let user = User { status, version: account.user.version + 1, ..account.user.clone() };
            let answer = view(&user);
            let keys: Vec<_> = ended.1.iter().map(|key| key.id).collect();
            let audit = Audit::done(&ctx, &*self.ports.ids, event, action, ("user", id)).with_payload(json!({
                "before": { "status": present }, "after": { "status": status },
                "sessions_ended": ended.0.len(), "keys_revoked": keys,
            }));
            // Whose owner somebody is was read under these epochs.
            let held =
                account.tenants.iter().map(|(tenant, _, epoch)| Op::EpochHold { tenant_id: tenant.id, epoch: *epoch });
            let batch = Batch::opening(home(&account), Durability::Power)
                .with(held)
                .with([Op::RowPut(Arc::new(Row::User(user))), audit.into()])
                .with(puts(ended))
                .with(raise_epochs(&account));
            match self.ports.ledger.commit(batch).await {
                Ok(_) => {
                    self.cache.forget_person(id);
                    self.end_all(&ctx, &account, action).await?;
                    return Ok(answer);
                }
                Err(LedgerError::Refused(Refusal::AuthEpoch { .. } | Refusal::Version { .. })) => {}
                Err(error) => return Err(error.into()),
            }
            ctx = self.reauthenticate(&ctx).await?;
        }
        Err(Error::new(Code::Busy, "access rules change at the same time, try again").with_retry_after(1))
    }

    /// Ends what is left of an account that may not act. Of one that may, nothing: it is new.
    async fn end_all(&self, ctx: &OpContext, account: &Account, action: &'static str) -> Result<()> {
        loop {
            let present = self.ports.directory.find_account(account.user.id).await?.ok_or_else(Error::not_found)?;
            if present.user.status != UserStatus::Disabled {
                return Ok(());
            }
            let ended = self.ending(ctx, &present).await?;
            if ended.0.is_empty() && ended.1.is_empty() {
                return Ok(());
            }
            let keys: Vec<_> = ended.1.iter().map(|key| key.id).collect();
            let audit = Audit::done(ctx, &*self.ports.ids, "user.access_ended", action, ("user", account.user.id))
                .with_payload(json!({ "sessions_ended": ended.0.len(), "keys_revoked": keys }));
            let batch = Batch::opening(home(&present), Durability::Power)
                .with(puts(ended))
                .with([audit.into()])
                .with(raise_epochs(&present));
            match self.ports.ledger.commit(batch).await {
                Ok(_) | Err(LedgerError::Refused(Refusal::Version { .. })) => {}
                Err(error) => return Err(error.into()),
            }
        }
    }

    /// Live sessions and keys of a person in all their workspaces, as they are once ended; at most a batch of them.
    async fn ending(&self, ctx: &OpContext, account: &Account) -> Result<(Vec<Session>, Vec<ApiKey>)> {
        let id = account.user.id;
        let sessions = self.ports.directory.list_sessions(id).await?.into_iter().take(ENDED_AT_ONCE);
        let sessions =
            sessions.map(|session| Session { ended_at: Some(ctx.now), version: session.version + 1, ..session });
        let mut keys = Vec::new();
        for (_, place) in &account.workspaces {
            let listed = self.ports.directory.list_keys(place.scope).await?;
            // A principal's key is not its issuer's.
            let own = listed
                .into_iter()
                .filter(|key| key.created_by == id && key.principal_id.is_none() && key.revoked_at.is_none());
            keys.extend(own.map(|key| ApiKey { revoked_at: Some(ctx.now), version: key.version + 1, ..key }));
        }
        keys.truncate(ENDED_AT_ONCE);
        Ok((sessions.collect(), keys))
    }
}

fn puts((sessions, keys): (Vec<Session>, Vec<ApiKey>)) -> impl Iterator<Item = Op> {
    let rows = sessions.into_iter().map(Row::Session).chain(keys.into_iter().map(Row::ApiKey));
    rows.map(|row| Op::RowPut(Arc::new(row)))
}
