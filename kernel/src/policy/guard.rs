//! The guard: may this caller do this, here and now?
//!
//! `(role row ∪ grants) ∩ own rows ∩ key scope ∩ fresh proof`; nothing matched means deny. Every use case asks it, beside the effect, also when a
//! door asked before. Invariant: it reads its arguments and the matrix, nothing else.

use types::access::ResourceType;
use types::id::{GrantId, ServicePrincipalId, UserId};
use types::identity::{Permissions, Role, Scope as Reach, TenantRole};
use types::problem::{Code, PermissionRefusal};

use super::granted::{gains, granting};
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

/// Whose a row is: a person's, or a service principal's, which is its owner's too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Owner {
    /// The person.
    pub user_id: UserId,
    /// The service principal, where it is one's.
    pub principal_id: Option<ServicePrincipalId>,
}

impl From<UserId> for Owner {
    fn from(user_id: UserId) -> Self {
        Self { user_id, principal_id: None }
    }
}

impl Owner {
    /// Whether the caller is. What is a person's own is not their service principals'.
    pub fn is(&self, ctx: &OpContext) -> bool {
        match &ctx.principal {
            Some(principal) => self.principal_id == Some(principal.id),
            None => ctx.user_id == Some(self.user_id),
        }
    }
}

/// By what something is allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Basis {
    /// The caller's role.
    Role,
    /// A grant.
    Grant(GrantId),
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
    check_open(ctx, rule, action)?;
    check_proof(ctx, rule, action)?;
    Ok(extent)
}

/// Allows `resource.action` on a row that belongs to `owner`. A row one may not even read is not there.
pub fn authorize_own(ctx: &OpContext, action: &str, owner: impl Into<Owner>) -> Result<()> {
    match authorize_rows(ctx, action)? {
        Extent::Own if !owner.into().is(ctx) => {
            let readable = action.split_once('.').and_then(|(resource, _)| rbac::find(&format!("{resource}.read")));
            match readable.and_then(|rule| extent(ctx, rule)) {
                Some(Extent::All) => Err(role_required(ctx, action)),
                _ => Err(Error::not_found()),
            }
        }
        Extent::All | Extent::Own => Ok(()),
    }
}

/// Allows `resource.action` on one thing, by role or by grant.
pub fn authorize_on(ctx: &OpContext, action: &str, kind: ResourceType, id: &str) -> Result<Basis> {
    by_role_or(ctx, action, || {
        let asked = granting(action).filter(|(of, granted)| *of == kind && may_gain(ctx, *granted))?;
        ctx.granted.find(ctx.scope.workspace_id, asked, id, ctx.now).map(Basis::Grant)
    })
}

/// Whether `resource.action` can be allowed on anything, by role or by grant: before it is known on what.
pub fn authorize_some(ctx: &OpContext, action: &str) -> Result<()> {
    let granted = || {
        let asked = granting(action).filter(|(_, granted)| may_gain(ctx, *granted))?;
        ctx.granted.has_any(ctx.scope.workspace_id, asked, ctx.now).then_some(Basis::Role)
    };
    by_role_or(ctx, action, granted).map(|_| ())
}

fn by_role_or(ctx: &OpContext, action: &str, granted: impl FnOnce() -> Option<Basis>) -> Result<Basis> {
    if let Credential::System(_) = ctx.credential {
        return Ok(Basis::Role);
    }
    let rule = rbac::find(action).ok_or_else(|| role_required(ctx, action))?;
    check_reach(ctx, rule, action)?;
    let basis = match cell(ctx, rule) {
        Cell::All => Some(Basis::Role),
        Cell::Granted => granted(),
        Cell::Own | Cell::Publishers | Cell::Approvers | Cell::None => None,
    };
    let basis = basis.ok_or_else(|| role_required(ctx, action))?;
    check_open(ctx, rule, action)?;
    check_proof(ctx, rule, action)?;
    Ok(basis)
}

fn may_gain(ctx: &OpContext, action: types::access::GrantAction) -> bool {
    ctx.role.is_some_and(|role| gains(role, action))
}

/// What goes on in an archived workspace besides reading: what ends something, and what brings it back.
const IN_ARCHIVE: &[&str] = &[
    "workspace.archive",
    "workspace.restore",
    "member.remove",
    "member.leave",
    "invitation.revoke",
    "api_key.revoke",
    "run.cancel",
];

