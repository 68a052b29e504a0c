//! Changing a principal: its name, owner and role, and whether it may act. Its keys act with it at once, or not at all.

use serde_json::json;
use types::access::{self, PrincipalStatus, UpdateServicePrincipal};
use types::id::ServicePrincipalId;
use types::problem::Code;

use super::rules::{check_name, check_owner, check_role, facts, find, name_key, status, view};
use crate::check::normal_name;
use crate::context::OpContext;
use crate::error::{Error, Result};
use crate::identity::Identity;
use crate::identity::member::{Change, Reading, Seen, check_may_set};
use crate::ledger::Audit;
use crate::port::Roster;
use crate::record::{Row, ServicePrincipal};

const DISABLE: &str = "service_principal.disable";
const UPDATE: &str = "service_principal.update";

impl Identity {
    /// Changes a principal that is still at `version`. An orphaned one acts again once it has an owner who may.
    pub async fn update_principal(
        &self,
        ctx: &OpContext,
        id: ServicePrincipalId,
        version: Option<u64>,
        command: &UpdateServicePrincipal,
    ) -> Result<access::ServicePrincipal> {
        let action = if command.status == Some(PrincipalStatus::Disabled) { DISABLE } else { UPDATE };
        let update = |ctx: &OpContext, seen: &Seen| {
            let present = find(seen, id)?;
            let wish = changed(present, &seen.roster, command)?;
            let (before, after) = (facts(present), facts(&wish));
            if !ctx.must_change(version, present.version, &before, &after)? || before == after {
                return Ok(Change::to(view(present, &seen.roster)));
            }
            check_may_set(ctx, action, Some(present.role), Some(wish.role))?;
            check_name(seen, &wish)?;
            let is_end = wish.status == PrincipalStatus::Disabled && present.status != wish.status;
            let event = if is_end { "principal.disabled" } else { "principal.updated" };
            let audit = Audit::done(ctx, &*self.ports.ids, event, action, ("service_principal", id))
                .with_payload(json!({ "before": before, "after": after }));
            Ok(Change::to(view(&wish, &seen.roster)).row(Row::ServicePrincipal(wish)).with([audit.into()]))
        };
        self.change_roster(ctx, action, Reading::Subjects, update).await
    }

    /// Switches a principal off: once this is answered, nothing starts with its keys. To do so again changes nothing.
    pub async fn disable_principal(&self, ctx: &OpContext, id: ServicePrincipalId) -> Result<access::ServicePrincipal> {
        let disable = |ctx: &OpContext, seen: &Seen| {
            let present = find(seen, id)?;
            if present.status == PrincipalStatus::Disabled {
                return Ok(Change::to(view(present, &seen.roster)));
            }
            let wish =
                ServicePrincipal { status: PrincipalStatus::Disabled, version: present.version + 1, ..present.clone() };
            let audit = Audit::done(ctx, &*self.ports.ids, "principal.disabled", DISABLE, ("service_principal", id))
                .with_payload(json!({ "before": facts(present), "after": facts(&wish) }));
            Ok(Change::to(view(&wish, &seen.roster)).row(Row::ServicePrincipal(wish)).with([audit.into()]))
        };
        self.change_roster(ctx, DISABLE, Reading::Subjects, disable).await
    }
}

/// The principal after a command.
fn changed(present: &ServicePrincipal, roster: &Roster, command: &UpdateServicePrincipal) -> Result<ServicePrincipal> {
    let mut wish = ServicePrincipal { version: present.version + 1, ..present.clone() };
    if let Some(name) = &command.name {
        wish.name = normal_name(name)?;
        wish.name_key = name_key(&wish.name);
    }
    if let Some(role) = command.role {
        check_role(role)?;
        wish.role = role;
    }
    if let Some(owner) = command.owner_user_id.filter(|owner| *owner != present.owner_id || present.is_orphan()) {
        check_owner(roster, owner)?;
        wish.owner_id = owner;
        if status(present, roster) == PrincipalStatus::Orphaned {
            wish.status = PrincipalStatus::Active;
        }
    }
    match command.status {
        None => {}
        Some(PrincipalStatus::Disabled) => wish.status = PrincipalStatus::Disabled,
        Some(PrincipalStatus::Orphaned) => return Err(Error::invalid("status", "must be `active` or `disabled`")),
        Some(PrincipalStatus::Active) => {
            if present.is_orphan() && wish.owner_id == present.owner_id && wish.status != PrincipalStatus::Active {
                let detail = "its owner went, name the member who answers for it now as `owner_user_id`";
                return Err(Error::new(Code::InvalidTransition, detail));
            }
            wish.status = PrincipalStatus::Active;
        }
    }
    Ok(wish)
}

impl ServicePrincipal {
    /// Whether its owner went. Who comes back does not answer for it again without being named.
    fn is_orphan(&self) -> bool {
        self.status == PrincipalStatus::Orphaned
    }
}
