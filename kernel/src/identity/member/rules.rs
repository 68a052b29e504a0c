//! What may be done to a role, purely.

use types::id::UserId;
use types::identity::{Role, UserStatus};
use types::problem::{Code, PermissionRefusal};

use crate::context::OpContext;
use crate::error::{Error, Result};
use crate::port::Roster;

/// Whether who has the role `actor` may take `from` away and give `to`: none above their own, so only an owner makes or
/// unmakes an owner.
pub(in crate::identity) fn may_set(actor: Role, from: Option<Role>, to: Option<Role>) -> bool {
    // The strongest role comes first.
    from.into_iter().chain(to).all(|role| actor <= role)
}

/// The same as a refusal.
pub(in crate::identity) fn check_may_set(
    ctx: &OpContext,
    action: &str,
    from: Option<Role>,
    to: Option<Role>,
) -> Result<()> {
    let actor = ctx.role.ok_or_else(Error::not_found)?;
    if may_set(actor, from, to) {
        return Ok(());
    }
    let roles = Role::ALL.iter().copied().filter(|role| may_set(*role, from, to)).collect();
    let detail =
        format!("with the role `{actor}` nobody gives or takes a role above it, ask an owner of the workspace");
    Err(Error::new(Code::RoleRequired, detail).with_permission(PermissionRefusal { action: action.to_owned(), roles }))
}

/// Whether a workspace still has an owner who can act once somebody is none any more.
pub(in crate::identity) fn still_owned(roster: &Roster, but: UserId) -> Result<()> {
    let mut others = roster.members().filter(|seat| seat.user.id != but);
    if others.any(|seat| seat.member.role == Role::Owner && seat.user.status == UserStatus::Active) {
        return Ok(());
    }
    let name = &roster.workspace.name;
    let detail = format!("the workspace `{name}` would be left without an owner, make somebody else one first");
    Err(Error::new(Code::LastOwner, detail))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nobody_sets_a_role_above_their_own() {
        for actor in Role::ALL {
            for other in Role::ALL {
                let is_fine = actor <= other;
                assert_eq!(may_set(*actor, Some(*other), None), is_fine, "{actor} takes {other}");
                assert_eq!(may_set(*actor, None, Some(*other)), is_fine, "{actor} gives {other}");
            }
        }
        assert!(!may_set(Role::Admin, Some(Role::Owner), Some(Role::Viewer)), "only an owner unmakes an owner");
    }
}
