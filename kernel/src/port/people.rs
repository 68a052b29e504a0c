//! Reading who belongs to a workspace, and who is asked to.

use async_trait::async_trait;
use types::id::UserId;
use types::identity::TenantRole;

use super::StoreError;
use crate::context::Scope;
use crate::record::{Digest, Invitation, Tenant, User, Workspace, WorkspaceMember};

/// Everybody of a workspace at one moment: rows and epoch are read by one statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Roster {
    /// The tenant.
    pub tenant: Tenant,
    /// Its epoch at that moment.
    pub auth_epoch: u64,
    /// The workspace.
    pub workspace: Workspace,
    /// Everybody who has a seat or had one, by their id.
    pub seats: Vec<Seat>,
}

/// A person's place in a workspace, present or former.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seat {
    /// The person.
    pub user: User,
    /// Their place.
    pub member: WorkspaceMember,
    /// Their role in the tenant.
    pub tenant_role: TenantRole,
}

impl Roster {
    /// The seat of a person who belongs.
    pub fn member(&self, id: UserId) -> Option<&Seat> {
        self.members().find(|seat| seat.user.id == id)
    }

    /// Everybody who belongs.
    pub fn members(&self) -> impl Iterator<Item = &Seat> {
        self.seats.iter().filter(|seat| seat.member.removed_at.is_none())
    }
}

/// Reads who belongs where. Writing goes through the ledger.
#[async_trait]
pub trait People: Send + Sync {
    /// Everybody of a workspace; none if there is no such workspace.
    async fn roster(&self, scope: Scope) -> Result<Option<Roster>, StoreError>;
    /// The workspace's invitations, newest first, those included that wait no more.
    async fn list_invitations(&self, scope: Scope) -> Result<Vec<Invitation>, StoreError>;
    /// The invitation whose token has this digest, one that waits no more included.
    async fn find_invitation(&self, digest: Digest) -> Result<Option<Invitation>, StoreError>;
}
