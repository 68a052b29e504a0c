//! What an applied batch leaves behind.

use futures::future::join_all;
use kernel::ledger::{Counter, CounterKey, HoldLine, LedgerError, Op, Refusal};
use kernel::port::{Committed, EventRange};
use kernel::record::Row;
use types::cost::Cost;
use types::run::{RunStatus, StepStatus};

use super::{Store, applied, seeded, seeded_as};
use crate::sample::{
    add_cost, append, close_step, move_run, noon, open_run, open_step, place, put, release, run_end, settle, step_end,
};

/// A counter key of tests.
pub fn counter(name: &str) -> CounterKey {
    CounterKey::from_text(format!("test:{name}"))
}

/// A hold's line.
pub fn line(name: &str, amount: i64, limit: Option<i64>) -> HoldLine {
    HoldLine { key: counter(name), amount, limit }
}

const ALL: EventRange = EventRange { after: 0, limit: 1_000 };

/// Intent, outbound mark and settle of one model call, read back whole.
pub async fn a_call_is_recorded_from_intent_to_settle(store: &impl Store) {
    let sample = seeded(store).await;
    let run = sample.run();
    let step = sample.step(run.id);
    let hold = sample.hold(&step, vec![line("budget", 100, Some(100))]);
    let intent = [open_run(&run), open_step(&step), place(&hold), append(sample.run_event(run.id, "run.started"))];
    applied(store, sample.opening(intent)).await;
    let held = store.counters(sample.scope, &[counter("budget")]).await.expect("counters");
    assert_eq!(held, [Counter { value: 0, held: 100 }]);

    applied(store, sample.opening([Op::StepMark { step_id: step.id, at: noon() }])).await;
    let cost = sample.cost(run.id, step.id, 40);
    let settled = [
        settle(&hold, 40),
        add_cost(&cost),
        close_step(step.id),
        move_run(run.id, RunStatus::Succeeded),
        append(sample.run_event(run.id, "run.finished")),
    ];
    applied(store, sample.closing(settled)).await;

    let read = store.find_run(sample.scope, run.id).await.expect("a read").expect("the run");
    let end = run_end();
    assert_eq!((read.status, read.ended_at, read.duration_ms), (RunStatus::Succeeded, Some(end.ended_at), Some(1_000)));
    assert_eq!((read.input, read.output, read.delivered), (run.input.clone(), end.output, Some(true)));
    assert_eq!((read.caller, read.labels, read.request_id), (run.caller.clone(), run.labels.clone(), run.request_id));
    assert_eq!((read.totals.model_calls, read.totals.usage.clone()), (1, cost.usage.clone()));
    assert_eq!(read.totals.cost.iter().map(|sum| sum.amount.nanos()).collect::<Vec<_>>(), [40]);

    let steps = store.list_steps(sample.scope, run.id).await.expect("steps");
    let [read] = steps.as_slice() else { panic!("one step: {steps:?}") };
    let end = step_end(step.id);
    assert_eq!((read.id, read.seq, read.status, read.outbound_at), (step.id, 1, StepStatus::Succeeded, Some(noon())));
    assert_eq!((&read.decision, &read.metrics, &read.output), (&step.decision, &end.metrics, &end.output));
    assert_eq!((read.latency_ms, read.ttft_ms, read.ended_at), (Some(1_000), Some(250), Some(end.ended_at)));

    let costs: Vec<Cost> = store.list_costs(sample.scope, run.id).await.expect("costs");
    assert_eq!(costs, [cost]);
    let events = store.list_run_events(sample.scope, run.id, ALL).await.expect("events");
    let told: Vec<(u64, &str)> = events.iter().map(|event| (event.offset, event.event_type.as_str())).collect();
    assert_eq!(told, [(1, "run.started"), (2, "run.finished")]);
    let settled = store.counters(sample.scope, &[counter("budget"), counter("none")]).await.expect("counters");
    assert_eq!(settled, [Counter { value: 40, held: 0 }, Counter::default()]);
}

