//! Deciding on everybody of a workspace: read them at one moment, decide, commit under the epoch of that moment.
//!
//! Each such change raises the epoch. So of two that were decided on the same state one is written; the other reads again
//! and decides again, with the rights the caller has by then.

use std::sync::Arc;

use types::id::UserId;
use types::problem::Code;

use crate::context::OpContext;
use crate::error::{Error, Result};
use crate::identity::Identity;
use crate::ledger::{Batch, Durability, LedgerError, Op, Refusal};
use crate::policy::guard::authorize;
use crate::port::{Account, Roster};
use crate::record::{ApiKey, Invitation, Row, Session};

/// How often a change is decided before the caller is asked to come again.
const ATTEMPTS: usize = 5;

/// What a change is decided on besides the roster.
#[derive(Clone, Copy, Debug)]
pub(in crate::identity) enum Reading<'a> {
    /// Nothing.
    Roster,
    /// The person of an id.
    Person(UserId),
    /// The person of an address, as compared.
    Address(&'a str),
    /// What a member holds: keys of the workspace, and sessions that stand in it.
    Holdings(UserId),
    /// The workspace's invitations.
    Invitations,
}

/// What a change is decided on.
#[derive(Debug)]
pub(in crate::identity) struct Seen {
    pub(in crate::identity) roster: Roster,
    pub(in crate::identity) person: Option<Account>,
    pub(in crate::identity) keys: Vec<ApiKey>,
    pub(in crate::identity) sessions: Vec<Session>,
    pub(in crate::identity) invitations: Vec<Invitation>,
}

/// What was decided. Without operations everything is as it was asked for already.
pub(in crate::identity) struct Change<T> {
    ops: Vec<Op>,
    answer: T,
}

impl<T> Change<T> {
    /// What is answered; so far nothing is written.
    pub(in crate::identity) fn to(answer: T) -> Self {
        Self { ops: Vec::new(), answer }
    }

    /// Writes a row.
    pub(in crate::identity) fn row(self, row: Row) -> Self {
        self.with([Op::RowPut(Arc::new(row))])
    }

    /// Writes more.
    pub(in crate::identity) fn with(mut self, ops: impl IntoIterator<Item = Op>) -> Self {
        self.ops.extend(ops);
        self
    }
}

impl Identity {
    /// Commits what `decide` makes of everybody's places, if the caller may do `action`.
    pub(in crate::identity) async fn change_roster<T>(
        &self,
        ctx: &OpContext,
        action: &'static str,
        reading: Reading<'_>,
        decide: impl Fn(&OpContext, &Seen) -> Result<Change<T>> + Send + Sync,
    ) -> Result<T> {
        let mut ctx = ctx.clone();
        for _ in 0..ATTEMPTS {
            authorize(&ctx, action)?;
            let seen = self.see(&ctx, reading).await?;
            // The caller's rights are of the same moment.
            let epoch = seen.roster.auth_epoch;
            if ctx.auth_epoch == epoch {
                let Change { ops, answer } = decide(&ctx, &seen)?;
                if ops.is_empty() {
                    return Ok(answer);
                }
                let batch = Batch::opening(ctx.scope, Durability::Power)
                    .under_epoch(epoch)
                    .with(ops)
                    .with([Op::EpochRaise(ctx.scope.tenant_id)]);
                match self.ports.ledger.commit(batch).await {
                    Ok(_) => return Ok(answer),
                    Err(LedgerError::Refused(Refusal::AuthEpoch { .. } | Refusal::Version { .. })) => {}
                    Err(error) => return Err(error.into()),
                }
            }
            ctx = self.reauthenticate(&ctx).await?;
        }
        Err(Error::new(Code::Busy, "others change the members at the same time, try again").with_retry_after(1))
    }

    /// The roster first: whatever moves a place afterwards moves the epoch too.
    async fn see(&self, ctx: &OpContext, reading: Reading<'_>) -> Result<Seen> {
        let roster = self.ports.people.roster(ctx.scope).await?.ok_or_else(Error::not_found)?;
        let directory = &self.ports.directory;
        let mut seen = Seen { roster, person: None, keys: Vec::new(), sessions: Vec::new(), invitations: Vec::new() };
        match reading {
            Reading::Roster => {}
            Reading::Person(id) => seen.person = directory.find_account(id).await?,
            Reading::Address(email_key) => seen.person = directory.find_account_by_email(email_key).await?,
            Reading::Holdings(id) => (seen.keys, seen.sessions) = self.holdings(ctx, id).await?,
            Reading::Invitations => seen.invitations = self.ports.people.list_invitations(ctx.scope).await?,
        }
        Ok(seen)
    }

    /// What somebody holds in the workspace of the context: keys that were not revoked, and live sessions that stand in it.
    pub(super) async fn holdings(&self, ctx: &OpContext, id: UserId) -> Result<(Vec<ApiKey>, Vec<Session>)> {
        let mut keys = self.ports.directory.list_keys(ctx.scope).await?;
        keys.retain(|key| key.created_by == id && key.revoked_at.is_none());
        let mut sessions = self.ports.directory.list_sessions(id).await?;
        sessions.retain(|session| session.workspace_id == Some(ctx.scope.workspace_id));
        Ok((keys, sessions))
    }
}
