//! Making a tenant for somebody.

use std::sync::Arc;

use serde_json::json;
use types::id::TenantId;
use types::identity::TenantRole;
use types::run::Capture;
use types::tenant::{self, CreateTenant};

use super::read::view;
use crate::check::normal_name;
use crate::context::{OpContext, Scope};
use crate::error::{Error, Result};
use crate::identity::commit::raise_epochs;
use crate::identity::{Email, Identity};
use crate::ledger::{Audit, Batch, Durability, Op};
use crate::policy::guard::authorize;
use crate::record::{Row, Tenant, TenantMember};

impl Identity {
    /// Makes a tenant that somebody with an account owns. It has no workspace yet: its owner makes them.
    pub async fn create_tenant(&self, ctx: &OpContext, command: &CreateTenant) -> Result<tenant::Tenant> {
        authorize(ctx, "tenant.create")?;
        let (email, name) = (Email::parse(&command.owner_email, "owner_email")?, normal_name(&command.name)?);
        let id: TenantId = ctx.new_id(&*self.ports.ids, "tenant.create", command)?;
        if ctx.form_key.is_some()
            && let Some(made) = self.ports.directory.find_tenant(id).await?
        {
            return Ok(view(&made, None));
        }
        let account = self.ports.directory.find_account_by_email(email.key()).await?;
        let owner = account.filter(|account| account.user.status.may_act()).ok_or_else(|| {
            Error::invalid("owner_email", "is the address of no active account; make one with `soit admin create-user`")
        })?;
        let tenant = Tenant {
            id,
            name,
            slug: command.slug.clone(),
            active: true,
            content_capture: Capture::Full,
            deleted_at: None,
            version: 1,
        };
        let place = TenantMember {
            tenant_id: id,
            user_id: owner.user.id,
            role: TenantRole::Owner,
            removed_at: None,
            version: 1,
        };
        let after = json!({ "after": { "name": tenant.name, "slug": tenant.slug, "owner_id": owner.user.id } });
        let answer = view(&tenant, None);
        let audit = Audit::done(ctx, &*self.ports.ids, "tenant.created", "tenant.create", ("tenant", id));
        let rows = [Row::Tenant(tenant), Row::TenantMember(place)].map(|row| Op::RowPut(Arc::new(row)));
        let batch = Batch::opening(Scope::of_tenant(id), Durability::Power)
            .with(rows)
            .with([audit.with_payload(after).into(), Op::EpochRaise(id)])
            // Who owns it finds it at once.
            .with(raise_epochs(&owner));
        self.ports.ledger.commit(batch).await.map_err(Error::from)?;
        Ok(answer)
    }
}
