//! Joining a workspace by the right of who manages its tenant.

use serde_json::json;
use types::id::WorkspaceId;
use types::identity::Role;
use types::member::Member;
use types::problem::Code;
use types::run::Entry;

use super::read::view;
use super::roster::{Change, Reading, Seen};
use crate::context::OpContext;
use crate::error::{Error, Result};
use crate::identity::Identity;
use crate::ledger::{Audit, Event};
use crate::port::Seat;
use crate::record::{Row, WorkspaceMember};

impl Identity {
    /// Gives an owner or admin of the tenant a place as admin in one of its workspaces. Its owners are told: it stands in the
    /// workspace's audit and among its events.
    pub async fn join_workspace(&self, ctx: &OpContext, id: WorkspaceId) -> Result<Member> {
        let scope = self.ports.tenants.find_workspace_home(id).await?.ok_or_else(Error::not_found)?;
        let inside = self.enter_tenant(ctx, scope.tenant_id).await?;
        let join = |ctx: &OpContext, seen: &Seen| self.decide_join(ctx, seen);
        let person = inside.user_id.ok_or_else(Error::not_found)?;
        self.change_roster(&OpContext { scope, ..inside }, "workspace.join", Reading::Person(person), join).await
    }

    fn decide_join(&self, ctx: &OpContext, seen: &Seen) -> Result<Change<Member>> {
        let (id, tenant_role) = ctx.user_id.zip(ctx.tenant_role).ok_or_else(Error::not_found)?;
        let former = seen.roster.seats.iter().find(|seat| seat.user.id == id);
        if let Some(present) = former.filter(|seat| seat.member.removed_at.is_none()) {
            // The same form, sent twice.
            return match ctx.entry == Entry::Console {
                true => Ok(Change::to(view(present))),
                false => Err(Error::new(Code::AlreadyExists, "you belong to the workspace already")),
            };
        }
        let user = seen.person.as_ref().map(|account| account.user.clone()).ok_or_else(Error::not_found)?;
        let member = WorkspaceMember {
            scope: ctx.scope,
            user_id: id,
            role: Role::Admin,
            joined_at: ctx.now,
            removed_at: None,
            version: former.map_or(0, |seat| seat.member.version) + 1,
        };
        let facts = json!({ "user_id": id, "role": member.role, "tenant_role": tenant_role });
        let event = Event::new(&*self.ports.ids, "member.joined", ctx.scope.workspace_id, facts.clone(), ctx.now);
        let audit = Audit::done(ctx, &*self.ports.ids, "workspace.joined", "workspace.join", ("member", id))
            .with_payload(json!({ "after": facts }));
        let seat = Seat { user, member: member.clone(), tenant_role };
        Ok(Change::to(view(&seat)).row(Row::WorkspaceMember(member)).with([audit.into(), event.into()]))
    }
}
