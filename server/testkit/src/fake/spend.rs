//! Counters, the holds on them, and the cost rows they should add up to.

use chrono::{DateTime, Utc};
use kernel::context::Scope;
use kernel::ledger::{CounterKey, period_end, period_start};
use types::budget::{Budget, BudgetHold, ScopeKind};
use types::cost::Cost;
use types::money::Amount;

use super::store::Rows;

impl Rows {
    pub(super) fn uncounted(&self, scope: Scope, budget: &Budget, at: DateTime<Utc>) -> i64 {
        let key = CounterKey::budget(budget.id, budget.period, at);
        let counted = self.state.counters.get(&(scope.tenant_id, key)).map_or(0, |counter| counter.value);
        let bound = self.costs.iter().filter(|(of, cost)| *of == scope && self.binds(budget, at, cost));
        bound.filter_map(|(_, cost)| cost.amount).map(Amount::nanos).sum::<i64>() - counted
    }

    fn binds(&self, budget: &Budget, at: DateTime<Utc>, cost: &Cost) -> bool {
        let user = self.runs.get(&cost.run_id).and_then(|stored| stored.run.user_id);
        let bound = match budget.scope_kind {
            ScopeKind::Workspace => true,
            ScopeKind::ApiKey => cost.api_key_id.map(|id| id.to_string()) == budget.scope_id,
            ScopeKind::User => user.map(|id| id.to_string()) == budget.scope_id,
        };
        bound
            && cost.currency == Some(budget.currency)
            && period_start(budget.period, at).is_none_or(|start| cost.occurred_at >= start)
            && period_end(budget.period, at).is_none_or(|end| cost.occurred_at < end)
    }

    pub(super) fn open_holds(&self, scope: Scope, key: &CounterKey) -> Vec<BudgetHold> {
        let open = self.holds.values().filter(|stored| {
            stored.scope == scope && self.state.holds.get(&stored.hold.id).is_some_and(|state| state.open)
        });
        let on_counter = open.filter_map(|stored| {
            let line = stored.hold.lines.iter().find(|line| line.key == *key)?;
            Some(BudgetHold {
                id: stored.hold.id,
                run_id: stored.hold.run_id,
                step_id: stored.hold.step_id,
                amount: Amount::from_nanos(line.amount),
                placed_at: stored.placed_at,
            })
        });
        let mut holds: Vec<BudgetHold> = on_counter.collect();
        holds.sort_by_key(|hold| (hold.placed_at, hold.id));
        holds.truncate(200);
        holds
    }
}
