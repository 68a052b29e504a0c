//! Closing accounts whose day has come. Each part is written as it is done, so a process that dies goes on where it was.

use std::sync::Arc;

use chrono::{DateTime, Utc};
use types::id::UserId;
use types::identity::UserStatus;
use types::name::InvalidName;
use types::problem::Code;

use crate::context::{OpContext, Scope};
use crate::error::{Error, Result};
use crate::identity::Identity;
use crate::identity::commit::raise_epochs;
use crate::identity::login::home;
use crate::ledger::{Audit, Batch, Durability, LedgerError, Op, Outcome, Refusal};
use crate::port::Account;
use crate::record::{ApiKey, Row, Session, TenantMember, User, WorkspaceMember};

/// Accounts closed in one go.
const AT_ONCE: u32 = 100;
/// Rows ended in one batch at most.
const ENDED_AT_ONCE: usize = 400;
/// How often a part is decided anew while others move places.
const ATTEMPTS: usize = 5;
/// What a closed account is called.
const NAME: &str = "Closed account";

impl Identity {
    /// Closes the accounts that are due; how many. One that cannot be closed now is tried again at the next go.
    pub async fn close_due_accounts(&self) -> Result<u32> {
        let now = self.ports.clock.now();
        let mut closed = 0;
        for id in self.ports.accounts.list_due_closures(now, AT_ONCE).await? {
            match self.close_account(id, now).await {
                Ok(()) => closed += 1,
                Err(error) => tracing::warn!(user.id = %id, %error, "an account cannot be closed now"),
            }
        }
        Ok(closed)
    }

    async fn close_account(&self, id: UserId, now: DateTime<Utc>) -> Result<()> {
        let Some(account) = self.ports.directory.find_account(id).await? else { return Ok(()) };
        if account.user.status != UserStatus::Closing || account.user.closes_at.is_none_or(|at| now < at) {
            return Ok(());
        }
        match self.check_others_own(&account).await {
            Err(error) if error.code() == Code::LastOwner => return self.keep_open(&account, now).await,
            checked => checked?,
        }
        for (_, member) in &account.workspaces {
            self.leave_workspace(member.scope, id, now).await?;
        }
        self.end_account(&account, now).await
    }

    /// Whoever became the last owner meanwhile stays.
    async fn keep_open(&self, account: &Account, now: DateTime<Utc>) -> Result<()> {
        let ctx = self.closing(home(account), now);
        let version = account.user.version + 1;
        let user = User { status: UserStatus::Active, closes_at: None, version, ..account.user.clone() };
        let audit = Audit::done(&ctx, &*self.ports.ids, "user.closure_refused", "user.close", ("user", user.id))
            .with_outcome(Outcome::Denied);
        let batch = Batch::opening(ctx.scope, Durability::Power)
            .with([Op::RowPut(Arc::new(Row::User(user))), audit.into()])
            .with(raise_epochs(account));
        self.ports.ledger.commit(batch).await?;
        Ok(())
    }

    /// Takes the place in a workspace away, after the keys held there.
    async fn leave_workspace(&self, scope: Scope, id: UserId, now: DateTime<Utc>) -> Result<()> {
        let (ctx, ids) = (self.closing(scope, now), &*self.ports.ids);
        for _ in 0..ATTEMPTS {
            let roster = self.ports.people.roster(scope).await?.ok_or_else(Error::not_found)?;
            let mut keys = self.ports.directory.list_keys(scope).await?;
            keys.retain(|key| key.created_by == id && key.revoked_at.is_none());
            let place = roster.member(id).filter(|_| keys.len() <= ENDED_AT_ONCE);
            let place = place.map(|seat| {
                let version = seat.member.version + 1;
                let gone = WorkspaceMember { removed_at: Some(now), version, ..seat.member.clone() };
                let audit = Audit::done(&ctx, ids, "member.left", "user.close", ("member", id));
                [Op::RowPut(Arc::new(Row::WorkspaceMember(gone))), audit.into()]
            });
            let is_last = keys.len() <= ENDED_AT_ONCE;
            let revoked = keys.into_iter().take(ENDED_AT_ONCE).flat_map(|key| {
                let audit = Audit::done(&ctx, ids, "key.revoked", "user.close", ("api_key", key.id));
                let revoked = ApiKey { revoked_at: Some(now), version: key.version + 1, ..key };
                [Op::RowPut(Arc::new(Row::ApiKey(revoked))), audit.into()]
            });
            let batch = Batch::opening(scope, Durability::Power)
                .under_epoch(roster.auth_epoch)
                .with(revoked)
                .with(place.into_iter().flatten())
                .with([Op::EpochRaise(scope.tenant_id)]);
            match self.ports.ledger.commit(batch).await {
                Ok(_) if is_last => return Ok(()),
                Ok(_) | Err(LedgerError::Refused(Refusal::AuthEpoch { .. } | Refusal::Version { .. })) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Err(Error::new(Code::Busy, "others change the members at the same time"))
    }

    /// Ends the sessions, the places in tenants and everything personal.
    async fn end_account(&self, account: &Account, now: DateTime<Utc>) -> Result<()> {
        let (ctx, id) = (self.closing(home(account), now), account.user.id);
        let sessions = self.ports.directory.list_sessions(id).await?;
        let ended = sessions.into_iter().map(|session| {
            let version = session.version + 1;
            let (client, address) = (String::new(), String::new());
            Op::RowPut(Arc::new(Row::Session(Session { ended_at: Some(now), client, address, version, ..session })))
        });
        let mut ended: Vec<Op> = ended.collect();
        while ended.len() > ENDED_AT_ONCE {
            let some = ended.split_off(ended.len() - ENDED_AT_ONCE);
            self.ports.ledger.commit(Batch::opening(ctx.scope, Durability::Power).with(some)).await?;
        }
        let mut places = Vec::new();
        for (tenant, ..) in &account.tenants {
            let place = self.ports.directory.find_tenant_member(tenant.id, id).await?;
            if let Some(place) = place.filter(|place| place.removed_at.is_none()) {
                let gone = TenantMember { removed_at: Some(now), version: place.version + 1, ..place };
                places.push(Op::RowPut(Arc::new(Row::TenantMember(gone))));
            }
        }
        let user = User {
            // No address anybody could have: it has no `@`.
            email: format!("closed:{id}"),
            email_key: format!("closed:{id}"),
            name: NAME.parse().map_err(|error: InvalidName| Error::internal(error))?,
            status: UserStatus::Closed,
            is_operator: false,
            password_hash: None,
            default_password: false,
            email_verified_at: None,
            closes_at: None,
            version: account.user.version + 1,
            ..account.user.clone()
        };
        let audit = Audit::done(&ctx, &*self.ports.ids, "user.closed", "user.close", ("user", id));
        let batch = Batch::opening(ctx.scope, Durability::Power)
            .with(ended)
            .with(places)
            .with([Op::RowPut(Arc::new(Row::User(user))), audit.into()])
            .with(raise_epochs(account));
        self.ports.ledger.commit(batch).await?;
        self.cache.forget_person(id);
        Ok(())
    }

    fn closing(&self, scope: Scope, now: DateTime<Utc>) -> OpContext {
        OpContext::system("closure", scope, self.ports.ids.request(), now)
    }
}
