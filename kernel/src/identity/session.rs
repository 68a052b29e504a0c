//! One's own sessions: listed, ended one by one or all but the present one.

use std::sync::Arc;

use types::id::SessionId;
use types::identity;

use super::Identity;
use super::cache::Held;
use super::commit::raise_epochs;
use crate::context::{Credential, OpContext};
use crate::error::{Error, Result};
use crate::ledger::{Audit, Batch, Durability, LedgerError, Op, Refusal};
use crate::policy::guard::authorize;
use crate::port::Account;
use crate::record::{Row, Session};

/// Sessions ended in one batch at most.
const ENDED_AT_ONCE: usize = 400;

impl Identity {
    /// One's live sessions, newest first, the present one marked.
    pub async fn list_sessions(&self, ctx: &OpContext) -> Result<Vec<identity::Session>> {
        authorize(ctx, "me.list_sessions")?;
        let user_id = ctx.user_id.ok_or_else(Error::not_found)?;
        let sessions = self.ports.directory.list_sessions(user_id).await?;
        Ok(sessions.iter().map(|session| view(session, ctx)).collect())
    }

    /// One of one's live sessions.
    pub async fn find_session(&self, ctx: &OpContext, id: SessionId) -> Result<identity::Session> {
        authorize(ctx, "me.list_sessions")?;
        Ok(view(&self.live_session(ctx, id).await?, ctx))
    }

    /// Ends one of one's sessions.
    pub async fn revoke_session(&self, ctx: &OpContext, id: SessionId) -> Result<()> {
        authorize(ctx, "me.revoke_session")?;
        let session = self.live_session(ctx, id).await?;
        self.end_session(ctx, session, "session.revoked", "me.revoke_session").await
    }

    async fn live_session(&self, ctx: &OpContext, id: SessionId) -> Result<Session> {
        let user_id = ctx.user_id.ok_or_else(Error::not_found)?;
        let session = self.ports.directory.find_user_session(user_id, id).await?;
        session.filter(|session| session.ended_at.is_none()).ok_or_else(Error::not_found)
    }

    /// Ends all one's sessions but the present one.
    pub async fn revoke_other_sessions(&self, ctx: &OpContext) -> Result<()> {
        authorize(ctx, "me.revoke_session")?;
        let user_id = ctx.user_id.ok_or_else(Error::not_found)?;
        let account = self.ports.directory.find_account(user_id).await?.ok_or_else(Error::not_found)?;
        let ended = self.end_others(ctx, &account).await?;
        self.commit_ended(ctx, &account, ended).await
    }

    /// Remembers the workspace of the context as the one the session used last.
    pub async fn remember_workspace(&self, ctx: &OpContext) -> Result<()> {
        let found = self.resolved_of(ctx).await?;
        let here = Some(ctx.scope.workspace_id);
        if !matches!(&found.held, Held::Session(session) if session.workspace_id != here) {
            return Ok(());
        }
        let (_, session) = self.own_session(ctx).await?;
        let moved = Session { workspace_id: here, version: session.version + 1, ..session };
        let batch = Batch::opening(ctx.scope, Durability::Process).with([Op::RowPut(Arc::new(Row::Session(moved)))]);
        match self.ports.ledger.commit(batch).await {
            // Somebody else wrote the session: their view of where it is will do.
            Ok(_) | Err(LedgerError::Refused(Refusal::Version { .. })) => {}
            Err(error) => return Err(error.into()),
        }
        self.cache.forget(found.token);
        Ok(())
    }

    /// Ends the present session.
    pub async fn log_out(&self, ctx: &OpContext) -> Result<()> {
        authorize(ctx, "me.log_out")?;
        let (_, session) = self.own_session(ctx).await?;
        self.end_session(ctx, session, "auth.logout", "me.log_out").await
    }

    async fn end_session(&self, ctx: &OpContext, session: Session, event: &str, operation: &'static str) -> Result<()> {
        let account = self.ports.directory.find_account(session.user_id).await?.ok_or_else(Error::not_found)?;
        let audit = Audit::done(ctx, &*self.ports.ids, event, operation, ("session", session.id));
        let batch = Batch::opening(ctx.scope, Durability::Power)
            .with([end(session, ctx), audit.into()])
            .with(raise_epochs(&account));
        self.commit(ctx, batch, |ctx| authorize(ctx, operation)).await?;
        Ok(())
    }

    /// The operations that end the person's other sessions, at most a batch of them; what is beyond is ended at once.
    pub(super) async fn end_others(&self, ctx: &OpContext, account: &Account) -> Result<Vec<Op>> {
        let live = self.ports.directory.list_sessions(account.user.id).await?;
        let mut others = live.into_iter().filter(|session| !is_present(session, ctx)).peekable();
        loop {
            let some: Vec<Session> = others.by_ref().take(ENDED_AT_ONCE).collect();
            let ops = some.into_iter().flat_map(|session| {
                let audit =
                    Audit::done(ctx, &*self.ports.ids, "session.revoked", "me.revoke_session", ("session", session.id));
                [end(session, ctx), audit.into()]
            });
            let ops: Vec<Op> = ops.collect();
            if others.peek().is_none() {
                return Ok(ops);
            }
            self.commit_ended(ctx, account, ops).await?;
        }
    }

    async fn commit_ended(&self, ctx: &OpContext, account: &Account, ended: Vec<Op>) -> Result<()> {
        let batch = Batch::opening(ctx.scope, Durability::Power).with(ended).with(raise_epochs(account));
        self.commit(ctx, batch, |ctx| authorize(ctx, "me.revoke_session")).await?;
        Ok(())
    }
}

fn end(session: Session, ctx: &OpContext) -> Op {
    Op::RowPut(Arc::new(Row::Session(Session { ended_at: Some(ctx.now), version: session.version + 1, ..session })))
}

fn is_present(session: &Session, ctx: &OpContext) -> bool {
    matches!(ctx.credential, Credential::Session(id) if id == session.id)
}

fn view(session: &Session, ctx: &OpContext) -> identity::Session {
    identity::Session {
        id: session.id,
        kind: session.kind,
        client: session.client.clone(),
        address: session.address.clone(),
        created_at: session.created_at,
        last_seen_at: session.last_seen_at,
        mfa: session.mfa,
        current: is_present(session, ctx),
    }
}
