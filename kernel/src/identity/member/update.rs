//! Giving a member another role. Their keys act with it from then on.

use serde_json::json;
use types::id::UserId;
use types::identity::Role;
use types::member::{Member, UpdateMember};

use super::read::view;
use super::roster::{Change, Reading, Seen};
use super::rules::{check_may_set, still_owned};
use crate::context::OpContext;
use crate::error::{Error, Result};
use crate::identity::Identity;
use crate::ledger::Audit;
use crate::port::Seat;
use crate::record::{Row, WorkspaceMember};

impl Identity {
    /// Gives a member who is still at `version` another role.
    pub async fn update_member(
        &self,
        ctx: &OpContext,
        id: UserId,
        version: Option<u64>,
        command: &UpdateMember,
    ) -> Result<Member> {
        let update = |ctx: &OpContext, seen: &Seen| self.decide_update(ctx, seen, id, version, command.role);
        self.change_roster(ctx, "member.change_role", Reading::Roster, update).await
    }

    fn decide_update(
        &self,
        ctx: &OpContext,
        seen: &Seen,
        id: UserId,
        version: Option<u64>,
        role: Role,
    ) -> Result<Change<Member>> {
        let seat = seen.roster.member(id).ok_or_else(Error::not_found)?;
        let before = seat.member.role;
        check_may_set(ctx, "member.change_role", Some(before), Some(role))?;
        if !ctx.must_change(version, seat.member.version, &json!(before), &json!(role))? || before == role {
            return Ok(Change::to(view(seat)));
        }
        if before == Role::Owner {
            still_owned(&seen.roster, id)?;
        }
        let member = WorkspaceMember { role, version: seat.member.version + 1, ..seat.member.clone() };
        let audit = Audit::done(ctx, &*self.ports.ids, "member.role_changed", "member.change_role", ("member", id))
            .with_payload(json!({ "before": { "role": before }, "after": { "role": role } }));
        let after = Seat { member: member.clone(), ..seat.clone() };
        Ok(Change::to(view(&after)).row(Row::WorkspaceMember(member)).with([audit.into()]))
    }
}
