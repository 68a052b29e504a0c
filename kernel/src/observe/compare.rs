//! Two runs side by side: which steps belong together, and in what they differ.

use std::collections::BTreeMap;

use futures::future::try_join;
use serde_json::Value;
use similar::{Algorithm, DiffOp, capture_diff_slices};
use types::compare::{ComparedStep, Comparison, Delta, StepChange};
use types::cost::Cost;
use types::id::RunId;
use types::money::{Amount, Currency, Money};
use types::run::{Run, Step, StepType, Usage};

use super::Observe;
use super::difference::Differ;
use crate::context::OpContext;
use crate::error::Result;
use crate::policy::guard;

impl Observe {
    /// Two runs, step by step.
    pub async fn compare_runs(&self, ctx: &OpContext, a: RunId, b: RunId) -> Result<Comparison> {
        guard::authorize(ctx, "run.compare")?;
        let (a, b) = try_join(self.find_whole_run(ctx, a), self.find_whole_run(ctx, b)).await?;
        Ok(compare(a, b))
    }
}

/// A run with its steps and cost rows.
type Whole = (Run, Vec<Step>, Vec<Cost>);

fn compare((a, a_steps, a_costs): Whole, (b, b_steps, b_costs): Whole) -> Comparison {
    let of = |costs: &[Cost], step: Option<&Step>| {
        step.map(|step| Spent::of(step, costs.iter().filter(|cost| cost.step_id == step.id)))
    };
    let mut differ = Differ::default();
    let row = |(left, right): (Option<&Step>, Option<&Step>)| {
        let delta = delta(of(&a_costs, left), of(&b_costs, right));
        compared(&mut differ, left.cloned(), right.cloned(), delta)
    };
    let steps = aligned(&a_steps, &b_steps).into_iter().map(row).collect();
    let delta = delta(Some(Spent::of_run(&a)), Some(Spent::of_run(&b)));
    Comparison { delta, a, b, steps }
}

/// The steps of both in order: those of one type and model, else of one type at the same place, side by side.
fn aligned<'a>(a: &'a [Step], b: &'a [Step]) -> Vec<(Option<&'a Step>, Option<&'a Step>)> {
    let keys = |steps: &'a [Step]| steps.iter().map(key).collect::<Vec<_>>();
    let mut rows = Vec::new();
    for op in capture_diff_slices(Algorithm::Myers, &keys(a), &keys(b)) {
        let (left, right) = (a.get(op.old_range()).unwrap_or_default(), b.get(op.new_range()).unwrap_or_default());
        match op {
            DiffOp::Equal { .. } => rows.extend(left.iter().map(Some).zip(right.iter().map(Some))),
            DiffOp::Delete { .. } | DiffOp::Insert { .. } | DiffOp::Replace { .. } => {
                rows.extend(by_place(left, right))
            }
        }
    }
    rows
}

/// Steps that have no twin: those of one type, in order.
fn by_place<'a>(a: &'a [Step], b: &'a [Step]) -> Vec<(Option<&'a Step>, Option<&'a Step>)> {
    let mut rows = Vec::new();
    let mut rest = b.iter();
    for left in a {
        let twin = rest.clone().position(|right| right.step_type == left.step_type);
        match twin {
            Some(before) => {
                rows.extend(rest.by_ref().take(before).map(|right| (None, Some(right))));
                rows.push((Some(left), rest.next()));
            }
            None => rows.push((Some(left), None)),
        }
    }
    rows.extend(rest.map(|right| (None, Some(right))));
    rows
}

fn key(step: &Step) -> (StepType, Option<&str>) {
    (step.step_type, subject(step))
}

/// What a step works with.
fn subject(step: &Step) -> Option<&str> {
    text_of(&step.metrics, "target_ref").or_else(|| text_of(&step.metrics, "model_ref"))
}

fn compared(differ: &mut Differ, a: Option<Step>, b: Option<Step>, delta: Delta) -> ComparedStep {
    let (changes, input, output) = match (&a, &b) {
        (Some(a), Some(b)) => (changes(a, b), differ.pieces(&a.input, &b.input), differ.pieces(&a.output, &b.output)),
        (Some(_), None) => (vec![StepChange::OnlyA], None, None),
        (None, _) => (vec![StepChange::OnlyB], None, None),
    };
    ComparedStep { a, b, changes, delta, input, output }
}

