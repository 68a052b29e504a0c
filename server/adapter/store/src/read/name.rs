//! Names behind ids: of people, keys and service principals by one statement.

use entity::{api_key, service_principal, tenant_member, user};
use kernel::context::Scope;
use kernel::port::{Named, NamedIds};
use sea_orm::sea_query::{Expr, Func, JoinType, Query, SelectStatement, UnionType};
use sea_orm::{ColumnTrait, ConnectionTrait, DbErr, QueryResult};
use types::id::{ApiKeyId, ServicePrincipalId, UserId, Uuid};
use types::name::Name;

use super::joined::{join, on};
use crate::row::word;

const USER: i32 = 1;
const KEY: i32 = 2;
const PRINCIPAL: i32 = 3;

pub(super) async fn names<C: ConnectionTrait>(db: &C, scope: Scope, ids: &NamedIds) -> Result<Vec<Named>, DbErr> {
    let mut select = users(scope, ids);
    select.union(UnionType::All, keys(scope, ids)).union(UnionType::All, principals(scope, ids));
    db.query_all(&select).await?.into_iter().map(read).collect()
}

/// Kind, id, name, and whoever owns it with their name: of a person, themselves.
fn read(row: QueryResult) -> Result<Named, DbErr> {
    let name = |index, column| -> Result<Name, DbErr> {
        let text: String = row.try_get_by_index(index)?;
        Ok(word(&text, column)?)
    };
    let (id, owner_id): (Uuid, Uuid) = (row.try_get_by_index(1)?, row.try_get_by_index(3)?);
    Ok(match row.try_get_by_index(0)? {
        KEY => Named::Key {
            id: ApiKeyId::from_uuid(id),
            name: name(2, "api_keys.name")?,
            owner_id: UserId::from_uuid(owner_id),
        },
        PRINCIPAL => Named::Principal {
            id: ServicePrincipalId::from_uuid(id),
            name: name(2, "service_principals.name")?,
            owner: name(4, "users.name")?,
        },
        _ => Named::User(UserId::from_uuid(id), name(2, "users.name")?),
    })
}

fn users(scope: Scope, ids: &NamedIds) -> SelectStatement {
    use user::{Column, Entity};
    let mut select = of_kind(USER);
    select
        .column(Column::Id.as_column_ref())
        .column(Column::Name.as_column_ref())
        .column(Column::Id.as_column_ref())
        .column(Column::Name.as_column_ref())
        .from(Entity)
        .and_where(Column::Id.is_in(ids.users.iter().map(|id| id.as_uuid())))
        .and_where(tenant_member::Column::TenantId.eq(scope.tenant_id.as_uuid()));
    join(&mut select, tenant_member::Entity, Column::Id, tenant_member::Column::UserId);
    select
}

fn keys(scope: Scope, ids: &NamedIds) -> SelectStatement {
    use api_key::{Column, Entity};
    let of_principal = on(Column::PrincipalId, service_principal::Column::Id);
    let owners = [service_principal::Column::OwnerId.as_column_ref(), Column::CreatedBy.as_column_ref()].map(Expr::col);
    let mut select = of_kind(KEY);
    select
        .column(Column::Id.as_column_ref())
        .column(Column::Name.as_column_ref())
        .expr(Func::coalesce(owners))
        .column(Column::Name.as_column_ref())
        .from(Entity)
        .join(JoinType::LeftJoin, service_principal::Entity, of_principal)
        .and_where(Column::TenantId.eq(scope.tenant_id.as_uuid()))
        .and_where(Column::WorkspaceId.eq(scope.workspace_id.as_uuid()));
    if !ids.every_key {
        select.and_where(Column::Id.is_in(ids.keys.iter().map(|id| id.as_uuid())));
    }
    select
}

fn principals(scope: Scope, ids: &NamedIds) -> SelectStatement {
    use service_principal::{Column, Entity};
    let mut select = of_kind(PRINCIPAL);
    select
        .column(Column::Id.as_column_ref())
        .column(Column::Name.as_column_ref())
        .column(Column::OwnerId.as_column_ref())
        .column(user::Column::Name.as_column_ref())
        .from(Entity)
        .and_where(Column::Id.is_in(ids.principals.iter().map(|id| id.as_uuid())))
        .and_where(Column::TenantId.eq(scope.tenant_id.as_uuid()))
        .and_where(Column::WorkspaceId.eq(scope.workspace_id.as_uuid()));
    join(&mut select, user::Entity, Column::OwnerId, user::Column::Id);
    select
}

fn of_kind(kind: i32) -> SelectStatement {
    let mut select = Query::select();
    select.expr(Expr::cust(kind.to_string()));
    select
}
