//! The counters of usage move with what they count, and nothing else moves them.

use std::collections::BTreeMap;
use std::sync::Arc;

use chrono::{DateTime, TimeDelta, Utc};
use kernel::context::Scope;
use kernel::ledger::{Dimensions, Measure, NewRun, Op, RunEnd, RunMeasure, StepEnd};
use kernel::port::Recount;
use types::cost::PricingStatus;
use types::money::Currency;
use types::run::{Entry, RunStatus, StepStatus, UsageClass};
use types::usage::{RunDimension, UsageDimension};

use super::{Store, applied, seeded, seeded_as};
use crate::sample::{Sample, add_cost, close_step, move_run, noon, open_run, open_step, run_end, step_end};

fn at(text: &str) -> DateTime<Utc> {
    text.parse().expect("a time")
}

type Sums = BTreeMap<(String, Option<String>, Option<Currency>), BTreeMap<Measure, i64>>;

async fn usage(store: &impl Store, scope: Scope, by: Option<UsageDimension>) -> Sums {
    let days = (at("2026-01-01T00:00:00Z"), at("2026-02-01T00:00:00Z"));
    let sums = store.list_usage(scope, days, by, 1_000).await.expect("sums");
    let day = |at: DateTime<Utc>| at.format("%d").to_string();
    sums.into_iter().map(|sum| ((day(sum.day), sum.key, sum.currency), sum.measures)).collect()
}

async fn runs(store: &impl Store, scope: Scope, seconds: i64) -> BTreeMap<(String, String), i64> {
    let window = (at("2026-01-01T00:00:00Z"), at("2026-02-01T00:00:00Z"));
    let sums = store.list_run_sums(scope, window, seconds, None).await.expect("sums");
    let start = |at: DateTime<Utc>| at.format("%dT%H:%M").to_string();
    sums.into_iter().map(|sum| ((start(sum.bucket), sum.measure.to_string()), sum.n)).filter(|(_, n)| *n != 0).collect()
}

fn numbers<const N: usize>(measures: [(Measure, i64); N]) -> BTreeMap<Measure, i64> {
    measures.into_iter().collect()
}

/// A call whole: run, step, cost, end.
fn call(sample: &Sample, run: &NewRun, nanos: i64) -> [Op; 5] {
    let step = sample.step(run.id);
    let mut cost = sample.cost(run.id, step.id, nanos);
    cost.occurred_at = run.started_at;
    [open_run(run), open_step(&step), close_step(step.id), add_cost(&cost), move_run(run.id, RunStatus::Succeeded)]
}

/// What opens a call is counted when it opens, what closes it when it closes.
pub async fn a_call_moves_the_counters_of_its_day_and_minute(store: &impl Store) {
    let sample = seeded(store).await;
    let run = sample.run();
    let [open, step, close, cost, end] = call(&sample, &run, 700);
    applied(store, sample.opening([open, step])).await;
    let none = ("15".to_owned(), None, None);
    let open = usage(store, sample.scope, None).await;
    assert_eq!(open, BTreeMap::from([(none.clone(), numbers([(Measure::Calls, 1)]))]));
    assert_eq!(runs(store, sample.scope, 60).await, BTreeMap::from([(("15T12:00".to_owned(), "runs".to_owned()), 1)]));

    applied(store, sample.closing([close, cost, end])).await;
    let usd = ("15".to_owned(), None, Some(Currency::USD));
    let over = numbers([(Measure::Calls, 1), (Measure::Ended, 1), (Measure::LatencyMs, 1_000)]);
    let booked = numbers([
        (Measure::Amount, 700),
        (Measure::Class(UsageClass::Input), 10),
        (Measure::Class(UsageClass::Output), 5),
    ]);
    assert_eq!(usage(store, sample.scope, None).await, BTreeMap::from([(none, over), (usd, booked)]));
    let minute = runs(store, sample.scope, 60).await;
    let minute: Vec<(&str, i64)> = minute.iter().map(|((_, measure), n)| (measure.as_str(), *n)).collect();
    let told = [("cost:USD", 700), ("duration:23", 1), ("runs", 1), ("succeeded", 1), ("tokens", 15), ("ttft:19", 1)];
    assert_eq!(minute, told);
    let day = (at("2026-01-15T12:00:00Z"), at("2026-01-15T12:01:00Z"));
    let by = store.list_run_sums(sample.scope, day, 60, Some(RunDimension::Entry)).await.expect("sums");
    assert!(by.iter().all(|sum| sum.key.as_deref() == Some("openai")), "{by:?}");
    assert!(store.list_run_sums(sample.scope, (day.1, day.1), 60, None).await.expect("sums").is_empty());
}

