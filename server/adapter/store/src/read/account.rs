//! A person with everything their power follows from, found by a key, a session, an address or an id.
//!
//! One statement each: credential, person, memberships and epochs are of one moment. A change of access rules is
//! either in none of it or in all of it, so nothing stale is kept under a fresh epoch.

use std::collections::BTreeMap;

use entity::{api_key, api_key_secret, session, tenant, tenant_member, user, workspace, workspace_member};
use kernel::port::{Account, KeyLookup, SessionLookup};
use kernel::record::Digest;
use sea_orm::sea_query::{JoinType, Query, SelectStatement, SimpleExpr};
use sea_orm::{ColumnTrait, ConnectionTrait, DbErr, QueryResult};

use super::joined::{both, columns, join, on, read};
use crate::row::{self, count};

/// What an account is found by.
enum By {
    /// A condition on the key's secret.
    Key(SimpleExpr),
    /// A condition on the session.
    Session(SimpleExpr),
    /// A condition on the person.
    User(SimpleExpr),
}

pub(super) async fn find_key<C: ConnectionTrait>(db: &C, digest: Digest) -> Result<Option<KeyLookup>, DbErr> {
    let rows = db.query_all(&statement(By::Key(api_key_secret::Column::Digest.eq(digest.0.to_vec())))).await?;
    let Some(first) = rows.first() else { return Ok(None) };
    let key = row::api_key::record(read::<api_key::Entity>(first)?)?;
    let secret = row::api_key_secret::record(&read::<api_key_secret::Entity>(first)?)?;
    Ok(Some(KeyLookup { key, secret, account: account(first, &rows)? }))
}

pub(super) async fn find_session<C: ConnectionTrait>(
    db: &C,
    condition: SimpleExpr,
) -> Result<Option<SessionLookup>, DbErr> {
    let rows = db.query_all(&statement(By::Session(condition))).await?;
    let Some(first) = rows.first() else { return Ok(None) };
    let session = row::session::record(read::<session::Entity>(first)?)?;
    Ok(Some(SessionLookup { session, account: account(first, &rows)? }))
}

pub(super) async fn find_user<C: ConnectionTrait>(db: &C, condition: SimpleExpr) -> Result<Option<Account>, DbErr> {
    let rows = db.query_all(&statement(By::User(condition))).await?;
    rows.first().map(|first| account(first, &rows)).transpose()
}

/// One row a membership; the person stands on each.
fn account(first: &QueryResult, rows: &[QueryResult]) -> Result<Account, DbErr> {
    let user = row::user::record(read::<user::Entity>(first)?)?;
    let (mut tenants, mut workspaces) = (BTreeMap::new(), BTreeMap::new());
    for row in rows {
        if let Some((tenant, member)) = both::<tenant::Entity, tenant_member::Entity>(row)? {
            let (epoch, role) = (count(tenant.auth_epoch), row::member::in_tenant(&member)?.role);
            tenants.insert(tenant.id, (row::tenant::record(tenant)?, role, epoch));
        }
        if let Some((workspace, member)) = both::<workspace::Entity, workspace_member::Entity>(row)? {
            let member = row::member::in_workspace(&member)?;
            workspaces.insert(workspace.id, (row::workspace::record(workspace)?, member));
        }
    }
    Ok(Account { user, tenants: tenants.into_values().collect(), workspaces: workspaces.into_values().collect() })
}

fn statement(by: By) -> SelectStatement {
    let mut select = Query::select();
    columns::<user::Entity>(&mut select);
    columns::<tenant_member::Entity>(&mut select);
    columns::<tenant::Entity>(&mut select);
    columns::<workspace_member::Entity>(&mut select);
    columns::<workspace::Entity>(&mut select);
    let condition = match by {
        By::Key(condition) => {
            columns::<api_key::Entity>(&mut select);
            columns::<api_key_secret::Entity>(&mut select);
            select.from(api_key_secret::Entity);
            join(&mut select, api_key::Entity, api_key::Column::Id, api_key_secret::Column::KeyId);
            join(&mut select, user::Entity, user::Column::Id, api_key::Column::CreatedBy);
            condition
        }
        By::Session(condition) => {
            columns::<session::Entity>(&mut select);
            select.from(session::Entity);
            join(&mut select, user::Entity, user::Column::Id, session::Column::UserId);
            condition
        }
        By::User(condition) => {
            select.from(user::Entity);
            condition
        }
    };
    // Who left has no place, but is somebody still: the condition is one of the join.
    let member = on(tenant_member::Column::UserId, user::Column::Id).add(tenant_member::Column::RemovedAt.is_null());
    select.join(JoinType::LeftJoin, tenant_member::Entity, member);
    select.join(JoinType::LeftJoin, tenant::Entity, on(tenant::Column::Id, tenant_member::Column::TenantId));
    let member = on(workspace_member::Column::UserId, user::Column::Id)
        .add(on(workspace_member::Column::TenantId, tenant_member::Column::TenantId))
        .add(workspace_member::Column::RemovedAt.is_null());
    select.join(JoinType::LeftJoin, workspace_member::Entity, member);
    select.join(
        JoinType::LeftJoin,
        workspace::Entity,
        on(workspace::Column::Id, workspace_member::Column::WorkspaceId),
    );
    select.and_where(condition);
    select
}
