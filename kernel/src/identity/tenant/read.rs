//! Reading tenants.

use types::id::TenantId;
use types::identity::TenantRole;
use types::page::Page;
use types::problem::Code;
use types::tenant::{self, TenantQuery, TenantStatus};

use crate::check::Checks;
use crate::context::OpContext;
use crate::error::{Error, Result};
use crate::identity::Identity;
use crate::policy::guard::authorize;
use crate::record::Tenant;

/// Rows of a page where none are asked for.
const DEFAULT: u32 = 50;

impl Identity {
    /// The tenants one belongs to; with `all`, for who runs the instance, every one there is.
    pub async fn list_tenants(&self, ctx: &OpContext, query: &TenantQuery) -> Result<Page<tenant::Tenant>> {
        authorize(ctx, if query.all { "tenant.list" } else { "me.list_tenants" })?;
        if query.all {
            let (after, limit) = keyset(query.limit, query.cursor.as_deref())?;
            let tenants = self.ports.tenants.list_tenants(after, limit.saturating_add(1)).await?;
            let views = tenants.iter().map(|tenant| view(tenant, None)).collect();
            return Ok(paged(views, limit, |tenant: &tenant::Tenant| tenant.id.to_string()));
        }
        let (after, limit) = keyset::<TenantId>(query.limit, query.cursor.as_deref())?;
        let found = self.resolved_of(ctx).await?;
        let is_reached =
            |id: TenantId| ctx.principal.is_none() && ctx.api_key().is_none_or(|key| key.scope.tenant_id == id);
        let own = found.account.tenants.iter().filter(|(tenant, ..)| is_reached(tenant.id));
        let mut views: Vec<_> = own.map(|(tenant, role, _)| view(tenant, Some(*role))).collect();
        views.sort_by_key(|tenant| tenant.id);
        views.retain(|tenant| after.is_none_or(|after| tenant.id > after));
        Ok(paged(views, limit, |tenant: &tenant::Tenant| tenant.id.to_string()))
    }

    /// The tenant of the context.
    pub async fn find_tenant(&self, ctx: &OpContext) -> Result<tenant::Tenant> {
        authorize(ctx, "tenant.read")?;
        let tenant = self.ports.directory.find_tenant(ctx.scope.tenant_id).await?.ok_or_else(Error::not_found)?;
        Ok(view(&tenant, ctx.tenant_role))
    }
}

/// Where a page begins and how long it is.
pub(in crate::identity) fn keyset<Id: std::str::FromStr>(
    limit: Option<u32>,
    cursor: Option<&str>,
) -> Result<(Option<Id>, u32)> {
    let mut checks = Checks::default();
    checks.within(limit, 1, 200, "limit");
    checks.done()?;
    let after = cursor.map(str::parse).transpose().map_err(|_| {
        Error::new(Code::InvalidCursor, "the cursor was altered or belongs to another list; start without one")
    })?;
    Ok((after, limit.unwrap_or(DEFAULT)))
}

/// A page of what was read: one more than fits tells that there is a next one.
pub(in crate::identity) fn paged<T>(mut items: Vec<T>, limit: u32, id: impl Fn(&T) -> String) -> Page<T> {
    let more = items.len() > limit as usize;
    items.truncate(limit as usize);
    let next_cursor = items.last().filter(|_| more).map(id);
    Page { items, next_cursor }
}

/// A tenant as the outside sees it.
pub(in crate::identity) fn view(tenant: &Tenant, role: Option<TenantRole>) -> tenant::Tenant {
    tenant::Tenant {
        id: tenant.id,
        slug: tenant.slug.clone(),
        name: tenant.name.clone(),
        status: if tenant.active { TenantStatus::Active } else { TenantStatus::Suspended },
        role,
        version: tenant.version,
    }
}