/// Also for what ends after midnight.
pub async fn a_day_is_the_day_of_admission(store: &impl Store) {
    let sample = seeded(store).await;
    let started_at = at("2026-01-15T23:59:59.900000Z");
    let run = NewRun { started_at, ..sample.run() };
    let step = kernel::ledger::NewStep { started_at: started_at + TimeDelta::milliseconds(200), ..sample.step(run.id) };
    let mut cost = sample.cost(run.id, step.id, 3);
    cost.occurred_at = started_at;
    let ended_at = started_at + TimeDelta::seconds(2);
    applied(store, sample.opening([open_run(&run), open_step(&step)])).await;
    let close = Op::StepClose(Arc::new(StepEnd { ended_at, ..step_end(step.id) }));
    let end = Some(Arc::new(RunEnd { ended_at, ..run_end() }));
    let end = Op::RunMove { run_id: run.id, to: RunStatus::Succeeded, end };
    applied(store, sample.closing([close, add_cost(&cost), end])).await;
    let days: Vec<String> = usage(store, sample.scope, None).await.into_keys().map(|(day, ..)| day).collect();
    assert_eq!(days, ["15", "15"]);
    let minutes: Vec<String> = runs(store, sample.scope, 60).await.into_keys().map(|(minute, _)| minute).collect();
    assert!(minutes.iter().all(|minute| minute == "15T23:59"), "{minutes:?}");
}

/// One run, three refusals.
pub async fn refusals_that_share_a_run_are_each_counted(store: &impl Store) {
    let sample = seeded(store).await;
    let run = NewRun { model_ref: None, ..sample.run() };
    let count = || Op::RefusalCount { run_id: run.id };
    applied(store, sample.opening([open_run(&run), move_run(run.id, RunStatus::Failed), count()])).await;
    applied(store, sample.opening([count()])).await;
    applied(store, sample.opening([count()])).await;
    let counted = usage(store, sample.scope, Some(UsageDimension::Model)).await;
    assert_eq!(counted, BTreeMap::from([(("15".to_owned(), None, None), numbers([(Measure::Refused, 3)]))]));
    let minute = runs(store, sample.scope, 60).await;
    let of = |measure: RunMeasure| minute.get(&("15T12:00".to_owned(), measure.to_string())).copied();
    assert_eq!((of(RunMeasure::Runs), of(RunMeasure::Failed), of(RunMeasure::Refused)), (Some(1), Some(1), Some(1)));
}

/// Beside the calls, and no recount takes them away.
pub async fn an_answer_given_again_is_counted_and_has_no_row(store: &impl Store) {
    let sample = seeded(store).await;
    let run = sample.run();
    applied(store, sample.opening(call(&sample, &run, 700))).await;
    let again = || Op::ReplayCount { call: Arc::new(Dimensions::of(&run)), operation: "chat" };
    applied(store, sample.opening([again()])).await;
    applied(store, sample.opening([again()])).await;
    let counted = usage(store, sample.scope, Some(UsageDimension::Operation)).await;
    let chat = counted.get(&("15".to_owned(), Some("chat".to_owned()), None)).expect("the calls");
    assert_eq!((chat.get(&Measure::Calls), chat.get(&Measure::Replayed)), (Some(&1), Some(&2)));
    for recount in [Recount::Look, Recount::Fix] {
        let differing = store.recount(recount).await.expect("a recount");
        assert!(differing.iter().all(|difference| difference.table != "usage_daily"), "{differing:?}");
        assert_eq!(usage(store, sample.scope, Some(UsageDimension::Operation)).await, counted);
    }
}