fn changes(a: &Step, b: &Step) -> Vec<StepChange> {
    let code = |step: &Step| step.error.as_ref().map(|error| error.code.clone());
    let digests = a.request_digest.as_ref().zip(b.request_digest.as_ref());
    let found = [
        (subject(a) != subject(b), StepChange::Subject),
        ((a.status, code(a)) != (b.status, code(b)), StepChange::Status),
        (verdicts(a) != verdicts(b), StepChange::Verdict),
        (a.input != b.input || digests.is_some_and(|(a, b)| a != b), StepChange::Input),
        (a.output != b.output, StepChange::Output),
    ];
    found.into_iter().filter(|(differs, _)| *differs).map(|(_, change)| change).collect()
}

/// What each gate said, without the rules it went by.
fn verdicts(step: &Step) -> Vec<(Option<&str>, Option<&str>)> {
    let gates = step.decision.get("gates").and_then(|gates| gates.as_array());
    gates.into_iter().flatten().map(|gate| (text_of(gate, "gate"), text_of(gate, "verdict"))).collect()
}

fn text_of<'a>(value: &'a Value, name: &str) -> Option<&'a str> {
    value.get(name).and_then(Value::as_str)
}

/// Time, tokens and money of a run or step.
struct Spent {
    duration_ms: Option<u64>,
    tokens: Option<u64>,
    cost: BTreeMap<Currency, Amount>,
    unpriced: u32,
}

impl Spent {
    fn of_run(run: &Run) -> Self {
        let cost = run.totals.cost.iter().map(|sum| (sum.currency, sum.amount)).collect();
        let tokens = Some(run.totals.usage.tokens());
        Self { duration_ms: run.duration_ms, tokens, cost, unpriced: run.totals.unpriced }
    }

    fn of<'a>(step: &Step, costs: impl Iterator<Item = &'a Cost>) -> Self {
        let (mut usage, mut spent) = (Usage::default(), BTreeMap::<Currency, Amount>::new());
        let (mut unpriced, mut metered) = (0, false);
        for cost in costs {
            metered = true;
            usage.add(&cost.usage);
            match cost.currency.zip(cost.amount) {
                Some((currency, amount)) => {
                    let sum = spent.entry(currency).or_insert(Amount::ZERO);
                    *sum = sum.checked_add(amount).unwrap_or(*sum);
                }
                None => unpriced += 1,
            }
        }
        Self { duration_ms: step.latency_ms, tokens: metered.then(|| usage.tokens()), cost: spent, unpriced }
    }
}

fn delta(a: Option<Spent>, b: Option<Spent>) -> Delta {
    let Some((a, b)) = a.zip(b) else { return Delta::default() };
    let less = |a: Option<u64>, b: Option<u64>| i64::try_from(i128::from(b?) - i128::from(a?)).ok();
    let mut currencies: Vec<Currency> = a.cost.keys().chain(b.cost.keys()).copied().collect();
    currencies.sort();
    currencies.dedup();
    let of = |cost: &BTreeMap<Currency, Amount>, currency: Currency| cost.get(&currency).map_or(0, |sum| sum.nanos());
    let difference = |currency: Currency| {
        let nanos = of(&b.cost, currency).checked_sub(of(&a.cost, currency))?;
        Some(Money { currency, amount: Amount::from_nanos(nanos) })
    };
    Delta {
        duration_ms: less(a.duration_ms, b.duration_ms),
        tokens: less(a.tokens, b.tokens),
        cost: currencies.into_iter().filter_map(difference).collect(),
        unpriced: i64::from(b.unpriced) - i64::from(a.unpriced),
    }
}

#[cfg(test)]
mod tests {
    use chrono::{DateTime, Utc};
    use serde_json::json;
    use types::id::{StepId, Uuid};
    use types::run::{Content, Effect, StepStatus};

    use super::*;

    fn step(number: u32, step_type: StepType, model: &str) -> Step {
        Step {
            id: StepId::from_uuid(Uuid::from_u128(u128::from(number))),
            run_id: RunId::from_uuid(Uuid::nil()),
            seq: number,
            parent_step_id: None,
            call_id: None,
            step_type,
            status: StepStatus::Succeeded,
            attempt_no: 1,
            effect: Effect::None,
            decision: json!({ "gates": [{ "gate": "budget", "verdict": "allow", "rule": "a" }] }),
            request_digest: None,
            input: Content::default(),
            output: Content::default(),
            metrics: json!({ "model_ref": model }),
            error: None,
            started_at: DateTime::<Utc>::UNIX_EPOCH,
            outbound_at: None,
            ended_at: None,
            latency_ms: Some(100),
            ttft_ms: None,
        }
    }

