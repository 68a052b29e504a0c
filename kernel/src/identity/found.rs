//! A tenant and a workspace of somebody's own.

use types::id::TenantId;
use types::identity::{Role, TenantRole, UnpricedPolicy};
use types::name::{Name, Slug};
use types::run::Capture;

use super::Identity;
use crate::context::Scope;
use crate::error::{Error, Result};
use crate::record::{Row, Tenant, TenantMember, User, Workspace, WorkspaceMember};

/// Name of the workspace, in its tenant.
const WORKSPACE: &str = "main";

/// What is founded.
pub(super) struct Founding {
    /// Where it is.
    pub(super) scope: Scope,
    /// Its rows, but for the person's own.
    pub(super) rows: [Row; 4],
}

impl Identity {
    /// A tenant and a workspace that belong to somebody.
    pub(super) fn founding(&self, owner: &User) -> Result<Founding> {
        let ids = &*self.ports.ids;
        let scope = Scope { tenant_id: ids.tenant(), workspace_id: ids.workspace() };
        let tenant = Tenant {
            id: scope.tenant_id,
            name: owner.name.clone(),
            slug: own_slug(scope.tenant_id)?,
            active: true,
            content_capture: Capture::Full,
            deleted_at: None,
            version: 1,
        };
        let workspace = Workspace {
            id: scope.workspace_id,
            tenant_id: scope.tenant_id,
            name: named::<Name>(WORKSPACE)?,
            slug: named::<Slug>(WORKSPACE)?,
            archived: false,
            unpriced_call_policy: UnpricedPolicy::RefuseWhenBudgeted,
            content_capture: Capture::Full,
            require_mfa_from: None,
            version: 1,
        };
        let (user_id, joined_at) = (owner.id, self.ports.clock.now());
        let place =
            TenantMember { tenant_id: scope.tenant_id, user_id, role: TenantRole::Owner, removed_at: None, version: 1 };
        let member = WorkspaceMember { scope, user_id, role: Role::Owner, joined_at, removed_at: None, version: 1 };
        let rows =
            [Row::Tenant(tenant), Row::Workspace(workspace), Row::TenantMember(place), Row::WorkspaceMember(member)];
        Ok(Founding { scope, rows })
    }
}

/// A short name of a tenant's own, that tells nothing: its id is as unique.
pub(super) fn own_slug(id: TenantId) -> Result<Slug> {
    named(&format!("t-{:032x}", id.as_uuid().as_u128()))
}

fn named<T: std::str::FromStr<Err: std::fmt::Display>>(text: &str) -> Result<T> {
    text.parse().map_err(|error: T::Err| Error::invalid("name", error.to_string()))
}
