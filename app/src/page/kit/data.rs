//! What the samples show: made up, and fixed, so that every visit looks the same.

use chrono::{DateTime, TimeDelta, Utc};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use types::cost::Cost;
use types::money::{Amount, Currency, Money};
use types::observe::Bucket;
use types::problem::{Code, FieldError, Problem};
use types::run::Step;

use crate::backend::budgets::BudgetView;

/// A text as long as any column fears, with letters from right to left in it.
pub(super) const LONG: &str = "قائمة الطلبات — a name that goes on and on, WithOneVeryLongWordThatNobodyWouldEverBreakByHand, and 中文 at its end";

/// The moment everything here is about.
pub(super) fn noon() -> DateTime<Utc> {
    DateTime::from_timestamp(1_769_601_600, 0).unwrap_or_default()
}

/// An id of a kind that ends in a number.
pub(super) fn id(prefix: &str, number: u32) -> String {
    format!("{prefix}_{number:026}")
}

pub(super) fn money(nanos: i64) -> Money {
    Money { currency: Currency::USD, amount: Amount::from_nanos(nanos) }
}

/// A form's refusal that names its field.
pub(super) fn refusal() -> Problem {
    let mut problem = Problem::new(Code::Invalid, "some fields need attention");
    problem.errors = vec![FieldError { field: "name".to_owned(), message: "must have 1 to 80 characters".to_owned() }];
    problem
}

/// A failure with a request to tell of.
pub(super) fn failure() -> Problem {
    let mut problem = Problem::new(Code::LedgerUnavailable, "the store cannot be reached");
    problem.retry_after = Some(1);
    problem.instance = Some(id("req", 1));
    problem
}

/// A value from its JSON; the test of the kit fails if a sample cannot be read.
fn read<T: DeserializeOwned>(value: Value) -> Option<T> {
    serde_json::from_value(value).ok()
}

/// A daily budget of ten dollars.
pub(super) fn budget(spent: &str, held: &str, percent_hundredths: i64) -> Option<BudgetView> {
    let id = id("bdg", 1);
    read(json!({
        "budget": {
            "id": id, "name": "Daily", "status": "active", "scope_kind": "workspace", "scope_id": null, "period": "day",
            "currency": "USD", "amount": "10", "hard_stop": true, "thresholds": [80], "version": 1, "created_at": noon(),
        },
        "state": {
            "budget_id": id, "currency": "USD", "amount": "10", "spent": spent, "held": held, "remaining": "0",
            "percent": types::budget::Percent { hundredths: percent_hundredths }, "period_start": noon(), "resets_at": noon() + TimeDelta::hours(4),
        },
        "scope_name": null,
    }))
}

/// A day of hours.
pub(super) fn buckets() -> Vec<Bucket> {
    (0_u32..24)
        .map(|hour| {
            let wave = u64::from(hour * hour % 17);
            Bucket {
                start: noon() + TimeDelta::hours(i64::from(hour)),
                succeeded: 12 + 5 * wave,
                failed: wave / 5,
                refused: wave / 7,
                active: if hour == 23 { 3 } else { 0 },
            }
        })
        .collect()
}

/// A step in each state, some under others.
pub(super) fn steps() -> Vec<Step> {
    let kinds = [
        ("agent_turn", "open", None),
        ("model_call", "succeeded", Some(1)),
        ("tool_call", "waiting_approval", Some(1)),
        ("tool_call", "failed", Some(3)),
        ("retrieval", "canceled", None),
        ("wait", "skipped", None),
        ("tool_call", "in_doubt", None),
    ];
    let step = |(number, (kind, status, parent)): (u32, (&str, &str, Option<u32>))| {
        let start = noon() + TimeDelta::milliseconds(i64::from(number) * 300);
        let closed = !matches!(status, "open" | "waiting_approval");
        read(json!({
            "id": id("stp", number), "run_id": id("run", 1), "seq": number, "parent_step_id": parent.map(|parent| id("stp", parent)),
            "call_id": null, "type": kind, "status": status, "attempt_no": if number == 4 { 2 } else { 1 }, "effect": "read",
            "decision": {}, "request_digest": null, "input": { "preview": null, "chars": 0 }, "output": { "preview": null, "chars": 0 },
            "metrics": { "model_ref": "model:test:echo" }, "error": null, "started_at": start, "outbound_at": null,
            "ended_at": closed.then(|| start + TimeDelta::milliseconds(700)), "latency_ms": closed.then_some(700), "ttft_ms": null,
        }))
    };
    (1..).zip(kinds).filter_map(step).collect()
}

/// What the second step cost.
pub(super) fn costs() -> Vec<Cost> {
    let cost = json!({
        "id": id("cst", 1), "run_id": id("run", 1), "step_id": id("stp", 2), "kind": "charge", "occurred_at": noon(), "source_ref": "step",
        "source_port": "llm", "operation": "chat", "provider": "test", "provider_id": null, "model_ref": "model:test:echo",
        "target_ref": "model:test:echo", "upstream_model": "echo", "upstream_id": null, "upstream_request_id": null, "api_key_id": null,
        "usage": { "input": 1200, "output": 340 }, "usage_basis": "tokenizer", "pricing_status": "estimated", "reason": null,
        "currency": "USD", "amount": "0.0124", "price_id": null, "snapshot": null,
    });
    read(cost).into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_sample_can_be_read() {
        assert!(budget("7.2", "0.6", 7800).is_some());
        assert_eq!((steps().len(), costs().len()), (7, 1));
    }
}
