//! English.

use super::Budgets;

pub(crate) const EN: Budgets = Budgets {
    alerts_only: "Alerts only",
    amount: "Amount",
    at_limit: "At the limit",
    count: |count| match count {
        1 => "1 budget".to_owned(),
        count => format!("{count} budgets"),
    },
    create: "Create budget",
    currency: "Currency",
    currency_hint: "Calls priced in another currency are not bound.",
    delete_question: |name| format!("Delete {name}?"),
    delete_text: "It stops binding at once. What was counted stays in the ledger.",
    empty: "No budgets yet",
    empty_text: "A budget counts what calls cost. With a hard stop, no call gets past it, however many run at once.",
    hard_stop: "Hard stop",
    hard_stop_hint: "Refuses calls that could pass the limit. Off: only alerts.",
    held: |amount| format!("{amount} held by running calls"),
    new: "New budget",
    of: |amount| format!("of {amount}"),
    period: "Period",
    period_hint: "In UTC. A call belongs to the period it started in.",
    refuses: "Refuses calls",
    resets: "Resets",
    scope: "Binds",
    scope_key: |name| format!("Key {name}"),
    spent: "Spent",
    state_unknown: "Its state could not be read",
    tab: "Budgets",
    thresholds: "Alert at",
    thresholds_hint: "Whole percents, such as 50, 80, 100.",
};