/// The answer holds what the store gave.
pub async fn a_batch_is_told_its_offsets_and_counters(store: &impl Store) {
    let sample = seeded(store).await;
    let run = sample.run();
    let add = |delta| Op::CounterAdd { key: counter("calls"), delta, limit: None };
    let first = applied(store, sample.opening([open_run(&run), append(sample.run_event(run.id, "a")), add(2)])).await;
    let second = applied(store, sample.opening([append(sample.run_event(run.id, "b")), add(3)])).await;
    let offsets = |told: &Committed| told.run_events.iter().map(|event| event.offset).collect::<Vec<_>>();
    assert_eq!((offsets(&first), offsets(&second)), (vec![1], vec![2]));
    assert_eq!(first.counters, [(counter("calls"), Counter { value: 2, held: 0 })]);
    assert_eq!(second.counters, [(counter("calls"), Counter { value: 5, held: 0 })]);
}

/// A call that is over before it is first written.
pub async fn a_step_may_open_and_close_in_one_batch(store: &impl Store) {
    let sample = seeded(store).await;
    let run = sample.run();
    let step = sample.step(run.id);
    let hold = sample.hold(&step, vec![line("budget", 5, None)]);
    let whole = [
        open_run(&run),
        open_step(&step),
        place(&hold),
        close_step(step.id),
        release(hold.id),
        move_run(run.id, RunStatus::Succeeded),
    ];
    applied(store, sample.opening(whole)).await;
    let read = store.find_run(sample.scope, run.id).await.expect("a read").expect("the run");
    assert_eq!((read.status, read.output), (RunStatus::Succeeded, run_end().output));
    let steps = store.list_steps(sample.scope, run.id).await.expect("steps");
    assert_eq!(steps.iter().map(|step| step.status).collect::<Vec<_>>(), [StepStatus::Succeeded]);
    let counters = store.counters(sample.scope, &[counter("budget")]).await.expect("counters");
    assert_eq!(counters, [Counter::default()]);
}

/// Steps and events count up inside their run, whoever else writes.
pub async fn numbers_are_given_without_gaps(store: &impl Store) {
    let sample = seeded(store).await;
    let runs = [sample.run(), sample.run()];
    for run in &runs {
        applied(store, sample.opening([open_run(run)])).await;
    }
    let writing = (0..20).flat_map(|_| &runs).map(|run| {
        let (step, event) = (sample.step(run.id), sample.run_event(run.id, "step.opened"));
        store.commit(sample.opening([open_step(&step), append(event), sample.audit().into()]))
    });
    for written in join_all(writing).await {
        written.expect("an applied batch");
    }
    for run in &runs {
        let steps = store.list_steps(sample.scope, run.id).await.expect("steps");
        assert_eq!(steps.iter().map(|step| step.seq).collect::<Vec<_>>(), (1..=20).collect::<Vec<_>>());
        let events = store.list_run_events(sample.scope, run.id, ALL).await.expect("events");
        assert_eq!(events.iter().map(|event| event.offset).collect::<Vec<_>>(), (1..=20).collect::<Vec<_>>());
    }
}

/// In one process, in the order they were submitted.
pub async fn batches_of_a_workspace_apply_in_order(store: &impl Store) {
    let sample = seeded(store).await;
    let run = sample.run();
    let mut batches = vec![sample.opening([open_run(&run)])];
    for number in 0..50 {
        let mut event = sample.run_event(run.id, "counted");
        event.payload = serde_json::json!({ "number": number });
        batches.push(sample.opening([append(event)]));
    }
    for written in join_all(batches.into_iter().map(|batch| store.commit(batch))).await {
        written.expect("an applied batch");
    }
    let events = store.list_run_events(sample.scope, run.id, ALL).await.expect("events");
    let numbers: Vec<_> = events.iter().map(|event| event.payload["number"].as_u64()).collect();
    assert_eq!(numbers, (0..50).map(Some).collect::<Vec<_>>());
}