    /// `a1 b2` stands for the rows, `-` for no step.
    fn rows(a: &[(StepType, &str)], b: &[(StepType, &str)]) -> Vec<(Option<u32>, Option<u32>)> {
        let steps =
            |of: &[(StepType, &str)]| (1..).zip(of).map(|(seq, (kind, model))| step(seq, *kind, model)).collect();
        let (a, b): (Vec<Step>, Vec<Step>) = (steps(a), steps(b));
        aligned(&a, &b).into_iter().map(|(a, b)| (a.map(|step| step.seq), b.map(|step| step.seq))).collect()
    }

    #[test]
    fn steps_of_one_type_and_model_stand_side_by_side() {
        use StepType::{ModelCall as M, ToolCall as T};
        let same = [(M, "x"), (T, "look"), (M, "x")];
        assert_eq!(rows(&same, &same), [(Some(1), Some(1)), (Some(2), Some(2)), (Some(3), Some(3))]);
        // One more call in the middle moves nothing else.
        assert_eq!(
            rows(&same, &[(M, "x"), (T, "look"), (T, "write"), (M, "x")]),
            [(Some(1), Some(1)), (Some(2), Some(2)), (None, Some(3)), (Some(3), Some(4))]
        );
        // Another model at the same place is the same step.
        assert_eq!(rows(&[(M, "x"), (T, "look")], &[(M, "y"), (T, "look")]), [(Some(1), Some(1)), (Some(2), Some(2))]);
        assert_eq!(rows(&[(M, "x")], &[(T, "look")]), [(Some(1), None), (None, Some(1))]);
        assert_eq!(rows(&[], &[(M, "x")]), [(None, Some(1))]);
        assert_eq!(rows(&[], &[]), []);
    }

    #[test]
    fn just_what_differs_is_told() {
        let a = step(1, StepType::ToolCall, "look");
        assert_eq!(changes(&a, &a), []);
        let argument = Content { preview: Some("Oslo".to_owned()), chars: 4, artifact_id: None };
        assert_eq!(changes(&a, &Step { input: argument, ..a.clone() }), [StepChange::Input]);
        let digest = |text: &str| Step { request_digest: Some(text.to_owned()), ..a.clone() };
        assert_eq!(changes(&digest("a"), &digest("b")), [StepChange::Input], "also where the content is not kept");
        let other_rule = json!({ "gates": [{ "gate": "budget", "verdict": "allow", "rule": "b" }] });
        assert_eq!(changes(&a, &Step { decision: other_rule, ..a.clone() }), []);
        let denied = json!({ "gates": [{ "gate": "budget", "verdict": "deny", "rule": "a" }] });
        assert_eq!(changes(&a, &Step { decision: denied, ..a.clone() }), [StepChange::Verdict]);
        let failed = Step { status: StepStatus::Failed, metrics: json!({ "model_ref": "write" }), ..a.clone() };
        assert_eq!(changes(&a, &failed), [StepChange::Subject, StepChange::Status]);
    }

    #[test]
    fn currencies_are_never_added_and_what_is_unknown_has_no_difference() {
        let spent = |duration_ms, cost: &[(Currency, i64)]| Spent {
            duration_ms,
            tokens: Some(5),
            cost: cost.iter().map(|(currency, nanos)| (*currency, Amount::from_nanos(*nanos))).collect(),
            unpriced: 0,
        };
        let eur: Currency = "EUR".parse().unwrap();
        let a = spent(Some(300), &[(Currency::USD, 10), (eur, 7)]);
        let found = delta(Some(a), Some(spent(None, &[(Currency::USD, 4)])));
        assert_eq!((found.duration_ms, found.tokens), (None, Some(0)));
        let money = |currency, nanos| Money { currency, amount: Amount::from_nanos(nanos) };
        let mut expected = vec![money(Currency::USD, -6), money(eur, -7)];
        expected.sort_by_key(|sum| sum.currency);
        assert_eq!(found.cost, expected);
        assert_eq!(delta(None, Some(spent(Some(1), &[]))), Delta::default());
    }
}
