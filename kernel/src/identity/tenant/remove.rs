//! Taking a place in a tenant away, with every place in its workspaces.

use serde_json::json;
use types::id::UserId;
use types::identity::{Role, TenantRole};

use super::rules::{check_may_set, still_owned};
use crate::context::OpContext;
use crate::error::{Error, Result};
use crate::identity::Identity;
use crate::identity::member::{self, Change};
use crate::policy::guard::authorize;
use crate::port::TenantRoster;
use crate::record::{Row, TenantMember};

impl Identity {
    /// Removes somebody from the tenant of the context. Once this is answered they have no place in any of its workspaces, and
    /// nothing starts with what they held there. The places in workspaces go first, each for itself, that in the tenant last: who asks
    /// again after a failure goes on where it stopped.
    pub async fn remove_tenant_member(&self, ctx: &OpContext, id: UserId) -> Result<()> {
        authorize(ctx, "tenant_member.remove")?;
        check_removal(ctx, &self.whole_tenant(ctx.scope.tenant_id).await?, id)?;
        let account = self.ports.directory.find_account(id).await?.ok_or_else(Error::not_found)?;
        let places = account.workspaces.iter().map(|(_, place)| place);
        let places: Vec<_> = places.filter(|place| place.scope.tenant_id == ctx.scope.tenant_id).collect();
        // Nothing is taken away where something cannot be.
        for place in places.iter().filter(|place| place.role == Role::Owner) {
            let roster = self.ports.people.roster(place.scope).await?.ok_or_else(Error::not_found)?;
            member::still_owned(&roster, id)?;
        }
        for place in places {
            self.remove_from_workspace(&OpContext { scope: place.scope, ..ctx.clone() }, id).await?;
        }
        let remove = |ctx: &OpContext, seen: &TenantRoster| {
            let present = check_removal(ctx, seen, id)?;
            let gone = TenantMember { removed_at: Some(ctx.now), version: present.version + 1, ..present.clone() };
            let audit = self.of_member(ctx, "tenant.member_removed", "tenant_member.remove", id);
            let audit = audit.with_payload(json!({ "before": { "role": present.role } }));
            Ok(Change::to(()).row(Row::TenantMember(gone)).with([audit.into()]))
        };
        self.change_tenant(ctx, "tenant_member.remove", remove).await
    }
}

/// The place that may be taken away.
fn check_removal<'a>(ctx: &OpContext, seen: &'a TenantRoster, id: UserId) -> Result<&'a TenantMember> {
    let (_, present) = seen.member(id).ok_or_else(Error::not_found)?;
    check_may_set(ctx, Some(present.role), None)?;
    if present.role == TenantRole::Owner {
        still_owned(seen, id)?;
    }
    Ok(present)
}
