//! Counters, the holds on them, and the cost rows they should add up to.

use std::collections::HashMap;

use chrono::{DateTime, Utc};
use entity::{cost, counter, hold, run};
use kernel::context::Scope;
use kernel::ledger::{Counter, CounterKey, HoldLine, period_end, period_start};
use sea_orm::sea_query::Expr;
use sea_orm::{
    ColumnTrait, Condition, ConnectionTrait, DbErr, EntityTrait, QueryFilter, QueryOrder, QuerySelect, QueryTrait,
    Select,
};
use types::budget::{Budget, BudgetHold, ScopeKind};
use types::id::{ApiKeyId, HoldId, RunId, StepId, UserId};
use types::money::Amount;

use crate::row::{Corrupt, document, word};

/// Most holds of one answer.
const MOST_HOLDS: u64 = 200;

pub(super) async fn counters<C: ConnectionTrait>(
    db: &C,
    scope: Scope,
    keys: &[CounterKey],
) -> Result<Vec<Counter>, DbErr> {
    let rows = counter::Entity::find()
        .filter(counter::Column::TenantId.eq(scope.tenant_id.as_uuid()))
        .filter(counter::Column::Key.is_in(keys.iter().map(CounterKey::as_str)))
        .all(db)
        .await?;
    let found: HashMap<String, Counter> =
        rows.into_iter().map(|row| (row.key, Counter { value: row.value, held: row.held })).collect();
    Ok(keys.iter().map(|key| found.get(key.as_str()).copied().unwrap_or_default()).collect())
}

/// Both reads must see one moment: hand in a snapshot.
pub(super) async fn uncounted<C: ConnectionTrait>(
    db: &C,
    scope: Scope,
    budget: &Budget,
    at: DateTime<Utc>,
) -> Result<i64, DbErr> {
    let key = CounterKey::budget(budget.id, budget.period, at);
    let counted = counters(db, scope, &[key]).await?.first().map_or(0, |counter| counter.value);
    let sum: Option<Option<i64>> = matching_costs(scope, budget, at)?
        .select_only()
        .expr(Expr::cust("CAST(SUM(costs.amount) AS BIGINT)"))
        .into_tuple()
        .one(db)
        .await?;
    Ok(sum.flatten().unwrap_or_default().saturating_sub(counted))
}

/// Cost rows that count against the budget in the period that holds `at`.
fn matching_costs(scope: Scope, budget: &Budget, at: DateTime<Utc>) -> Result<Select<cost::Entity>, Corrupt> {
    let id = budget.scope_id.as_deref().unwrap_or_default();
    let binds = match budget.scope_kind {
        ScopeKind::Workspace => Condition::all(),
        ScopeKind::ApiKey => {
            let key = word::<ApiKeyId>(id, "budgets.scope_id")?;
            Condition::all().add(cost::Column::ApiKeyId.eq(key.as_uuid()))
        }
        ScopeKind::User => {
            let user = word::<UserId>(id, "budgets.scope_id")?;
            let runs = run::Entity::find()
                .select_only()
                .column(run::Column::Id)
                .filter(run::Column::WorkspaceId.eq(scope.workspace_id.as_uuid()))
                .filter(run::Column::UserId.eq(user.as_uuid()))
                .into_query();
            Condition::all().add(cost::Column::RunId.in_subquery(runs))
        }
    };
    Ok(cost::Entity::find()
        .filter(cost::Column::TenantId.eq(scope.tenant_id.as_uuid()))
        .filter(cost::Column::WorkspaceId.eq(scope.workspace_id.as_uuid()))
        .filter(cost::Column::Currency.eq(budget.currency.as_str()))
        .filter(binds)
        .apply_if(period_start(budget.period, at), |select, start| select.filter(cost::Column::OccurredAt.gte(start)))
        .apply_if(period_end(budget.period, at), |select, end| select.filter(cost::Column::OccurredAt.lt(end))))
}

pub(super) async fn open_holds<C: ConnectionTrait>(
    db: &C,
    scope: Scope,
    key: &CounterKey,
) -> Result<Vec<BudgetHold>, DbErr> {
    let rows = hold::Entity::find()
        .filter(hold::Column::TenantId.eq(scope.tenant_id.as_uuid()))
        .filter(hold::Column::WorkspaceId.eq(scope.workspace_id.as_uuid()))
        .filter(hold::Column::Open.eq(true))
        .filter(hold::Column::Lines.contains(key.as_str()))
        .order_by_asc(hold::Column::CreatedAt)
        .order_by_asc(hold::Column::Id)
        .limit(MOST_HOLDS)
        .all(db)
        .await?;
    let mut holds = Vec::with_capacity(rows.len());
    for row in rows {
        let lines: Vec<HoldLine> = document(&row.lines, "holds.lines")?;
        holds.extend(lines.into_iter().find(|line| line.key == *key).map(|line| BudgetHold {
            id: HoldId::from_uuid(row.id),
            run_id: RunId::from_uuid(row.run_id),
            step_id: StepId::from_uuid(row.step_id),
            amount: Amount::from_nanos(line.amount),
            placed_at: row.created_at,
        }));
    }
    Ok(holds)
}
