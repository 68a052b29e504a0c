//! Reading who acts besides people, groups of members, and what is granted to whom.

use async_trait::async_trait;
use types::access::GrantSubject;
use types::id::ServicePrincipalId;

use super::StoreError;
use crate::context::Scope;
use crate::record::{Grant, Group, GroupMember, ServicePrincipal};

/// Reads principals, groups and grants. Writing goes through the ledger.
#[async_trait]
pub trait Subjects: Send + Sync {
    /// The workspace's service principals, newest first, those included that may not act.
    async fn list_principals(&self, scope: Scope) -> Result<Vec<ServicePrincipal>, StoreError>;
    /// One of them.
    async fn find_principal(
        &self,
        scope: Scope,
        id: ServicePrincipalId,
    ) -> Result<Option<ServicePrincipal>, StoreError>;
    /// The workspace's groups that were not deleted, by name, each with everybody who is or was in it, by their id.
    async fn list_groups(&self, scope: Scope) -> Result<Vec<(Group, Vec<GroupMember>)>, StoreError>;
    /// The workspace's grants, newest first: not those that were revoked or whose group was deleted.
    async fn list_grants(&self, scope: Scope) -> Result<Vec<Grant>, StoreError>;
    /// What reaches somebody in any workspace, oldest first: what is granted to a member themselves and to the groups they are
    /// in, to a group, or to a service principal.
    async fn list_granted(&self, to: GrantSubject) -> Result<Vec<Grant>, StoreError>;
}
