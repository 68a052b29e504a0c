//! Reading accounts as a whole instance has them.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use kernel::context::Scope;
use kernel::port::{Accounts, StoreError};
use kernel::record::{Row, User};
use types::id::{TenantId, UserId};
use types::identity::TenantRole;
use types::name::Slug;

use super::store::{FakeStore, rows};

#[async_trait]
impl Accounts for FakeStore {
    async fn list_due_closures(&self, now: DateTime<Utc>, limit: u32) -> Result<Vec<UserId>, StoreError> {
        let rows = self.rows();
        let is_held = |user: &User| {
            let names = |id: &String| *id == user.id.to_string();
            rows!(rows, LegalHold).any(|hold| hold.released.is_none() && hold.caller_id.as_ref().is_some_and(names))
        };
        let due = rows!(rows, User).filter(|user| !is_held(user));
        let due = due.filter_map(|user| user.closes_at.filter(|at| *at <= now).map(|at| (at, user.id)));
        let mut due: Vec<_> = due.collect();
        due.sort();
        due.truncate(limit.try_into().unwrap_or(usize::MAX));
        Ok(due.into_iter().map(|(_, id)| id).collect())
    }

    async fn list_tenant_owners(&self, tenant_id: TenantId) -> Result<Vec<User>, StoreError> {
        let rows = self.rows();
        let owns = |user: &User| {
            rows!(rows, TenantMember).any(|member| {
                (member.tenant_id, member.user_id, member.role) == (tenant_id, user.id, TenantRole::Owner)
                    && member.removed_at.is_none()
            })
        };
        let mut owners: Vec<User> = rows!(rows, User).filter(|user| owns(user)).cloned().collect();
        owners.sort_by_key(|user| user.id);
        Ok(owners)
    }

    async fn find_scope(&self, tenant: &Slug, workspace: &Slug) -> Result<Option<Scope>, StoreError> {
        let rows = self.rows();
        let Some(tenant) = rows!(rows, Tenant).find(|row| row.slug == *tenant) else { return Ok(None) };
        let here = rows!(rows, Workspace).find(|row| row.tenant_id == tenant.id && row.slug == *workspace);
        Ok(here.map(|row| Scope { tenant_id: tenant.id, workspace_id: row.id }))
    }
}