/// A counter may stand at its limit.
pub async fn a_reached_limit_is_no_passed_limit(store: &impl Store) {
    let sample = seeded(store).await;
    let add = |delta, limit| sample.opening([Op::CounterAdd { key: counter("calls"), delta, limit }]);
    applied(store, add(10, Some(10))).await;
    assert!(matches!(store.commit(add(1, Some(10))).await, Err(LedgerError::Refused(Refusal::Limit { .. }))));
    applied(store, add(-4, None)).await;
    applied(store, add(4, Some(10))).await;
    let counters = store.counters(sample.scope, &[counter("calls")]).await.expect("counters");
    assert_eq!(counters, [Counter { value: 10, held: 0 }]);
}

/// However many ask at once, exactly as many as fit are let in.
pub async fn parallel_holds_fit_exactly(store: &impl Store) {
    let sample = seeded(store).await;
    let asking = (0..200).map(|_| {
        let run = sample.run();
        let step = sample.step(run.id);
        let hold = sample.hold(&step, vec![line("budget", 7, Some(7 * 13 + 6))]);
        store.commit(sample.opening([open_run(&run), open_step(&step), place(&hold)]))
    });
    let answers = join_all(asking).await;
    let admitted = answers.iter().filter(|answer| answer.is_ok()).count();
    let refused = answers.iter().filter(|answer| matches!(answer, Err(LedgerError::Refused(Refusal::Limit { .. }))));
    assert_eq!((admitted, refused.count()), (13, 187));
    let counters = store.counters(sample.scope, &[counter("budget")]).await.expect("counters");
    assert_eq!(counters, [Counter { value: 0, held: 7 * 13 }]);
}

/// A refused call is a run too, and equal ones share it.
pub async fn equal_refusals_share_a_run(store: &impl Store) {
    let sample = seeded(store).await;
    let run = sample.run();
    let count = || Op::RefusalCount { run_id: run.id };
    applied(store, sample.opening([open_run(&run), move_run(run.id, RunStatus::Failed), count()])).await;
    applied(store, sample.opening([count()])).await;
    let read = store.find_run(sample.scope, run.id).await.expect("a read").expect("the run");
    assert_eq!((read.status, read.refusals, read.ended_at), (RunStatus::Failed, 2, Some(run_end().ended_at)));
}

/// Also when several versions are written at once.
pub async fn rows_are_written_in_their_last_version(store: &impl Store) {
    let sample = seeded(store).await;
    let named = |name: &str, version| {
        let mut workspace = sample.workspace();
        workspace.name = name.parse().expect("a name");
        workspace.version = version;
        put(Row::Workspace(workspace))
    };
    applied(store, sample.opening([named("Second", 2), named("Third", 3)])).await;
    applied(store, sample.opening([named("Fourth", 4)])).await;
    let read = store.find_workspace(sample.scope).await.expect("a read").expect("the workspace");
    assert_eq!((read.name.as_str(), read.version), ("Fourth", 4));

    let other = seeded_as(store, "other", 2).await;
    let elsewhere = kernel::context::Scope { workspace_id: other.scope.workspace_id, ..sample.scope };
    assert_eq!(store.find_workspace(elsewhere).await.expect("a read"), None);
}

/// A use is noted without a version, and a write of the row does not undo it.
pub async fn uses_are_noted(store: &impl Store) {
    let sample = seeded(store).await;
    let used = |at, address: &str| {
        let address = Some(address.to_owned());
        Op::Touch(kernel::ledger::Touch::ApiKey { id: sample.key_id, at, address })
    };
    let earlier = noon() - std::time::Duration::from_secs(60);
    applied(store, sample.opening([used(noon(), "192.0.2.1"), used(earlier, "192.0.2.2")])).await;
    let mut key = sample.api_key();
    (key.hint, key.version) = ("sk_0000…0000".to_owned(), 2);
    applied(store, sample.opening([put(Row::ApiKey(key))])).await;
    let key = store.find_key_by_id(sample.scope, sample.key_id).await.expect("a read").expect("the key");
    assert_eq!((key.last_used_at, key.hint.as_str(), key.version), (Some(noon()), "sk_0000…0000", 2));
    assert_eq!(key.last_used_address.as_deref(), Some("192.0.2.1"));
}
