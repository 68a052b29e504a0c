//! Deciding on everybody of a workspace: read them at one moment, decide, commit under the epoch of that moment.
//!
//! Each such change raises the epoch. So of two that were decided on the same state one is written; the other reads again
//! and decides again, with the rights the caller has by then.

use std::sync::Arc;

use types::access::{GrantSubject, PrincipalStatus};
use types::id::UserId;
use types::problem::Code;

use crate::context::OpContext;
use crate::error::{Error, Result};
use crate::identity::Identity;
use crate::ledger::{Batch, Durability, LedgerError, Op, Refusal};
use crate::policy::guard::authorize_rows;
use crate::port::{Account, Roster};
use crate::record::{ApiKey, Grant, Group, GroupMember, Invitation, Row, ServicePrincipal, Session};

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
    /// What a member holds: keys and grants of the workspace, sessions that stand in it, principals they answer for.
    Holdings(UserId),
    /// Principals, groups and grants of the workspace.
    Subjects,
    /// The workspace's invitations.
    Invitations,
}

/// What a change is decided on.
#[derive(Debug)]
pub(in crate::identity) struct Seen {
    pub(in crate::identity) roster: Roster,
    pub(in crate::identity) person: Option<Account>,
    pub(in crate::identity) holdings: Holdings,
    pub(in crate::identity) principals: Vec<ServicePrincipal>,
    pub(in crate::identity) groups: Vec<(Group, Vec<GroupMember>)>,
    pub(in crate::identity) grants: Vec<Grant>,
    pub(in crate::identity) invitations: Vec<Invitation>,
}

/// What somebody holds in a workspace, as far as it ends when they go.
#[derive(Debug, Default)]
pub(in crate::identity) struct Holdings {
    /// Keys they act with, not revoked.
    pub(super) keys: Vec<ApiKey>,
    /// Live sessions that stand in it.
    pub(super) sessions: Vec<Session>,
    /// Service principals they answer for, not orphaned yet.
    pub(super) principals: Vec<ServicePrincipal>,
    /// Their places in groups.
    pub(super) places: Vec<GroupMember>,
    /// What is granted to them by name.
    pub(super) grants: Vec<Grant>,
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

    /// What is written, and what is answered then.
    pub(in crate::identity) fn parts(self) -> (Vec<Op>, T) {
        (self.ops, self.answer)
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
    /// Commits what `decide` makes of everybody's places, if the caller may do `action`; where that is allowed on one's own rows
    /// alone, `decide` looks whose it is.
    pub(in crate::identity) async fn change_roster<T>(
        &self,
        ctx: &OpContext,
        action: &'static str,
        reading: Reading<'_>,
        decide: impl Fn(&OpContext, &Seen) -> Result<Change<T>> + Send + Sync,
    ) -> Result<T> {
        let mut ctx = ctx.clone();
        for _ in 0..ATTEMPTS {
            authorize_rows(&ctx, action)?;
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
        let mut seen = Seen {
            roster,
            person: None,
            holdings: Holdings::default(),
            principals: Vec::new(),
            groups: Vec::new(),
            grants: Vec::new(),
            invitations: Vec::new(),
        };
        match reading {
            Reading::Roster => {}
            Reading::Person(id) => seen.person = directory.find_account(id).await?,
            Reading::Address(email_key) => seen.person = directory.find_account_by_email(email_key).await?,
            Reading::Holdings(id) => seen.holdings = self.holdings(ctx, id).await?,
            Reading::Subjects => {
                let subjects = &self.ports.subjects;
                seen.principals = subjects.list_principals(ctx.scope).await?;
                seen.groups = subjects.list_groups(ctx.scope).await?;
                seen.grants = subjects.list_grants(ctx.scope).await?;
            }
            Reading::Invitations => seen.invitations = self.ports.people.list_invitations(ctx.scope).await?,
        }
        Ok(seen)
    }

    /// What somebody holds in the workspace of the context.
    pub(super) async fn holdings(&self, ctx: &OpContext, id: UserId) -> Result<Holdings> {
        let (directory, subjects) = (&self.ports.directory, &self.ports.subjects);
        let mut keys = directory.list_keys(ctx.scope).await?;
        // A principal's key is not its issuer's.
        keys.retain(|key| key.created_by == id && key.principal_id.is_none() && key.revoked_at.is_none());
        let mut sessions = directory.list_sessions(id).await?;
        sessions.retain(|session| session.workspace_id == Some(ctx.scope.workspace_id));
        let mut principals = subjects.list_principals(ctx.scope).await?;
        principals.retain(|principal| principal.owner_id == id && principal.status != PrincipalStatus::Orphaned);
        let groups = subjects.list_groups(ctx.scope).await?;
        let mut places: Vec<GroupMember> = groups.into_iter().flat_map(|(_, places)| places).collect();
        places.retain(|place| place.user_id == id && place.removed_at.is_none());
        let mut grants = subjects.list_grants(ctx.scope).await?;
        grants.retain(|grant| grant.subject == GrantSubject::User(id));
        Ok(Holdings { keys, sessions, principals, places, grants })
    }
}
