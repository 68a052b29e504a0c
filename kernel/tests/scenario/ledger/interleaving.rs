//! Random interleavings of batches over the pure state.

use std::collections::BTreeMap;
use std::sync::Arc;

use kernel::ledger::{Batch, Change, Changes, Counter, CounterKey, Dimensions, Op, Refusal, RunState, Sequence, State};
use proptest::prelude::*;
use testkit::interleaving::{Cast, scripts};
use testkit::sample::Sample;
use types::id::{HoldId, RunId, StepId, TenantId};

/// A state in an order of its own, to compare.
type Picture = (
    BTreeMap<RunId, String>,
    BTreeMap<StepId, String>,
    BTreeMap<HoldId, String>,
    BTreeMap<(TenantId, CounterKey), (i64, i64)>,
    BTreeMap<Sequence, u64>,
    usize,
);

fn picture(state: &State) -> Picture {
    (
        state.runs.iter().map(|(id, run)| (*id, format!("{run:?}"))).collect(),
        state.steps.iter().map(|(id, step)| (*id, format!("{step:?}"))).collect(),
        state.holds.iter().map(|(id, hold)| (*id, format!("{hold:?}"))).collect(),
        state.counters.iter().map(|(key, counter)| (key.clone(), (counter.value, counter.held))).collect(),
        state.sequences.iter().map(|(sequence, last)| (sequence.clone(), *last)).collect(),
        state.cost_refs.len(),
    )
}

/// Everything applied batches wrote.
#[derive(Default)]
struct Written {
    steps: BTreeMap<RunId, Vec<u32>>,
    events: BTreeMap<RunId, Vec<u64>>,
    emitted: BTreeMap<String, Vec<u64>>,
    audit: Vec<u64>,
    costs: BTreeMap<RunId, i64>,
    booked: BTreeMap<String, i64>,
}

impl Written {
    fn add(&mut self, changes: &Changes) {
        for change in &changes.list {
            match change {
                Change::NewStep(_, step, seq) => self.steps.entry(step.run_id).or_default().push(*seq),
                Change::RunEvent(_, event, offset) => self.events.entry(event.run_id).or_default().push(*offset),
                Change::Event(_, event, seq) => self.emitted.entry(event.subject.clone()).or_default().push(*seq),
                Change::Audit(_, _, seq) => self.audit.push(*seq),
                Change::Cost(_, cost) => {
                    let nanos = cost.amount.expect("a priced cost").nanos();
                    *self.costs.entry(cost.run_id).or_default() += nanos;
                    *self.booked.entry(cost.provider.clone()).or_default() += nanos;
                }
                _ => {}
            }
        }
    }

    fn check(&self, state: &State, tenant_id: TenantId) {
        let gapless = |numbers: &[u64]| assert_eq!(numbers, (1..).take(numbers.len()).collect::<Vec<u64>>());
        for numbers in self.events.values().chain(self.emitted.values()) {
            gapless(numbers);
        }
        gapless(&self.audit);
        for numbers in self.steps.values() {
            gapless(&numbers.iter().map(|number| u64::from(*number)).collect::<Vec<u64>>());
        }
        for (id, (_, run)) in &state.runs {
            let open_steps = state.steps.values().filter(|step| step.run_id == *id && !step.status.is_closed()).count();
            let open_holds = state.holds.values().filter(|hold| hold.run_id == *id && hold.open).count();
            assert_eq!((run.open_steps as usize, run.open_holds as usize), (open_steps, open_holds), "{id}");
            assert_eq!(run.status.is_final(), run.end.is_some(), "{id}");
            assert!(!run.status.is_final() || open_steps + open_holds == 0, "{id} ended at work");
            let sum: i64 = run.totals.cost.iter().map(|sum| sum.amount.nanos()).sum();
            assert_eq!(sum, self.costs.get(id).copied().unwrap_or_default(), "{id}");
        }
        for key in Cast::counters() {
            let lines = state.holds.values().filter(|hold| hold.open).flat_map(|hold| &hold.lines);
            let held = lines.filter(|line| line.key == key).map(|line| line.amount).sum();
            let value = self.booked.get(key.as_str()).copied().unwrap_or_default();
            let counter = state.counters.get(&(tenant_id, key.clone())).copied().unwrap_or_default();
            assert_eq!(counter, Counter { value, held }, "{key}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_interleaving_breaks_the_ledger(script in scripts(60)) {
        let mut cast = Cast::new(Sample::default());
        let tenant_id = cast.sample().scope.tenant_id;
        let mut state = State::default();
        let mut written = Written::default();
        for moves in &script {
            let before = picture(&state);
            match state.apply(cast.play(moves)) {
                Ok(changes) => written.add(&changes),
                Err(refusal) => prop_assert_eq!(before, picture(&state), "{} left a trace", refusal),
            }
            written.check(&state, tenant_id);
        }
    }

    #[test]
    fn a_batch_decides_alike_whole_or_among_others(script in scripts(20)) {
        let batches = || {
            let mut cast = Cast::new(Sample::default());
            script.iter().map(|moves| cast.play(moves)).collect::<Vec<Batch>>()
        };
        let mut alone = State::default();
        let answers: Vec<Option<Refusal>> = batches().into_iter().map(|batch| alone.apply(batch).err()).collect();
        // Refused batches between them make no difference to the others.
        let mut without = State::default();
        for (batch, answer) in batches().into_iter().zip(&answers) {
            if answer.is_none() {
                prop_assert!(without.apply(batch).is_ok());
            }
        }
        prop_assert_eq!(picture(&alone), picture(&without));
    }
}

#[test]
fn a_run_moves_only_as_the_state_machine_says() {
    use types::run::RunStatus;
    for from in RunStatus::ALL {
        for to in RunStatus::ALL {
            let sample = Sample::default();
            let run = sample.run();
            let state = RunState {
                status: *from,
                dimensions: Arc::new(Dimensions::of(&run)),
                steps: 0,
                events: 0,
                emitted: 0,
                open_steps: 0,
                open_holds: 0,
                refusals: 0,
                totals: types::run::Totals::default(),
                end: None,
            };
            let mut ledger = State::default();
            ledger.runs.insert(run.id, (sample.scope, state));
            let moved = ledger.apply(sample.opening([testkit::sample::move_run(run.id, *to)]));
            assert_eq!(moved.is_ok(), from.may_become(*to), "{from} to {to}");
        }
    }
}

#[test]
fn an_unknown_counter_stands_at_zero() {
    let sample = Sample::default();
    let key = CounterKey::from_text("test:new".to_owned());
    let add = Op::CounterAdd { key: key.clone(), delta: 1, limit: Some(0) };
    let refusal = State::default().apply(sample.opening([add])).expect_err("a limit of zero");
    assert_eq!(refusal, Refusal::Limit { key, counter: Counter::default(), needed: 1, limit: 0 });
}
