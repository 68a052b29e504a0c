//! Which budgets bind a call, what they hold and book, and what they say when they refuse.

use chrono::{DateTime, Utc};
use types::budget::{Budget, BudgetStatus, ScopeKind};
use types::id::{ApiKeyId, UserId};
use types::money::{Amount, Currency};
use types::problem::{BudgetRefusal, Code};

use crate::ledger::{Counter, CounterKey, HoldLine, SettleLine, period_end};
use crate::{Error, OpContext};

/// What of a call budgets look at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Payer {
    /// The key used.
    pub api_key_id: Option<ApiKeyId>,
    /// The person answered for.
    pub user_id: Option<UserId>,
    /// Admission: decides the period, also when the call ends in the next one.
    pub admitted_at: DateTime<Utc>,
}

impl Payer {
    /// Who pays for the work of a context.
    pub fn of(ctx: &OpContext) -> Self {
        Self { api_key_id: ctx.api_key_id(), user_id: ctx.answerable(), admitted_at: ctx.now }
    }
}

/// Budgets that count the payer's calls, in the order that decides which one is named: workspace, user, key. Disabled ones
/// count too, though they refuse nothing: so they are right when they bind again (see `crate::budget`).
pub fn binding<'a>(budgets: &'a [Budget], payer: &Payer) -> Vec<&'a Budget> {
    let mut bound: Vec<&Budget> = budgets.iter().filter(|budget| binds(budget, payer)).collect();
    bound.sort_by_key(|budget| match budget.scope_kind {
        ScopeKind::Workspace => 0,
        ScopeKind::User => 1,
        ScopeKind::ApiKey => 2,
    });
    bound
}

/// Whether the budget may refuse a call.
pub fn is_hard(budget: &Budget) -> bool {
    budget.hard_stop && budget.status == BudgetStatus::Active
}

fn binds(budget: &Budget, payer: &Payer) -> bool {
    let names = |id: Option<String>| id.is_some() && budget.scope_id == id;
    match budget.scope_kind {
        ScopeKind::Workspace => true,
        ScopeKind::ApiKey => names(payer.api_key_id.map(|id| id.to_string())),
        ScopeKind::User => names(payer.user_id.map(|id| id.to_string())),
    }
}

/// What a worst case holds on each budget of its currency.
pub fn hold_lines(budgets: &[&Budget], payer: &Payer, currency: Currency, worst: Amount) -> Vec<HoldLine> {
    let in_currency = budgets.iter().filter(|budget| budget.currency == currency);
    let line = |budget: &&Budget| HoldLine {
        key: counter(budget, payer),
        amount: worst.nanos(),
        limit: is_hard(budget).then_some(budget.amount.nanos()),
    };
    in_currency.map(line).collect()
}

/// What a cost books: on each budget of its currency, and on the month of the key that was used.
pub fn settle_lines(budgets: &[&Budget], payer: &Payer, currency: Currency, cost: Amount) -> Vec<SettleLine> {
    let in_currency = budgets.iter().filter(|budget| budget.currency == currency).map(|budget| counter(budget, payer));
    let month = payer.api_key_id.map(|id| CounterKey::key_spend(id, currency, payer.admitted_at));
    in_currency.chain(month).map(|key| SettleLine { key, amount: cost.nanos() }).collect()
}

fn counter(budget: &Budget, payer: &Payer) -> CounterKey {
    CounterKey::budget(budget.id, budget.period, payer.admitted_at)
}

/// The refusal of the budget whose counter did not fit, if the counter is a budget's.
pub fn refusal(budgets: &[&Budget], payer: &Payer, key: &CounterKey, counter: Counter, needed: i64) -> Option<Error> {
    let budget = budgets.iter().find(|budget| self::counter(budget, payer) == *key)?;
    let amount = budget.amount.nanos();
    let reason = if needed > amount {
        "too_large"
    } else if (Counter { held: 0, ..counter }).fits(needed, amount) {
        "held"
    } else {
        "spent"
    };
    let resets_at = period_end(budget.period, payer.admitted_at);
    let detail = format!("the budget `{}` does not cover what this call could cost at worst", budget.name);
    let error = Error::new(Code::BudgetExhausted, detail).with_reason(reason).with_budget(BudgetRefusal {
        id: budget.id,
        name: budget.name.to_string(),
        scope_kind: budget.scope_kind,
        scope_id: budget.scope_id.clone(),
        period: budget.period,
        amount: budget.amount,
        spent: Amount::from_nanos(counter.value),
        held: Amount::from_nanos(counter.held),
        needed: Amount::from_nanos(needed),
        currency: budget.currency,
        resets_at,
        reason: reason.to_owned(),
    });
    Some(if reason == "held" { error.with_retry_after(1) } else { error })
}
