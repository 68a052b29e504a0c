//! Who acts besides people, groups of members, and what is granted to whom.

use std::collections::BTreeMap;

use async_trait::async_trait;
use entity::{resource_grant, service_principal, workspace_group, workspace_group_member};
use kernel::context::Scope;
use kernel::port::{StoreError, Subjects};
use kernel::record::{Grant, Group, GroupMember, ServicePrincipal};
use sea_orm::sea_query::{Query, SelectStatement};
use sea_orm::{ColumnTrait, Condition, DbErr, EntityTrait, QueryFilter, QueryOrder};
use types::access::GrantSubject;
use types::id::{ServicePrincipalId, UserId};

use crate::error::reading;
use crate::row;
use crate::store::Store;

#[async_trait]
impl Subjects for Store {
    async fn list_principals(&self, scope: Scope) -> Result<Vec<ServicePrincipal>, StoreError> {
        self.principals(scope).await.map_err(reading)
    }

    async fn find_principal(
        &self,
        scope: Scope,
        id: ServicePrincipalId,
    ) -> Result<Option<ServicePrincipal>, StoreError> {
        self.principal(scope, id).await.map_err(reading)
    }

    async fn list_groups(&self, scope: Scope) -> Result<Vec<(Group, Vec<GroupMember>)>, StoreError> {
        self.groups(scope).await.map_err(reading)
    }

    async fn list_grants(&self, scope: Scope) -> Result<Vec<Grant>, StoreError> {
        self.grants(scope).await.map_err(reading)
    }

    async fn list_granted(&self, to: GrantSubject) -> Result<Vec<Grant>, StoreError> {
        self.granted(to).await.map_err(reading)
    }
}

impl Store {
    async fn principals(&self, scope: Scope) -> Result<Vec<ServicePrincipal>, DbErr> {
        let rows = service_principal::Entity::find()
            .filter(service_principal::Column::TenantId.eq(scope.tenant_id.as_uuid()))
            .filter(service_principal::Column::WorkspaceId.eq(scope.workspace_id.as_uuid()))
            .order_by_desc(service_principal::Column::CreatedAt)
            .order_by_desc(service_principal::Column::Id)
            .all(&self.database().reader())
            .await?;
        Ok(rows.into_iter().map(row::service_principal::record).collect::<Result<_, _>>()?)
    }

    async fn principal(&self, scope: Scope, id: ServicePrincipalId) -> Result<Option<ServicePrincipal>, DbErr> {
        let row = service_principal::Entity::find_by_id(id.as_uuid())
            .filter(service_principal::Column::TenantId.eq(scope.tenant_id.as_uuid()))
            .filter(service_principal::Column::WorkspaceId.eq(scope.workspace_id.as_uuid()))
            .one(&self.database().reader())
            .await?;
        Ok(row.map(row::service_principal::record).transpose()?)
    }

    async fn groups(&self, scope: Scope) -> Result<Vec<(Group, Vec<GroupMember>)>, DbErr> {
        let groups = workspace_group::Entity::find()
            .filter(workspace_group::Column::TenantId.eq(scope.tenant_id.as_uuid()))
            .filter(workspace_group::Column::WorkspaceId.eq(scope.workspace_id.as_uuid()))
            .filter(workspace_group::Column::DeletedAt.is_null())
            .order_by_asc(workspace_group::Column::NameKey)
            .all(&self.database().reader())
            .await?;
        let rows = workspace_group_member::Entity::find()
            .filter(workspace_group_member::Column::TenantId.eq(scope.tenant_id.as_uuid()))
            .filter(workspace_group_member::Column::WorkspaceId.eq(scope.workspace_id.as_uuid()))
            .order_by_asc(workspace_group_member::Column::UserId)
            .all(&self.database().reader())
            .await?;
        let mut members: BTreeMap<_, Vec<GroupMember>> = BTreeMap::new();
        for row in &rows {
            members.entry(row.group_id).or_default().push(row::group::member(row));
        }
        let whole = |group: workspace_group::Model| {
            let members = members.remove(&group.id).unwrap_or_default();
            Ok((row::group::record(group)?, members))
        };
        groups.into_iter().map(whole).collect()
    }

    async fn grants(&self, scope: Scope) -> Result<Vec<Grant>, DbErr> {
        let rows = resource_grant::Entity::find()
            .filter(resource_grant::Column::TenantId.eq(scope.tenant_id.as_uuid()))
            .filter(resource_grant::Column::WorkspaceId.eq(scope.workspace_id.as_uuid()))
            .filter(living())
            .order_by_desc(resource_grant::Column::CreatedAt)
            .order_by_desc(resource_grant::Column::Id)
            .all(&self.database().reader())
            .await?;
        Ok(rows.into_iter().map(row::grant::record).collect::<Result<_, _>>()?)
    }

    async fn granted(&self, to: GrantSubject) -> Result<Vec<Grant>, DbErr> {
        let reaching = match to {
            GrantSubject::Principal(id) => resource_grant::Column::PrincipalId.eq(id.as_uuid()).into(),
            GrantSubject::Group(id) => resource_grant::Column::GroupId.eq(id.as_uuid()).into(),
            GrantSubject::User(id) => Condition::any()
                .add(resource_grant::Column::UserId.eq(id.as_uuid()))
                .add(resource_grant::Column::GroupId.in_subquery(groups_of(id))),
        };
        let rows = resource_grant::Entity::find()
            .filter::<Condition>(reaching)
            .filter(living())
            .order_by_asc(resource_grant::Column::Id)
            .all(&self.database().reader())
            .await?;
        Ok(rows.into_iter().map(row::grant::record).collect::<Result<_, _>>()?)
    }
}

/// Not revoked, and not to a group that is gone.
fn living() -> Condition {
    let groups = Query::select()
        .column(workspace_group::Column::Id)
        .from(workspace_group::Entity)
        .and_where(workspace_group::Column::DeletedAt.is_null())
        .take();
    let group = Condition::any()
        .add(resource_grant::Column::GroupId.is_null())
        .add(resource_grant::Column::GroupId.in_subquery(groups));
    Condition::all().add(resource_grant::Column::RevokedAt.is_null()).add(group)
}

fn groups_of(id: UserId) -> SelectStatement {
    Query::select()
        .column(workspace_group_member::Column::GroupId)
        .from(workspace_group_member::Entity)
        .and_where(workspace_group_member::Column::UserId.eq(id.as_uuid()))
        .and_where(workspace_group_member::Column::RemovedAt.is_null())
        .take()
}
