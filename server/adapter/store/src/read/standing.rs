//! How a workspace stands now: counted by the database, over few rows.

use entity::{api_key, budget, provider, run};
use kernel::context::Scope;
use kernel::port::Standing;
use sea_orm::sea_query::{Expr, ExprTrait, Query, SimpleExpr};
use sea_orm::{ColumnTrait, ConnectionTrait, DbErr, EntityTrait, QueryFilter, QuerySelect, QueryTrait};
use types::observe::Setup;

use crate::row::count;

pub(super) async fn standing<C: ConnectionTrait>(db: &C, scope: Scope) -> Result<Standing, DbErr> {
    Ok(Standing { active: active(db, scope).await?, setup: setup(db, scope).await? })
}

async fn active<C: ConnectionTrait>(db: &C, scope: Scope) -> Result<u64, DbErr> {
    let runs: Option<i64> = run::Entity::find()
        .select_only()
        .expr(Expr::cust("COUNT(*)"))
        .filter(run::Column::TenantId.eq(scope.tenant_id.as_uuid()))
        .filter(run::Column::WorkspaceId.eq(scope.workspace_id.as_uuid()))
        .filter(run::Column::EndedAt.is_null())
        .filter(run::Column::Sandbox.eq(false))
        .into_tuple()
        .one(db)
        .await?;
    Ok(runs.map(count).unwrap_or_default())
}

async fn setup<C: ConnectionTrait>(db: &C, scope: Scope) -> Result<Setup, DbErr> {
    let id = scope.workspace_id.as_uuid();
    let steps = [
        any::<provider::Entity>(provider::Column::WorkspaceId.eq(id).and(provider::Column::Archived.eq(false))),
        any::<api_key::Entity>(api_key::Column::WorkspaceId.eq(id)),
        any::<run::Entity>(run::Column::WorkspaceId.eq(id)),
        any::<budget::Entity>(budget::Column::WorkspaceId.eq(id).and(budget::Column::Archived.eq(false))),
    ];
    let row = db.query_one(&Query::select().exprs(steps).take()).await?;
    let done = |index| row.as_ref().map_or(Ok(false), |row| row.try_get_by_index(index));
    Ok(Setup { provider: done(0)?, key: done(1)?, run: done(2)?, budget: done(3)? })
}

/// Whether a table has a row like this.
fn any<E: EntityTrait>(like: SimpleExpr) -> SimpleExpr {
    Expr::exists(E::find().select_only().expr(Expr::val(1)).filter(like).into_query())
}
