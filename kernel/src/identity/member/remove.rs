//! Taking a place away, with everything held in it.

use std::sync::Arc;

use serde_json::json;
use types::access::PrincipalStatus;
use types::id::UserId;
use types::identity::Role;
use types::problem::Code;

use super::roster::{Change, Holdings, Reading, Seen};
use super::rules::{check_may_set, still_owned};
use crate::context::OpContext;
use crate::error::{Error, Result};
use crate::identity::Identity;
use crate::ledger::{Audit, Batch, Durability, Op};
use crate::record::{ApiKey, Grant, GroupMember, Row, ServicePrincipal, Session, WorkspaceMember};

/// What is ended in one batch at most. What is beyond it ends right after; without a place it is dead already.
const ENDED_AT_ONCE: usize = 400;

/// How a place was lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Parting {
    Removed,
    Left,
    /// With the place in the tenant.
    FromTenant,
}

impl Parting {
    fn action(self) -> &'static str {
        match self {
            Self::Removed => "member.remove",
            Self::Left => "member.leave",
            Self::FromTenant => "tenant_member.remove",
        }
    }

    fn event(self) -> &'static str {
        match self {
            Self::Removed | Self::FromTenant => "member.removed",
            Self::Left => "member.left",
        }
    }
}

impl Identity {
    /// Removes a member, or lets the caller leave. Once this is answered, nothing starts with what they held here: their keys
    /// are revoked, the sessions that stand in the workspace end, what was granted to them is taken back, and the service
    /// principals they answer for wait for another owner. Who leaves stays signed in.
    pub async fn remove_member(&self, ctx: &OpContext, id: UserId) -> Result<()> {
        let parting = if ctx.user_id == Some(id) { Parting::Left } else { Parting::Removed };
        let remove = |ctx: &OpContext, seen: &Seen| self.decide_removal(ctx, seen, id, parting);
        self.change_roster(ctx, parting.action(), Reading::Holdings(id), remove).await?;
        if let Err(error) = self.end_rest(ctx, id, parting).await {
            tracing::warn!(user.id = %id, error = %error, "what a former member held could not be ended, it acts nowhere");
        }
        Ok(())
    }

    /// The same in one workspace for somebody who loses their place in its tenant. The context is the tenant's, in the workspace.
    pub(in crate::identity) async fn remove_from_workspace(&self, ctx: &OpContext, id: UserId) -> Result<()> {
        let parting = Parting::FromTenant;
        let remove = |ctx: &OpContext, seen: &Seen| self.decide_removal(ctx, seen, id, parting);
        match self.change_roster(ctx, parting.action(), Reading::Holdings(id), remove).await {
            // Somebody else was faster.
            Err(error) if error.code() == Code::NotFound => {}
            removed => removed?,
        }
        self.end_rest(ctx, id, parting).await
    }

    fn decide_removal(&self, ctx: &OpContext, seen: &Seen, id: UserId, parting: Parting) -> Result<Change<()>> {
        let seat = seen.roster.member(id).ok_or_else(Error::not_found)?;
        let role = seat.member.role;
        if parting == Parting::Removed {
            check_may_set(ctx, parting.action(), Some(role), None)?;
        }
        if role == Role::Owner {
            still_owned(&seen.roster, id)?;
        }
        let member =
            WorkspaceMember { removed_at: Some(ctx.now), version: seat.member.version + 1, ..seat.member.clone() };
        let audit = Audit::done(ctx, &*self.ports.ids, parting.event(), parting.action(), ("member", id))
            .with_payload(json!({ "before": { "role": role } }));
        let ended = self.end(ctx, &seen.holdings, parting);
        Ok(Change::to(()).row(Row::WorkspaceMember(member)).with([audit.into()]).with(ended))
    }

    /// The operations that end what somebody holds, at most a batch of them.
    fn end(&self, ctx: &OpContext, held: &Holdings, parting: Parting) -> Vec<Op> {
        let ids = &*self.ports.ids;
        let done = |event: &str, kind: &str, id: String| -> Op {
            Audit::done(ctx, ids, event, parting.action(), (kind, id)).into()
        };
        let keys = held.keys.iter().map(|key| {
            let revoked = ApiKey { revoked_at: Some(ctx.now), version: key.version + 1, ..key.clone() };
            vec![Op::RowPut(Arc::new(Row::ApiKey(revoked))), done("key.revoked", "api_key", key.id.to_string())]
        });
        let sessions = held.sessions.iter().map(|session| {
            let moved = Session { workspace_id: None, version: session.version + 1, ..session.clone() };
            // Who goes stays signed in.
            match ctx.user_id == Some(session.user_id) {
                true => vec![Op::RowPut(Arc::new(Row::Session(moved)))],
                false => {
                    let ended = Session { ended_at: Some(ctx.now), ..moved };
                    let audit = done("session.revoked", "session", session.id.to_string());
                    vec![Op::RowPut(Arc::new(Row::Session(ended))), audit]
                }
            }
        });
        let put = |row: Row| Op::RowPut(Arc::new(row));
        let principals = held.principals.iter().map(|principal| {
            let version = principal.version + 1;
            let orphan = ServicePrincipal { status: PrincipalStatus::Orphaned, version, ..principal.clone() };
            let id = principal.id.to_string();
            vec![put(Row::ServicePrincipal(orphan)), done("principal.orphaned", "service_principal", id)]
        });
        let places = held.places.iter().map(|place| {
            let gone = GroupMember { removed_at: Some(ctx.now), version: place.version + 1, ..place.clone() };
            vec![put(Row::GroupMember(gone))]
        });
        let grants = held.grants.iter().map(|grant| {
            let revoked = Grant { revoked_at: Some(ctx.now), version: grant.version + 1, ..grant.clone() };
            vec![put(Row::Grant(revoked)), done("grant.revoked", "grant", grant.id.to_string())]
        });
        let all = keys.chain(sessions).chain(principals).chain(places).chain(grants);
        all.take(ENDED_AT_ONCE).flatten().collect()
    }

    /// Ends what did not fit the batch, or was made while it was decided.
    async fn end_rest(&self, ctx: &OpContext, id: UserId, parting: Parting) -> Result<()> {
        loop {
            let ended = self.end(ctx, &self.holdings(ctx, id).await?, parting);
            if ended.is_empty() {
                return Ok(());
            }
            let batch =
                Batch::opening(ctx.scope, Durability::Power).with(ended).with([Op::EpochRaise(ctx.scope.tenant_id)]);
            self.ports.ledger.commit(batch).await.map_err(Error::from)?;
        }
    }
}
