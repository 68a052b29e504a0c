//! Where a budget stands in its present period.

use chrono::{DateTime, Utc};
use types::budget::{Budget, BudgetState, Percent};
use types::money::Amount;

use crate::ledger::{Counter, CounterKey, period_end, period_start};

/// The counter of the period that holds `at`.
pub(super) fn counter_key(budget: &Budget, at: DateTime<Utc>) -> CounterKey {
    CounterKey::budget(budget.id, budget.period, at)
}

/// The state, from its counter.
pub(super) fn state(budget: &Budget, counter: Counter, at: DateTime<Utc>) -> BudgetState {
    let used = i128::from(counter.value) + i128::from(counter.held);
    let amount = i128::from(budget.amount.nanos());
    BudgetState {
        budget_id: budget.id,
        currency: budget.currency,
        amount: budget.amount,
        spent: Amount::from_nanos(counter.value),
        held: Amount::from_nanos(counter.held),
        remaining: Amount::from_nanos(clamped(amount - used)),
        percent: Percent { hundredths: clamped((used * 10_000).div_euclid(amount.max(1))) },
        period_start: period_start(budget.period, at).unwrap_or(budget.created_at),
        resets_at: period_end(budget.period, at),
    }
}

fn clamped(value: i128) -> i64 {
    i64::try_from(value).unwrap_or(if value < 0 { i64::MIN } else { i64::MAX })
}

#[cfg(test)]
mod tests {
    use types::budget::{BudgetStatus, Period, ScopeKind};
    use types::id::{BudgetId, Uuid};
    use types::money::Currency;

    use super::*;

    fn budget(period: Period, amount: i64) -> Budget {
        Budget {
            id: BudgetId::from_uuid(Uuid::nil()),
            name: "all".parse().expect("a name"),
            status: BudgetStatus::Active,
            scope_kind: ScopeKind::Workspace,
            scope_id: None,
            period,
            currency: Currency::USD,
            amount: Amount::from_nanos(amount),
            hard_stop: false,
            thresholds: Vec::new(),
            version: 1,
            created_at: "2026-01-05T00:00:00Z".parse().expect("a time"),
        }
    }

    #[test]
    fn percent_is_rounded_down_and_held_money_counts() {
        let at = "2026-03-01T12:00:00Z".parse().expect("a time");
        let standing = state(&budget(Period::Day, 3), Counter { value: 1, held: 1 }, at);
        assert_eq!((standing.percent.hundredths, standing.remaining.nanos()), (6666, 1));
        assert_eq!(standing.resets_at, Some("2026-03-02T00:00:00Z".parse().expect("a time")));
    }

    #[test]
    fn a_soft_budget_may_be_overdrawn_and_extremes_do_not_wrap() {
        let at = "2026-03-01T12:00:00Z".parse().expect("a time");
        let over = state(&budget(Period::Total, 2), Counter { value: 5, held: 0 }, at);
        assert_eq!((over.remaining.nanos(), over.percent.hundredths), (-3, 25_000));
        assert_eq!((over.period_start, over.resets_at), (budget(Period::Total, 2).created_at, None));
        let most = state(&budget(Period::Day, 1), Counter { value: i64::MAX, held: i64::MAX }, at);
        assert_eq!((most.percent.hundredths, most.remaining.nanos()), (i64::MAX, i64::MIN));
    }
}
