//! A person with everything their power follows from, found by a key, a session, an address or an id.
//!
//! One statement each: credential, person, memberships and epochs are of one moment. A change of access rules is
//! either in none of it or in all of it, so nothing stale is kept under a fresh epoch.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use entity::{
    api_key, api_key_secret, second_factor, service_principal, session, sso_connection, sso_session, tenant,
    tenant_member, user, workspace, workspace_member,
};
use kernel::port::{Account, KeyLookup, SessionLookup};
use kernel::record::Digest;
use sea_orm::sea_query::{Alias, Expr, ExprTrait, Func, JoinType, Query, SelectStatement, SimpleExpr};
use sea_orm::{ColumnTrait, ConnectionTrait, DbErr, EntityTrait, QueryFilter, QueryResult, QuerySelect};
use types::id::{SessionId, TenantId, Uuid};
use types::mfa::MfaLevel;

use super::joined::{both, columns, join, maybe, on, read};
use crate::row::{self, count};

/// Since when the person has a second factor; of the rest of its row no sign-in wants to know.
const ACTIVE_SINCE: &str = "second_factors.active_since";

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
    let principal = maybe::<service_principal::Entity>(first)?.map(row::service_principal::record).transpose()?;
    Ok(Some(KeyLookup { key, secret, principal, account: account(first, &rows)? }))
}

pub(super) async fn find_session<C: ConnectionTrait>(
    db: &C,
    condition: SimpleExpr,
) -> Result<Option<SessionLookup>, DbErr> {
    let rows = db.query_all(&statement(By::Session(condition))).await?;
    let Some(first) = rows.first() else { return Ok(None) };
    let session = row::session::record(read::<session::Entity>(first)?)?;
    let vouched_by = match session.mfa {
        MfaLevel::Sso => voucher(db, session.id).await?,
        MfaLevel::None | MfaLevel::Totp => None,
    };
    Ok(Some(SessionLookup { session, vouched_by, account: account(first, &rows)? }))
}

/// The tenant whose identity provider opened a session. Neither changes while it lives.
async fn voucher<C: ConnectionTrait>(db: &C, id: SessionId) -> Result<Option<TenantId>, DbErr> {
    use sso_connection::Column;
    let of_session = sso_connection::Entity::belongs_to(sso_session::Entity)
        .from(Column::Id)
        .to(sso_session::Column::ConnectionId)
        .into();
    let found: Option<Uuid> = sso_connection::Entity::find()
        .select_only()
        .column(Column::TenantId)
        .join(JoinType::InnerJoin, of_session)
        .filter(sso_session::Column::SessionId.eq(id.as_uuid()))
        .into_tuple()
        .one(db)
        .await?;
    Ok(found.map(TenantId::from_uuid))
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
    let active_since: Option<DateTime<Utc>> = first.try_get("", ACTIVE_SINCE)?;
    Ok(Account {
        user,
        tenants: tenants.into_values().collect(),
        workspaces: workspaces.into_values().collect(),
        second_factor: active_since.is_some(),
    })
}

fn statement(by: By) -> SelectStatement {
    let mut select = Query::select();
    columns::<user::Entity>(&mut select);
    columns::<tenant_member::Entity>(&mut select);
    columns::<tenant::Entity>(&mut select);
    columns::<workspace_member::Entity>(&mut select);
    columns::<workspace::Entity>(&mut select);
    select.expr_as(Expr::col(second_factor::Column::ActiveSince.as_column_ref()), Alias::new(ACTIVE_SINCE));
    let condition = match by {
        By::Key(condition) => {
            columns::<api_key::Entity>(&mut select);
            columns::<api_key_secret::Entity>(&mut select);
            select.from(api_key_secret::Entity);
            join(&mut select, api_key::Entity, api_key::Column::Id, api_key_secret::Column::KeyId);
            columns::<service_principal::Entity>(&mut select);
            let principal = on(service_principal::Column::Id, api_key::Column::PrincipalId);
            select.join(JoinType::LeftJoin, service_principal::Entity, principal);
            // Whose present power counts: the owner's of a service principal, else the issuer's.
            let person = Func::coalesce([
                Expr::col(service_principal::Column::OwnerId.as_column_ref()),
                Expr::col(api_key::Column::CreatedBy.as_column_ref()),
            ]);
            select.join(JoinType::InnerJoin, user::Entity, Expr::col(user::Column::Id.as_column_ref()).eq(person));
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
    select.join(JoinType::LeftJoin, second_factor::Entity, on(second_factor::Column::UserId, user::Column::Id));
    // Who left has no place, but is somebody still: the condition is one of the join.
    let member = on(tenant_member::Column::UserId, user::Column::Id).add(tenant_member::Column::RemovedAt.is_null());
    select.join(JoinType::LeftJoin, tenant_member::Entity, member);
    let there = on(tenant::Column::Id, tenant_member::Column::TenantId).add(tenant::Column::DeletedAt.is_null());
    select.join(JoinType::LeftJoin, tenant::Entity, there);
    let member = on(workspace_member::Column::UserId, user::Column::Id)
        .add(on(workspace_member::Column::TenantId, tenant::Column::Id))
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
