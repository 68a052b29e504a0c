//! The guard: may this caller do this, here and now?
//!
//! `role row ∩ own rows ∩ key scope ∩ fresh proof`; nothing matched means deny. Every use case asks it, beside the effect, also when a
//! door asked before. Invariant: it reads its arguments and the matrix, nothing else.

use types::id::UserId;
use types::identity::{Permissions, Role};
use types::problem::{Code, PermissionRefusal};

use super::rbac::{self, Cell, Cells, Rule, Takes};
use crate::context::{Credential, OpContext};
use crate::error::{Error, Result};

/// Which rows of an action a caller reaches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// Every row.
    All,
    /// Their own rows.
    Own,
}

/// Allows `resource.action` on every row of the workspace, or refuses. Actions whose caller reaches only their own rows go
/// through [`authorize_rows`] or [`authorize_own`].
pub fn authorize(ctx: &OpContext, action: &str) -> Result<()> {
    match authorize_rows(ctx, action)? {
        Extent::All => Ok(()),
        Extent::Own => Err(role_required(ctx, action)),
    }
}

/// Allows `resource.action` and says on which rows: for lists, and for making rows of one's own.
pub fn authorize_rows(ctx: &OpContext, action: &str) -> Result<Extent> {
    if let Credential::System(_) = ctx.credential {
        return Ok(Extent::All);
    }
    let rule = rbac::find(action).ok_or_else(|| role_required(ctx, action))?;
    check_reach(ctx, rule, action)?;
    let extent = extent(ctx, rule).ok_or_else(|| role_required(ctx, action))?;
    if rule.step_up && matches!(ctx.credential, Credential::Session(_)) && !ctx.is_elevated() {
        let detail = format!("`{action}` needs a fresh proof of who you are, enter your password again");
        return Err(Error::new(Code::StepUpRequired, detail));
    }
    Ok(extent)
}

/// Allows `resource.action` on a row that belongs to `owner`. A row one may not even read is not there.
pub fn authorize_own(ctx: &OpContext, action: &str, owner: UserId) -> Result<()> {
    match authorize_rows(ctx, action)? {
        Extent::Own if ctx.user_id != Some(owner) => {
            let readable = action.split_once('.').and_then(|(resource, _)| rbac::find(&format!("{resource}.read")));
            match readable.and_then(|rule| extent(ctx, rule)) {
                Some(Extent::All) => Err(role_required(ctx, action)),
                _ => Err(Error::not_found()),
            }
        }
        Extent::All | Extent::Own => Ok(()),
    }
}

/// Everything the caller may do now, fresh proof aside.
pub fn permissions(ctx: &OpContext) -> Permissions {
    let allowed =
        rbac::actions().filter(|(action, rule)| check_reach(ctx, rule, action).is_ok() && extent(ctx, rule).is_some());
    Permissions { actions: allowed.map(|(action, _)| action.to_owned()).collect() }
}

/// The same on one row that belongs to `owner`.
pub fn permissions_on(ctx: &OpContext, owner: UserId) -> Permissions {
    let is_own = ctx.user_id == Some(owner);
    let reaches = |rule| extent(ctx, rule).is_some_and(|extent| is_own || extent == Extent::All);
    let allowed = rbac::actions().filter(|(action, rule)| check_reach(ctx, rule, action).is_ok() && reaches(rule));
    Permissions { actions: allowed.map(|(action, _)| action.to_owned()).collect() }
}

/// The scope of a key; sessions have every one.
fn check_reach(ctx: &OpContext, rule: &Rule, action: &str) -> Result<()> {
    let Credential::ApiKey(_) = ctx.credential else {
        return Ok(());
    };
    match rule.takes {
        Takes::Key(needed) if ctx.reach >= needed => Ok(()),
        Takes::Key(needed) => {
            let detail = format!("`{action}` needs a key with the scope `{needed}`");
            Err(Error::new(Code::ScopeRequired, detail).with_reason(needed.as_str()))
        }
        Takes::Session => {
            let detail = format!("`{action}` needs a signed-in session, no key can do it");
            Err(Error::new(Code::ScopeRequired, detail).with_reason("session"))
        }
    }
}

/// What the caller's role reaches. Grants, publishing rights and approval rules are no part of a role: without them, nothing.
fn extent(ctx: &OpContext, rule: &Rule) -> Option<Extent> {
    let cell = match rule.cells {
        Cells::Workspace(_) => rule.of_role(ctx.role?),
        Cells::Tenant(_) => rule.of_tenant_role(ctx.tenant_role?),
        Cells::Operator if ctx.is_operator => Cell::All,
        Cells::Person if ctx.user_id.is_some() => Cell::All,
        Cells::Operator | Cells::Person => Cell::None,
    };
    match cell {
        Cell::All => Some(Extent::All),
        Cell::Own => Some(Extent::Own),
        Cell::Granted | Cell::Publishers | Cell::Approvers | Cell::None => None,
    }
}

fn role_required(ctx: &OpContext, action: &str) -> Error {
    let role = ctx.role.map_or_else(|| "no role here".to_owned(), |role| format!("the role `{role}`"));
    let has_it = |role: &Role| rbac::find(action).is_some_and(|rule| rule.of_role(*role) == Cell::All);
    let roles = Role::ALL.iter().copied().filter(has_it).collect();
    Error::new(Code::RoleRequired, format!("`{action}` is not allowed with {role}, ask an owner of the workspace"))
        .with_permission(PermissionRefusal { action: action.to_owned(), roles })
}
