//! Reading who belongs to a workspace, and who is asked to.

use async_trait::async_trait;
use kernel::context::Scope;
use kernel::port::{People, Roster, Seat, StoreError};
use kernel::record::{Digest, Invitation, Row, WorkspaceMember};

use super::store::{FakeStore, Rows, rows};

#[async_trait]
impl People for FakeStore {
    async fn roster(&self, scope: Scope) -> Result<Option<Roster>, StoreError> {
        Ok(self.rows().roster(scope))
    }

    async fn list_invitations(&self, scope: Scope) -> Result<Vec<Invitation>, StoreError> {
        let rows = self.rows();
        let own = rows!(rows, Invitation).filter(|invitation| invitation.scope == scope);
        let mut invitations: Vec<Invitation> = own.cloned().collect();
        invitations.sort_by_key(|invitation| std::cmp::Reverse((invitation.created_at, invitation.id)));
        Ok(invitations)
    }

    async fn find_invitation(&self, digest: Digest) -> Result<Option<Invitation>, StoreError> {
        Ok(rows!(self.rows(), Invitation).find(|invitation| invitation.digest == digest).cloned())
    }
}

impl Rows {
    fn roster(&self, scope: Scope) -> Option<Roster> {
        let workspace = self.workspace(scope)?.clone();
        let tenant = rows!(self, Tenant).find(|tenant| tenant.id == scope.tenant_id)?.clone();
        let own = rows!(self, WorkspaceMember).filter(|member| member.scope == scope);
        let mut seats: Vec<Seat> = own.filter_map(|member| self.seat(member)).collect();
        seats.sort_by_key(|seat| seat.user.id);
        Some(Roster { auth_epoch: self.epoch(tenant.id), tenant, workspace, seats })
    }

    fn seat(&self, member: &WorkspaceMember) -> Option<Seat> {
        let user = rows!(self, User).find(|user| user.id == member.user_id)?.clone();
        let place = (member.scope.tenant_id, member.user_id);
        let of_tenant = rows!(self, TenantMember).find(|other| (other.tenant_id, other.user_id) == place)?;
        Some(Seat { user, member: member.clone(), tenant_role: of_tenant.role })
    }
}
