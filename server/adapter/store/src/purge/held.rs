//! What legal holds hold, as conditions of statements.

use entity::{legal_hold, legal_hold_run, run};
use kernel::context::Scope;
use sea_orm::sea_query::{Expr, ExprTrait, IntoColumnRef, Query, SimpleExpr};
use sea_orm::{ColumnTrait, Condition, EntityTrait, QueryFilter, QuerySelect, Select};

/// Of which run something is, of which caller, and from when.
struct Of {
    run_id: SimpleExpr,
    caller_id: Option<SimpleExpr>,
    at: SimpleExpr,
}

/// Whether a hold holds the row of `runs`.
pub(super) fn run_is_held(scope: Scope) -> SimpleExpr {
    let column = |column: run::Column| Expr::col((run::Entity, column));
    let of = Of {
        run_id: column(run::Column::Id),
        caller_id: Some(column(run::Column::CallerId)),
        at: column(run::Column::StartedAt),
    };
    matches(scope, of)
}

/// Whether a hold holds a row that belongs to a run: by that run, as long as it is there, or by what the row says itself.
pub(super) fn part_is_held(
    scope: Scope,
    run_id: impl IntoColumnRef + Copy,
    caller_id: Option<SimpleExpr>,
    at: impl IntoColumnRef,
) -> SimpleExpr {
    let of_run = Query::select()
        .expr(Expr::val(1))
        .from(run::Entity)
        .cond_where(
            Condition::all()
                .add(Expr::col((run::Entity, run::Column::Id)).eq(Expr::col(run_id)))
                .add(run_is_held(scope)),
        )
        .to_owned();
    let by_itself = matches(scope, Of { run_id: Expr::col(run_id), caller_id, at: Expr::col(at) });
    Expr::exists(of_run).or(by_itself)
}

/// The callers that holds of any workspace name.
pub(crate) fn callers_held() -> Select<legal_hold::Entity> {
    legal_hold::Entity::find()
        .select_only()
        .column(legal_hold::Column::CallerId)
        .filter(legal_hold::Column::ReleasedAt.is_null())
        .filter(legal_hold::Column::CallerId.is_not_null())
}

fn matches(scope: Scope, Of { run_id, caller_id, at }: Of) -> SimpleExpr {
    use legal_hold::Column as C;
    let hold = |column: C| Expr::col((legal_hold::Entity, column));
    let named = Query::select()
        .expr(Expr::val(1))
        .from(legal_hold_run::Entity)
        .cond_where(
            Condition::all()
                .add(
                    Expr::col((legal_hold_run::Entity, legal_hold_run::Column::HoldId))
                        .equals((legal_hold::Entity, C::Id)),
                )
                .add(Expr::col((legal_hold_run::Entity, legal_hold_run::Column::RunId)).eq(run_id)),
        )
        .to_owned();
    let of_anybody = hold(C::CallerId).is_null();
    let of_caller = match caller_id {
        Some(caller_id) => of_anybody.or(hold(C::CallerId).eq(caller_id)),
        None => of_anybody,
    };
    let holding = Query::select()
        .expr(Expr::val(1))
        .from(legal_hold::Entity)
        .cond_where(
            Condition::all()
                .add(hold(C::WorkspaceId).eq(scope.workspace_id.as_uuid()))
                .add(hold(C::TenantId).eq(scope.tenant_id.as_uuid()))
                .add(hold(C::ReleasedAt).is_null())
                .add(hold(C::ByRuns).eq(false).or(Expr::exists(named)))
                .add(of_caller)
                .add(hold(C::StartsFrom).is_null().or(hold(C::StartsFrom).lte(at.clone())))
                .add(hold(C::StartsBefore).is_null().or(hold(C::StartsBefore).gt(at))),
        )
        .to_owned();
    Expr::exists(holding)
}
