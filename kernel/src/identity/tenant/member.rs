//! Who belongs to a tenant: listed, brought back, given another role.

use serde_json::json;
use types::id::UserId;
use types::identity::TenantRole;
use types::problem::Code;
use types::run::Entry;
use types::tenant::{self, AddTenantMember, UpdateTenantMember};

use super::rules::{check_may_set, still_owned};
use crate::context::OpContext;
use crate::error::{Error, Result};
use crate::identity::commit::raise_epochs;
use crate::identity::member::Change;
use crate::identity::{Email, Identity};
use crate::ledger::Audit;
use crate::policy::guard::authorize;
use crate::port::TenantRoster;
use crate::record::{Row, TenantMember, User};

impl Identity {
    /// Everybody who belongs to the tenant of the context.
    pub async fn list_tenant_members(&self, ctx: &OpContext) -> Result<Vec<tenant::TenantMember>> {
        authorize(ctx, "tenant_member.list")?;
        let seen = self.whole_tenant(ctx.scope.tenant_id).await?;
        Ok(seen.members().map(|(user, member)| view(user, member)).collect())
    }

    /// One of them.
    pub async fn find_tenant_member(&self, ctx: &OpContext, id: UserId) -> Result<tenant::TenantMember> {
        authorize(ctx, "tenant_member.list")?;
        let seen = self.whole_tenant(ctx.scope.tenant_id).await?;
        seen.member(id).map(|(user, member)| view(user, member)).ok_or_else(Error::not_found)
    }

    /// Gives somebody who once belonged a place again. Of others nothing is told: they are not there, and are invited into a
    /// workspace, which asks them. Who runs the instance knows every account, and may give any a place.
    pub async fn add_tenant_member(&self, ctx: &OpContext, command: &AddTenantMember) -> Result<tenant::TenantMember> {
        let email = command.email.as_deref().map(|email| Email::parse(email, "email")).transpose()?;
        authorize(ctx, "tenant_member.add")?;
        let account = match (command.user_id, &email) {
            (Some(id), None) => self.ports.directory.find_account(id).await?,
            (None, Some(email)) => self.ports.directory.find_account_by_email(email.key()).await?,
            _ => return Err(Error::invalid("user_id", "name the person by `user_id` or by `email`")),
        };
        let account = account.ok_or_else(Error::not_found)?;
        let add = |ctx: &OpContext, seen: &TenantRoster| {
            check_may_set(ctx, None, Some(command.role))?;
            let user = &account.user;
            let former = seen.places.iter().find(|(known, _)| known.id == user.id).map(|(_, member)| member);
            if let Some(present) = former.filter(|member| member.removed_at.is_none()) {
                // The same form, sent twice.
                return match ctx.entry == Entry::Console && present.role == command.role {
                    true => Ok(Change::to(view(user, present))),
                    false => Err(Error::new(Code::AlreadyExists, "the person belongs to the tenant already")),
                };
            }
            if former.is_none() && !ctx.is_operator || !user.status.may_act() {
                return Err(Error::not_found());
            }
            let member = TenantMember {
                tenant_id: seen.tenant.id,
                user_id: user.id,
                role: command.role,
                removed_at: None,
                version: former.map_or(0, |former| former.version) + 1,
            };
            let audit = self.of_member(ctx, "tenant.member_added", "tenant_member.add", user.id);
            let audit = audit.with_payload(json!({ "after": { "role": command.role } }));
            let change = Change::to(view(user, &member)).row(Row::TenantMember(member));
            // What was known of them elsewhere is stale: they find the tenant at once.
            Ok(change.with([audit.into()]).with(raise_epochs(&account)))
        };
        self.change_tenant(ctx, "tenant_member.add", add).await
    }

    /// Gives somebody whose place is still at `version` another role.
    pub async fn update_tenant_member(
        &self,
        ctx: &OpContext,
        id: UserId,
        version: Option<u64>,
        command: &UpdateTenantMember,
    ) -> Result<tenant::TenantMember> {
        let role = command.role;
        let update = |ctx: &OpContext, seen: &TenantRoster| {
            let (user, present) = seen.member(id).ok_or_else(Error::not_found)?;
            let before = present.role;
            check_may_set(ctx, Some(before), Some(role))?;
            if !ctx.must_change(version, present.version, &json!(before), &json!(role))? || before == role {
                return Ok(Change::to(view(user, present)));
            }
            if before == TenantRole::Owner {
                still_owned(seen, id)?;
            }
            let member = TenantMember { role, version: present.version + 1, ..present.clone() };
            let audit = self.of_member(ctx, "tenant.member_role_changed", "tenant_member.change_role", id);
            let audit = audit.with_payload(json!({ "before": { "role": before }, "after": { "role": role } }));
            Ok(Change::to(view(user, &member)).row(Row::TenantMember(member)).with([audit.into()]))
        };
        self.change_tenant(ctx, "tenant_member.change_role", update).await
    }

    pub(super) fn of_member(&self, ctx: &OpContext, event: &str, action: &str, id: UserId) -> Audit {
        Audit::done(ctx, &*self.ports.ids, event, action, ("tenant_member", id))
    }
}

fn view(user: &User, member: &TenantMember) -> tenant::TenantMember {
    tenant::TenantMember {
        user_id: user.id,
        email: user.email.clone(),
        name: user.name.clone(),
        status: user.status,
        role: member.role,
        version: member.version,
    }
}
