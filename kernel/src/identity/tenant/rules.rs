//! What may be done to a role in a tenant, purely.

use types::id::UserId;
use types::identity::{TenantRole, UserStatus};
use types::problem::Code;

use crate::context::OpContext;
use crate::error::{Error, Result};
use crate::port::TenantRoster;

/// Nobody gives or takes a role above their own: only an owner makes or unmakes an owner.
pub(super) fn check_may_set(ctx: &OpContext, from: Option<TenantRole>, to: Option<TenantRole>) -> Result<()> {
    let actor = ctx.tenant_role.ok_or_else(Error::not_found)?;
    // The strongest role comes first.
    if from.into_iter().chain(to).all(|role| actor <= role) {
        return Ok(());
    }
    let detail = format!("with the role `{actor}` nobody gives or takes a role above it, ask an owner of the tenant");
    Err(Error::new(Code::RoleRequired, detail))
}

/// Whether a tenant still has an owner who can act once somebody is none any more.
pub(super) fn still_owned(seen: &TenantRoster, but: UserId) -> Result<()> {
    let mut others = seen.members().filter(|(user, _)| user.id != but);
    if others.any(|(user, member)| member.role == TenantRole::Owner && user.status == UserStatus::Active) {
        return Ok(());
    }
    Err(Error::new(Code::LastOwner, "the tenant would be left without an owner, make somebody else one first"))
}
