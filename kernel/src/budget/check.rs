//! What makes a budget acceptable.

use std::collections::BTreeMap;

use types::budget::{Budget, ScopeKind};
use types::money::Amount;
use types::problem::Code;

use crate::check::Checks;
use crate::error::{Error, Result};

/// Most budgets of a workspace.
const MOST: usize = 200;
/// Most budgets that one call may move.
const MOST_ON_ONE_CALL: usize = 20;
/// Most thresholds of a budget.
const MOST_THRESHOLDS: usize = 10;

/// Notes an amount that is nothing.
pub(super) fn amount(amount: Amount, checks: &mut Checks) {
    checks.require(amount > Amount::ZERO, "amount", "must be above zero");
}

/// The thresholds, sorted and without repeats.
pub(super) fn thresholds(given: &[u16], checks: &mut Checks) -> Vec<u16> {
    checks.require(given.len() <= MOST_THRESHOLDS, "thresholds", format!("must have at most {MOST_THRESHOLDS}"));
    for (index, percent) in given.iter().enumerate() {
        checks.within(Some(*percent), 1, 1000, &format!("thresholds[{index}]"));
    }
    let mut kept = given.to_vec();
    kept.sort_unstable();
    kept.dedup();
    kept
}

/// Whether one more budget fits the workspace, and every call it could bind.
pub(super) fn room(present: &[Budget], kind: ScopeKind, scope_id: Option<&str>) -> Result<()> {
    if present.len() >= MOST {
        return Err(Error::new(
            Code::TooManyBudgets,
            format!("a workspace has at most {MOST} budgets, delete one first"),
        ));
    }
    // A call is bound by the workspace's budgets, one key's and one member's: at worst by the fullest of each.
    let mut counts: BTreeMap<(ScopeKind, Option<&str>), usize> = BTreeMap::from([((kind, scope_id), 1)]);
    for budget in present {
        *counts.entry((budget.scope_kind, budget.scope_id.as_deref())).or_default() += 1;
    }
    let fullest =
        |kind| counts.iter().filter(|((of, _), _)| *of == kind).map(|(_, count)| *count).max().unwrap_or_default();
    let worst: usize = ScopeKind::ALL.iter().map(|kind| fullest(*kind)).sum();
    if worst > MOST_ON_ONE_CALL {
        let detail = format!("one call could be bound by {worst} budgets, at most {MOST_ON_ONE_CALL} may bind one");
        return Err(Error::new(Code::TooManyBudgets, detail));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use chrono::DateTime;
    use types::budget::{BudgetStatus, Period};
    use types::id::{BudgetId, Uuid};
    use types::money::Currency;

    use super::*;

    fn budgets(kind: ScopeKind, scope_id: Option<&str>, count: usize) -> Vec<Budget> {
        let budget = Budget {
            id: BudgetId::from_uuid(Uuid::nil()),
            name: "all".parse().expect("a name"),
            status: BudgetStatus::Active,
            scope_kind: kind,
            scope_id: scope_id.map(str::to_owned),
            period: Period::Day,
            currency: Currency::USD,
            amount: Amount::from_nanos(1),
            hard_stop: true,
            thresholds: Vec::new(),
            version: 1,
            created_at: DateTime::UNIX_EPOCH,
        };
        vec![budget; count]
    }

    #[test]
    fn thresholds_are_whole_percents_in_order() {
        let kept = |given: &[u16]| {
            let mut checks = Checks::default();
            let kept = thresholds(given, &mut checks);
            checks.done().map(|()| kept).map_err(|error| error.field().map(str::to_owned).unwrap_or_default())
        };
        assert_eq!(kept(&[100, 50, 100, 1000, 1]), Ok(vec![1, 50, 100, 1000]));
        assert_eq!(kept(&[50, 0]), Err("thresholds[1]".to_owned()));
        assert_eq!(kept(&[1001]), Err("thresholds[0]".to_owned()));
        assert_eq!(kept(&[1; 11]), Err("thresholds".to_owned()));
    }

    #[test]
    fn no_call_is_bound_by_more_than_twenty_budgets() {
        let mut present = budgets(ScopeKind::Workspace, None, 10);
        present.extend(budgets(ScopeKind::ApiKey, Some("key_a"), 8));
        present.extend(budgets(ScopeKind::ApiKey, Some("key_b"), 3));
        present.extend(budgets(ScopeKind::User, Some("usr_a"), 1));
        assert!(room(&present, ScopeKind::ApiKey, Some("key_b")).is_ok());
        assert!(room(&present, ScopeKind::ApiKey, Some("key_a")).is_ok());
        present.extend(budgets(ScopeKind::ApiKey, Some("key_a"), 1));
        let refused = room(&present, ScopeKind::Workspace, None).expect_err("twenty-one");
        assert_eq!(refused.code(), Code::TooManyBudgets);
    }

    #[test]
    fn a_workspace_has_at_most_two_hundred() {
        let of = |index: usize| budgets(ScopeKind::ApiKey, Some(&format!("key_{index}")), 1);
        let mut present: Vec<Budget> = (0..199).flat_map(of).collect();
        assert!(room(&present, ScopeKind::ApiKey, Some("key_x")).is_ok());
        present.extend(of(199));
        assert!(room(&present, ScopeKind::ApiKey, Some("key_x")).is_err());
    }
}
