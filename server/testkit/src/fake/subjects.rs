//! Reading principals, groups and grants.

use async_trait::async_trait;
use kernel::context::Scope;
use kernel::port::{StoreError, Subjects};
use kernel::record::{Grant, Group, GroupMember, Row, ServicePrincipal};
use types::access::GrantSubject;
use types::id::{GroupId, ServicePrincipalId};

use super::store::{FakeStore, Rows, rows};

#[async_trait]
impl Subjects for FakeStore {
    async fn list_principals(&self, scope: Scope) -> Result<Vec<ServicePrincipal>, StoreError> {
        let rows = self.rows();
        let own = rows!(rows, ServicePrincipal).filter(|principal| principal.scope == scope);
        let mut principals: Vec<ServicePrincipal> = own.cloned().collect();
        principals.sort_by_key(|principal| std::cmp::Reverse((principal.created_at, principal.id)));
        Ok(principals)
    }

    async fn find_principal(
        &self,
        scope: Scope,
        id: ServicePrincipalId,
    ) -> Result<Option<ServicePrincipal>, StoreError> {
        let rows = self.rows();
        let found = rows!(rows, ServicePrincipal).find(|principal| (principal.scope, principal.id) == (scope, id));
        Ok(found.cloned())
    }

    async fn list_groups(&self, scope: Scope) -> Result<Vec<(Group, Vec<GroupMember>)>, StoreError> {
        let rows = self.rows();
        let own = rows!(rows, Group).filter(|group| group.scope == scope && group.deleted_at.is_none());
        let whole = |group: &Group| {
            let places = rows!(rows, GroupMember).filter(|place| (place.scope, place.group_id) == (scope, group.id));
            let mut places: Vec<GroupMember> = places.cloned().collect();
            places.sort_by_key(|place| place.user_id);
            (group.clone(), places)
        };
        let mut groups: Vec<_> = own.map(whole).collect();
        groups.sort_by(|(one, _), (other, _)| one.name_key.cmp(&other.name_key));
        Ok(groups)
    }

    async fn list_grants(&self, scope: Scope) -> Result<Vec<Grant>, StoreError> {
        let rows = self.rows();
        let own = rows!(rows, Grant).filter(|grant| grant.scope == scope && rows.is_living(grant));
        let mut grants: Vec<Grant> = own.cloned().collect();
        grants.sort_by_key(|grant| std::cmp::Reverse((grant.created_at, grant.id)));
        Ok(grants)
    }

    async fn list_granted(&self, to: GrantSubject) -> Result<Vec<Grant>, StoreError> {
        let rows = self.rows();
        let groups: Vec<GroupId> = match to {
            GrantSubject::User(id) => {
                let places = rows!(rows, GroupMember).filter(|place| place.user_id == id && place.removed_at.is_none());
                places.map(|place| place.group_id).collect()
            }
            GrantSubject::Group(_) | GrantSubject::Principal(_) => Vec::new(),
        };
        let reaches = |grant: &&Grant| {
            grant.subject == to || matches!(grant.subject, GrantSubject::Group(id) if groups.contains(&id))
        };
        let mut grants: Vec<Grant> =
            rows!(rows, Grant).filter(reaches).filter(|grant| rows.is_living(grant)).cloned().collect();
        grants.sort_by_key(|grant| grant.id);
        Ok(grants)
    }
}

impl Rows {
    fn is_living(&self, grant: &Grant) -> bool {
        let is_gone = |id: GroupId| rows!(self, Group).any(|group| group.id == id && group.deleted_at.is_some());
        grant.revoked_at.is_none() && !matches!(grant.subject, GrantSubject::Group(id) if is_gone(id))
    }
}