/// A cost that is not certain is never a certain one, and what has no price is not free.
pub async fn what_is_estimated_unpriced_failed_and_canceled_is_told_apart(store: &impl Store) {
    let sample = seeded(store).await;
    let mut ops = Vec::new();
    for (number, (status, pricing)) in [
        (StepStatus::Failed, PricingStatus::Estimated),
        (StepStatus::Canceled, PricingStatus::Unpriced),
        (StepStatus::Succeeded, PricingStatus::Priced),
    ]
    .into_iter()
    .enumerate()
    {
        let run = sample.run();
        let step = sample.step(run.id);
        let mut cost = sample.cost(run.id, step.id, 100 + i64::try_from(number).expect("small"));
        cost.pricing_status = pricing;
        if pricing == PricingStatus::Unpriced {
            (cost.currency, cost.amount) = (None, None);
        }
        let end = StepEnd { status, ttft_ms: None, ..step_end(step.id) };
        let to = if status == StepStatus::Canceled { RunStatus::Canceled } else { RunStatus::Succeeded };
        ops.extend([open_run(&run), open_step(&step), Op::StepClose(Arc::new(end)), add_cost(&cost)]);
        ops.push(move_run(run.id, to));
    }
    applied(store, sample.opening(ops)).await;
    let counted = usage(store, sample.scope, None).await;
    let (none, usd) =
        (&counted[&("15".to_owned(), None, None)], &counted[&("15".to_owned(), None, Some(Currency::USD))]);
    let of = |measures: &BTreeMap<Measure, i64>, measure| measures.get(&measure).copied().unwrap_or_default();
    assert_eq!([Measure::Calls, Measure::Failed, Measure::Canceled].map(|measure| of(none, measure)), [3, 1, 1]);
    assert_eq!((of(none, Measure::Unpriced), of(none, Measure::Amount)), (1, 0));
    assert_eq!(of(usd, Measure::Amount), 202);
    assert_eq!((of(usd, Measure::Estimated), of(usd, Measure::EstimatedAmount)), (1, 100));
    let minute = runs(store, sample.scope, 86_400).await;
    let of = |measure: &str| minute.get(&("15T00:00".to_owned(), measure.to_owned())).copied();
    assert_eq!(
        (of("estimated"), of("unpriced"), of("canceled"), of("succeeded")),
        (Some(1), Some(1), Some(1), Some(2))
    );
}

/// Whoever pays in whatever money for whatever purpose.
pub async fn labels_keys_and_currencies_have_rows_of_their_own(store: &impl Store) {
    let sample = seeded(store).await;
    let eur: Currency = "EUR".parse().expect("a currency");
    let plain = NewRun { labels: BTreeMap::new(), api_key_id: None, entry: Entry::Console, ..sample.run() };
    applied(store, sample.opening(call(&sample, &sample.run(), 5))).await;
    applied(store, sample.opening(call(&sample, &sample.run(), 6))).await;
    let [open, step, close, cost, end] = call(&sample, &plain, 7);
    let Op::CostAdd(cost) = cost else { panic!("a cost") };
    let mut cost = (*cost).clone();
    cost.currency = Some(eur);
    applied(store, sample.opening([open, step, close, add_cost(&cost), end])).await;
    let by = |key: Option<String>, currency| ("15".to_owned(), key, currency);
    let keys = usage(store, sample.scope, Some(UsageDimension::ApiKey)).await;
    let key = Some(sample.key_id.to_string());
    assert_eq!(keys[&by(key.clone(), Some(Currency::USD))][&Measure::Amount], 11);
    assert_eq!(keys[&by(None, Some(eur))][&Measure::Amount], 7);
    assert_eq!(keys[&by(key, None)][&Measure::Calls], 2);
    for (dimension, value) in [
        (UsageDimension::Provider, "test"),
        (UsageDimension::Model, "model:test:echo"),
        (UsageDimension::Operation, "chat"),
        (UsageDimension::Caller, &sample.user_id.to_string()),
    ] {
        let sums = usage(store, sample.scope, Some(dimension)).await;
        assert_eq!(sums[&by(Some(value.to_owned()), None)][&Measure::Calls], 3, "{dimension}");
    }
    let entries = usage(store, sample.scope, Some(UsageDimension::Entry)).await;
    assert_eq!(entries[&by(Some("console".to_owned()), None)][&Measure::Calls], 1);
}

/// They are counted, but shown in no figure.
pub async fn rehearsals_are_outside_of_the_figures(store: &impl Store) {
    let sample = seeded(store).await;
    applied(store, sample.opening(call(&sample, &NewRun { sandbox: true, ..sample.run() }, 5))).await;
    assert!(usage(store, sample.scope, None).await.is_empty());
    assert!(runs(store, sample.scope, 60).await.is_empty());
    let lacking = store.recount(Recount::Look).await.expect("a recount");
    assert!(lacking.iter().all(|difference| difference.table == "counters"), "{lacking:?}");
}