/// In an archived workspace reading works, and nothing else.
pub(crate) fn check_open(ctx: &OpContext, rule: &Rule, action: &str) -> Result<()> {
    if !ctx.is_archived || !matches!(rule.cells, Cells::Workspace(_)) {
        return Ok(());
    }
    let (resource, verb) = action.split_once('.').unwrap_or((action, ""));
    let reads = rule.takes == Takes::Key(Reach::Read) || matches!(verb, "list" | "read") || resource == "export";
    if reads || IN_ARCHIVE.contains(&action) {
        return Ok(());
    }
    let detail = format!("the workspace is archived, so `{action}` is refused; an owner can restore it");
    Err(Error::new(Code::WorkspaceArchived, detail))
}

fn check_proof(ctx: &OpContext, rule: &Rule, action: &str) -> Result<()> {
    if rule.step_up && matches!(ctx.credential, Credential::Session(_)) && !ctx.is_elevated() {
        if !ctx.has_password {
            let detail =
                format!("`{action}` needs a fresh proof of who you are, sign in to your identity provider again");
            return Err(Error::new(Code::StepUpRequired, detail).with_reason("identity_provider"));
        }
        let detail = format!("`{action}` needs a fresh proof of who you are, enter your password again");
        return Err(Error::new(Code::StepUpRequired, detail));
    }
    Ok(())
}

/// Everything the caller may do now, fresh proof aside.
pub fn permissions(ctx: &OpContext) -> Permissions {
    let allowed = rbac::actions().filter(|(action, rule)| {
        check_reach(ctx, rule, action).is_ok() && extent(ctx, rule).is_some() && check_open(ctx, rule, action).is_ok()
    });
    Permissions { actions: allowed.map(|(action, _)| action.to_owned()).collect() }
}

/// The same on one row that belongs to `owner`.
pub fn permissions_on(ctx: &OpContext, owner: impl Into<Owner>) -> Permissions {
    let is_own = owner.into().is(ctx);
    let reaches = |rule| extent(ctx, rule).is_some_and(|extent| is_own || extent == Extent::All);
    let allowed = rbac::actions().filter(|(action, rule)| {
        check_reach(ctx, rule, action).is_ok() && reaches(rule) && check_open(ctx, rule, action).is_ok()
    });
    Permissions { actions: allowed.map(|(action, _)| action.to_owned()).collect() }
}

/// The same on one thing that can be granted.
pub fn permissions_with(ctx: &OpContext, kind: ResourceType, id: &str) -> Permissions {
    let mut permissions = permissions(ctx);
    let granted = rbac::actions().filter(|(action, rule)| {
        cell(ctx, rule) == Cell::Granted && matches!(authorize_on(ctx, action, kind, id), Ok(Basis::Grant(_)))
    });
    permissions.actions.extend(granted.map(|(action, _)| action.to_owned()));
    permissions.actions.sort();
    permissions
}

/// The scope of a key; sessions have every one.
pub(crate) fn check_reach(ctx: &OpContext, rule: &Rule, action: &str) -> Result<()> {
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
    match cell(ctx, rule) {
        Cell::All => Some(Extent::All),
        Cell::Own => Some(Extent::Own),
        Cell::Granted | Cell::Publishers | Cell::Approvers | Cell::None => None,
    }
}

/// What the matrix says of the caller's role.
pub(crate) fn cell(ctx: &OpContext, rule: &Rule) -> Cell {
    match rule.cells {
        Cells::Workspace(_) => ctx.role.map_or(Cell::None, |role| rule.of_role(role)),
        Cells::Tenant(_) => ctx.tenant_role.map_or(Cell::None, |role| rule.of_tenant_role(role)),
        Cells::Operator if ctx.is_operator => Cell::All,
        Cells::Person if ctx.user_id.is_some() || ctx.principal.is_some() => Cell::All,
        Cells::Operator | Cells::Person => Cell::None,
    }
}

/// The refusal of who lacks the role, or the grant.
pub(crate) fn role_required(ctx: &OpContext, action: &str) -> Error {
    let rule = rbac::find(action);
    let named = |role: Option<&'static str>| {
        role.map_or_else(|| "no role here".to_owned(), |role| format!("the role `{role}`"))
    };
    let (role, whom) = match rule.map(|rule| rule.cells) {
        Some(Cells::Tenant(_)) => (named(ctx.tenant_role.map(TenantRole::as_str)), "an owner of the tenant"),
        Some(Cells::Operator) => (named(ctx.role.map(Role::as_str)), "who runs the deployment"),
        _ => (named(ctx.role.map(Role::as_str)), "an owner of the workspace"),
    };
    let has_it = |role: &Role| rule.is_some_and(|rule| rule.of_role(*role) == Cell::All);
    let roles = Role::ALL.iter().copied().filter(has_it).collect();
    Error::new(Code::RoleRequired, format!("`{action}` is not allowed with {role}, ask {whom}"))
        .with_permission(PermissionRefusal { action: action.to_owned(), roles })
}
