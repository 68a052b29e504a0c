//! `budgets`

use entity::budget::{ActiveModel, Model};
use kernel::context::Scope;
use sea_orm::ActiveValue::Set;
use types::budget::Budget;
use types::id::BudgetId;
use types::money::Amount;

use super::{Corrupt, count, document, number, text, word};

pub(crate) fn active(scope: Scope, budget: &Budget, archived: bool) -> Result<ActiveModel, Corrupt> {
    Ok(ActiveModel {
        id: Set(budget.id.as_uuid()),
        tenant_id: Set(scope.tenant_id.as_uuid()),
        workspace_id: Set(scope.workspace_id.as_uuid()),
        name: Set(budget.name.to_string()),
        status: Set(budget.status.to_string()),
        scope_kind: Set(budget.scope_kind.to_string()),
        scope_id: Set(budget.scope_id.clone()),
        period: Set(budget.period.to_string()),
        currency: Set(budget.currency.to_string()),
        amount: Set(budget.amount.nanos()),
        hard_stop: Set(budget.hard_stop),
        thresholds: Set(text(&budget.thresholds, "budgets.thresholds")?),
        archived: Set(archived),
        version: Set(number(budget.version)),
        created_at: Set(budget.created_at),
    })
}

pub(crate) fn record(row: Model) -> Result<Budget, Corrupt> {
    Ok(Budget {
        id: BudgetId::from_uuid(row.id),
        name: word(&row.name, "budgets.name")?,
        status: word(&row.status, "budgets.status")?,
        scope_kind: word(&row.scope_kind, "budgets.scope_kind")?,
        scope_id: row.scope_id,
        period: word(&row.period, "budgets.period")?,
        currency: word(&row.currency, "budgets.currency")?,
        amount: Amount::from_nanos(row.amount),
        hard_stop: row.hard_stop,
        thresholds: document(&row.thresholds, "budgets.thresholds")?,
        version: count(row.version),
        created_at: row.created_at,
    })
}