/// Whatever happened, and also after what lacks was looked for.
pub async fn counters_are_what_their_rows_add_up_to(store: &impl Store) {
    let sample = seeded(store).await;
    for number in 0..5 {
        let run = NewRun { started_at: noon() + TimeDelta::minutes(number), ..sample.run() };
        let mut ops = call(&sample, &run, number).to_vec();
        // One stays open, one is refused.
        if number == 3 {
            ops.truncate(2);
        }
        if number == 4 {
            ops = vec![open_run(&run), move_run(run.id, RunStatus::Failed), Op::RefusalCount { run_id: run.id }];
        }
        applied(store, sample.opening(ops)).await;
    }
    let lacking = |differences: Vec<kernel::port::Difference>| {
        // What no settled hold booked is no matter of these counters.
        differences.into_iter().filter(|difference| difference.table != "counters").collect::<Vec<_>>()
    };
    assert_eq!(lacking(store.recount(Recount::Look).await.expect("a recount")), []);
    assert!(!store.is_filled().await.expect("a read"));
    let before = (usage(store, sample.scope, None).await, runs(store, sample.scope, 60).await);
    assert_eq!(store.recount(Recount::Fill).await.expect("a recount"), []);
    assert!(store.is_filled().await.expect("a read"));
    assert_eq!((usage(store, sample.scope, None).await, runs(store, sample.scope, 60).await), before);
}

/// Twice is as good as once, and what ends late is counted where its run is.
pub async fn older_rows_become_coarser_and_sums_stay(store: &impl Store) {
    let sample = seeded(store).await;
    let late = NewRun { started_at: noon() + TimeDelta::minutes(7), ..sample.run() };
    for minutes in [0, 1, 61] {
        let run = NewRun { started_at: noon() + TimeDelta::minutes(minutes), ..sample.run() };
        applied(store, sample.opening(call(&sample, &run, 2))).await;
    }
    applied(store, sample.opening([open_run(&late)])).await;
    let days = runs(store, sample.scope, 86_400).await;
    assert_eq!(days[&("15T00:00".to_owned(), "runs".to_owned())], 4);
    let (hours, never) = (at("2026-01-15T13:30:00Z"), DateTime::UNIX_EPOCH);
    for _ in 0..2 {
        store.roll_up(hours, never).await.expect("joined");
        assert_eq!(runs(store, sample.scope, 86_400).await, days);
    }
    let minutes = runs(store, sample.scope, 60).await;
    assert_eq!(minutes[&("15T12:00".to_owned(), "runs".to_owned())], 3, "one hour");
    assert_eq!(minutes[&("15T13:01".to_owned(), "runs".to_owned())], 1, "not over when it was joined");
    applied(store, sample.closing([move_run(late.id, RunStatus::Canceled)])).await;
    let lacking = store.recount(Recount::Look).await.expect("a recount");
    assert!(lacking.iter().all(|difference| difference.table == "counters"), "{lacking:?}");
    store.roll_up(at("2026-01-17T00:00:00Z"), at("2026-01-16T05:00:00Z")).await.expect("joined");
    let whole = runs(store, sample.scope, 60).await;
    assert_eq!(whole[&("15T00:00".to_owned(), "runs".to_owned())], 4);
    assert_eq!(whole[&("15T00:00".to_owned(), "canceled".to_owned())], 1);
    let lacking = store.recount(Recount::Look).await.expect("a recount");
    assert!(lacking.iter().all(|difference| difference.table == "counters"), "{lacking:?}");
}

/// Of the same tenant or of another.
pub async fn nothing_is_counted_for_another_workspace(store: &impl Store) {
    let (sample, other) = (seeded(store).await, seeded_as(store, "other", 2).await);
    applied(store, sample.opening(call(&sample, &sample.run(), 2))).await;
    assert!(usage(store, other.scope, None).await.is_empty());
    assert!(runs(store, other.scope, 60).await.is_empty());
    let foreign = Scope { tenant_id: other.scope.tenant_id, ..sample.scope };
    assert!(usage(store, foreign, None).await.is_empty());
    assert!(runs(store, foreign, 60).await.is_empty());
}
