//! Whose a key is: its issuer's, or a service principal's and so its owner's.

use types::id::ServicePrincipalId;
use types::problem::Code;

use crate::context::OpContext;
use crate::error::{Error, Result};
use crate::identity::Identity;
use crate::identity::member::check_may_set;
use crate::policy::guard::{Owner, authorize};
use crate::record::{ApiKey, ServicePrincipal};

/// Who gives a principal's key a secret: who issues keys for it, or the principal itself.
pub(super) const ISSUE: &str = "service_principal.issue_key";

/// Whose a key is, with the workspace's principals at hand. Of one that is gone the key is nobody's but its issuer's principal.
pub(super) fn owner(key: &ApiKey, principals: &[ServicePrincipal]) -> Owner {
    let principal = principals.iter().find(|principal| key.principal_id == Some(principal.id));
    Owner { user_id: principal.map_or(key.created_by, |principal| principal.owner_id), principal_id: key.principal_id }
}

impl Identity {
    /// Whose a key is.
    pub(super) async fn owner_of(&self, ctx: &OpContext, key: &ApiKey) -> Result<Owner> {
        let Some(id) = key.principal_id else { return Ok(Owner::from(key.created_by)) };
        let principal = self.ports.subjects.find_principal(ctx.scope, id).await?.ok_or_else(Error::not_found)?;
        Ok(owner(key, &[principal]))
    }

    /// The principal a new key is for.
    pub(super) async fn subject_of(
        &self,
        ctx: &OpContext,
        named: Option<ServicePrincipalId>,
    ) -> Result<Option<ServicePrincipal>> {
        // What a principal makes is its own: never a person's, whose role may be above its own.
        let Some(id) = named.or(ctx.principal.map(|principal| principal.id)) else { return Ok(None) };
        let unknown = || Error::invalid("principal_id", "names no service principal of the workspace");
        let found = self.ports.subjects.find_principal(ctx.scope, id).await?;
        if named.is_none() {
            return found.map(Some).ok_or_else(Error::not_found);
        }
        let principal = found.ok_or_else(unknown)?;
        if principal.status != types::access::PrincipalStatus::Active {
            return Err(Error::new(Code::InvalidTransition, "the service principal may not act, switch it on first")
                .with_field("principal_id", "names one that may not act"));
        }
        Ok(Some(principal))
    }
}

/// A person's key acts with the person's own role: a session that was lowered to a weaker one makes none, and gives none a
/// new secret.
pub(super) fn check_not_lowered(ctx: &OpContext, is_principals: bool) -> Result<()> {
    match ctx.view_as {
        Some(role) if !is_principals => {
            let detail = format!("a key would act with your own role, not as `{role}`: stop viewing as `{role}` first");
            Err(Error::new(Code::RoleRequired, detail))
        }
        _ => Ok(()),
    }
}

/// Whether the caller may give a key of this principal a secret. The principal itself may, as for any key of its own.
pub(super) fn check_may_issue(ctx: &OpContext, principal: &ServicePrincipal) -> Result<()> {
    if ctx.principal.is_some_and(|own| own.id == principal.id) {
        return Ok(());
    }
    authorize(ctx, ISSUE)?;
    check_may_set(ctx, ISSUE, None, Some(principal.role))
}
