//! What a principal may be, purely.

use serde_json::{Value, json};
use types::access::{self, PrincipalStatus};
use types::id::{ServicePrincipalId, UserId};
use types::identity::{Role, UserStatus};
use types::problem::Code;

use crate::error::{Error, Result};
use crate::identity::authenticate::lower;
use crate::identity::member::Seen;
use crate::port::Roster;
use crate::record::ServicePrincipal;
use crate::view;

/// Most principals of a workspace.
pub(super) const MOST_PRINCIPALS: usize = 1_000;

/// One of the workspace's.
pub(super) fn find(seen: &Seen, id: ServicePrincipalId) -> Result<&ServicePrincipal> {
    seen.principals.iter().find(|principal| principal.id == id).ok_or_else(Error::not_found)
}

/// The owner's present role; none while they may not act here.
fn owners_role(roster: &Roster, owner: UserId) -> Option<Role> {
    let seat = roster.member(owner)?;
    (seat.user.status == UserStatus::Active).then_some(seat.member.role)
}

/// Whether it may act: an active one whose owner may not is orphaned, whatever its row says.
pub(super) fn status(principal: &ServicePrincipal, roster: &Roster) -> PrincipalStatus {
    match principal.status {
        PrincipalStatus::Active if owners_role(roster, principal.owner_id).is_none() => PrincipalStatus::Orphaned,
        status => status,
    }
}

/// Whether a principal may have this role.
pub(super) fn check_role(role: Role) -> Result<()> {
    match role {
        Role::Owner => Err(Error::invalid("role", "must be `admin`, `dev` or `viewer`, only people are owners")),
        Role::Admin | Role::Dev | Role::Viewer => Ok(()),
    }
}

/// Whether somebody can answer for a principal.
pub(super) fn check_owner(roster: &Roster, owner: UserId) -> Result<()> {
    match owners_role(roster, owner) {
        Some(_) => Ok(()),
        None => Err(Error::invalid("owner_user_id", "must be a member of the workspace who may act")),
    }
}

/// Whether no other principal has the name.
pub(super) fn check_name(seen: &Seen, principal: &ServicePrincipal) -> Result<()> {
    let mut others = seen.principals.iter().filter(|other| other.id != principal.id);
    if others.all(|other| other.name_key != principal.name_key) {
        return Ok(());
    }
    Err(Error::new(
        Code::AlreadyExists,
        "there is a service principal of this name, letters of any case being the same",
    )
    .with_field("name", "is taken, choose another"))
}

/// A name as it is compared.
pub(super) fn name_key(name: &types::name::Name) -> String {
    view::key(name)
}

/// All that can be changed.
pub(super) fn facts(principal: &ServicePrincipal) -> Value {
    json!({
        "name": principal.name, "owner_user_id": principal.owner_id, "role": principal.role,
        "status": principal.status,
    })
}

/// A principal as the outside sees it.
pub(super) fn view(principal: &ServicePrincipal, roster: &Roster) -> access::ServicePrincipal {
    let status = status(principal, roster);
    let owners = owners_role(roster, principal.owner_id).filter(|_| status == PrincipalStatus::Active);
    access::ServicePrincipal {
        id: principal.id,
        name: principal.name.clone(),
        owner_user_id: principal.owner_id,
        owner: roster.seats.iter().find(|seat| seat.user.id == principal.owner_id).map(|seat| seat.user.name.clone()),
        role: principal.role,
        effective_role: owners.map(|owners| lower(principal.role, owners)),
        status,
        created_by: principal.created_by,
        created_at: principal.created_at,
        version: principal.version,
    }
}
