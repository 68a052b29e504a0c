//! Reading who belongs.

use types::id::UserId;
use types::member::Member;

use crate::context::OpContext;
use crate::error::{Error, Result};
use crate::identity::Identity;
use crate::policy::guard::authorize;
use crate::port::{Roster, Seat};

impl Identity {
    /// Everybody who belongs to the workspace.
    pub async fn list_members(&self, ctx: &OpContext) -> Result<Vec<Member>> {
        Ok(self.roster(ctx).await?.members().map(view).collect())
    }

    /// One member.
    pub async fn find_member(&self, ctx: &OpContext, id: UserId) -> Result<Member> {
        self.roster(ctx).await?.member(id).map(view).ok_or_else(Error::not_found)
    }

    async fn roster(&self, ctx: &OpContext) -> Result<Roster> {
        authorize(ctx, "member.list")?;
        self.ports.people.roster(ctx.scope).await?.ok_or_else(Error::not_found)
    }
}

/// A seat as the outside sees it.
pub(super) fn view(seat: &Seat) -> Member {
    let Seat { user, member, tenant_role } = seat;
    Member {
        user_id: user.id,
        email: user.email.clone(),
        name: user.name.clone(),
        status: user.status,
        role: member.role,
        tenant_role: *tenant_role,
        joined_at: member.joined_at,
        version: member.version,
    }
}
