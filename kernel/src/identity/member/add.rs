//! Giving somebody of the tenant a place in the workspace.

use serde_json::json;
use types::member::{AddMember, Member};
use types::problem::Code;
use types::run::Entry;

use super::read::view;
use super::roster::{Change, Reading, Seen};
use super::rules::check_may_set;
use crate::context::OpContext;
use crate::error::{Error, Result};
use crate::identity::{Email, Identity};
use crate::ledger::Audit;
use crate::port::Seat;
use crate::record::{Row, WorkspaceMember};

impl Identity {
    /// Gives a person of the tenant a place in the workspace. Of others nothing is told: they are not there.
    pub async fn add_member(&self, ctx: &OpContext, command: &AddMember) -> Result<Member> {
        let email = command.email.as_deref().map(|email| Email::parse(email, "email")).transpose()?;
        let reading = match (command.user_id, &email) {
            (Some(id), None) => Reading::Person(id),
            (None, Some(email)) => Reading::Address(email.key()),
            _ => return Err(Error::invalid("user_id", "name the person by `user_id` or by `email`")),
        };
        let add = |ctx: &OpContext, seen: &Seen| self.decide_add(ctx, seen, command);
        self.change_roster(ctx, "member.add", reading, add).await
    }

    fn decide_add(&self, ctx: &OpContext, seen: &Seen, command: &AddMember) -> Result<Change<Member>> {
        check_may_set(ctx, "member.add", None, Some(command.role))?;
        let account = seen.person.as_ref().ok_or_else(Error::not_found)?;
        let tenant = account.tenants.iter().find(|(tenant, ..)| tenant.id == ctx.scope.tenant_id);
        let (_, tenant_role, _) = tenant.ok_or_else(Error::not_found)?;
        let id = account.user.id;
        if let Some(present) = seen.roster.member(id) {
            // The same form, sent twice.
            return match ctx.entry == Entry::Console && present.member.role == command.role {
                true => Ok(Change::to(view(present))),
                false => Err(Error::new(Code::AlreadyExists, "the person belongs to the workspace already")),
            };
        }
        let former = seen.roster.seats.iter().find(|seat| seat.user.id == id);
        let member = WorkspaceMember {
            scope: ctx.scope,
            user_id: id,
            role: command.role,
            joined_at: ctx.now,
            removed_at: None,
            version: former.map_or(0, |seat| seat.member.version) + 1,
        };
        let seat = Seat { user: account.user.clone(), member: member.clone(), tenant_role: *tenant_role };
        let audit = Audit::done(ctx, &*self.ports.ids, "member.added", "member.add", ("member", id))
            .with_payload(json!({ "after": { "role": command.role } }));
        Ok(Change::to(view(&seat)).row(Row::WorkspaceMember(member)).with([audit.into()]))
    }
}
