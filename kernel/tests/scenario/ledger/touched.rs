//! What a store must load before it decides.

use std::collections::BTreeSet;
use std::sync::Arc;

use kernel::ledger::{HoldState, Op, RowKey, Sequence, State, Touched};
use kernel::record::Row;
use testkit::contract::ledger::{counter, line};
use testkit::sample::{Sample, add_cost, append, close_step, move_run, open_run, open_step, place, put, release};
use types::run::RunStatus;

#[test]
fn what_a_group_makes_itself_is_not_loaded() {
    let sample = Sample::default();
    let run = sample.run();
    let step = sample.step(run.id);
    let hold = sample.hold(&step, vec![line("budget", 1, None)]);
    let first = sample.opening([open_run(&run), open_step(&step), place(&hold)]);
    let second = sample.closing([close_step(step.id), release(hold.id), move_run(run.id, RunStatus::Succeeded)]);
    let touched = Touched::by([&first, &second]);
    assert!(touched.runs.is_empty() && touched.steps.is_empty() && touched.holds.is_empty());
    assert_eq!(touched.counters, BTreeSet::from([(sample.scope.tenant_id, counter("budget"))]));
    let alone = Touched::by([&second]);
    assert_eq!(
        (alone.runs, alone.steps, alone.holds),
        (BTreeSet::from([run.id]), BTreeSet::from([step.id]), BTreeSet::from([hold.id]))
    );
}

#[test]
fn a_loaded_hold_leads_to_its_run_and_counters() {
    let sample = Sample::default();
    let run = sample.run();
    let hold = sample.hold(&sample.step(run.id), vec![line("budget", 1, None)]);
    let mut touched = Touched::by([&sample.closing([release(hold.id)])]);
    assert!(touched.runs.is_empty() && touched.counters.is_empty());
    let mut state = State::default();
    state.holds.insert(hold.id, HoldState { run_id: run.id, open: true, lines: hold.lines.clone() });
    touched.follow(&state, |id| (id == hold.id).then_some(sample.scope.tenant_id));
    assert_eq!(touched.runs, BTreeSet::from([run.id]));
    assert_eq!(touched.counters, BTreeSet::from([(sample.scope.tenant_id, counter("budget"))]));
}

#[test]
fn everything_a_batch_names_is_loaded() {
    let sample = Sample::default();
    let (run, parent) = (sample.run(), sample.run());
    let mut child = sample.run();
    child.parent_run_id = Some(parent.id);
    let cost = sample.cost(run.id, sample.ids().step(), 1);
    let fence = kernel::ledger::Fence { process_id: sample.ids().process(), epoch: 1 };
    let batch = sample
        .opening([
            open_run(&child),
            append(sample.run_event(run.id, "noted")),
            add_cost(&cost),
            put(Row::Workspace(sample.workspace())),
            sample.audit().into(),
            Op::EventEmit(Arc::new(sample.event("a subject", "live"))),
            Op::EpochRaise(sample.scope.tenant_id),
        ])
        .fenced(fence);
    let touched = Touched::by([&batch]);
    assert_eq!(touched.runs, BTreeSet::from([run.id, parent.id]));
    assert_eq!(touched.cost_refs, BTreeSet::from([(sample.scope.tenant_id, cost.source_ref)]));
    assert_eq!(touched.rows, BTreeSet::from([RowKey::of(&Row::Workspace(sample.workspace()))]));
    let sequences = [Sequence::Audit(sample.scope), Sequence::Subject(sample.scope.tenant_id, "a subject".to_owned())];
    assert_eq!(touched.sequences, BTreeSet::from(sequences));
    assert_eq!((touched.tenants, touched.raised.len()), (BTreeSet::from([sample.scope.tenant_id]), 1));
    assert_eq!(touched.processes, BTreeSet::from([fence.process_id]));
}
