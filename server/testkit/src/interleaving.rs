//! Random interleavings of batches, and what must hold after any of them.
//!
//! A [`Script`] is what `proptest` makes: batches of moves on a few numbered runs, steps and holds. [`Cast::play`] turns it
//! into batches; many of them are refused, as they should be. [`check`] then looks through the ports only.

use std::collections::BTreeMap;
use std::sync::Arc;

use kernel::ledger::{Batch, Counter, CounterKey, Hold, HoldLine, NewRun, NewStep, Op};
use kernel::port::{EventRange, Recount};
use proptest::collection::vec;
use proptest::prelude::*;
use types::id::RunId;
use types::run::RunStatus;

use crate::contract::Store;
use crate::sample::{
    Sample, add_cost, append, close_step, move_run, noon, open_run, open_step, place, release, settle,
};

/// Batches in the order they are submitted.
pub type Script = Vec<Vec<Move>>;

/// Runs, steps and holds that moves speak of at one time.
const PLACES: usize = 4;
const COUNTERS: usize = 3;
/// What the counters may reach: often reached.
const LIMIT: i64 = 60;

/// One thing a batch does.
#[derive(Clone, Copy, Debug)]
pub enum Move {
    /// A new run takes the place.
    OpenRun(usize),
    /// A run goes on.
    MoveRun(usize, RunStatus),
    /// A refusal is counted.
    CountRefusal(usize),
    /// A new step of a run takes the place.
    OpenStep(usize, usize),
    /// A step lets its effect out.
    Mark(usize),
    /// A step closes.
    CloseStep(usize),
    /// A new hold of a step takes the place.
    Place {
        /// Which place.
        hold: usize,
        /// Of which step.
        step: usize,
        /// On which counter.
        counter: usize,
        /// How much.
        amount: i64,
    },
    /// A hold is settled and its cost booked.
    Settle(usize, i64),
    /// A hold is let go.
    Release(usize),
    /// A run event is stored.
    Append(usize),
    /// An outbox event of a run is emitted.
    Emit(usize),
    /// An audit row is written.
    Audit,
}

/// Scripts of up to so many batches.
pub fn scripts(batches: usize) -> impl Strategy<Value = Script> {
    vec(vec(a_move(), 1..7), 1..batches)
}

fn a_move() -> impl Strategy<Value = Move> {
    let place = 0..PLACES;
    let status = prop::sample::select(RunStatus::ALL);
    prop_oneof![
        3 => place.clone().prop_map(Move::OpenRun),
        3 => (place.clone(), status).prop_map(|(run, to)| Move::MoveRun(run, to)),
        1 => place.clone().prop_map(Move::CountRefusal),
        4 => (place.clone(), place.clone()).prop_map(|(step, run)| Move::OpenStep(step, run)),
        1 => place.clone().prop_map(Move::Mark),
        4 => place.clone().prop_map(Move::CloseStep),
        4 => (place.clone(), place.clone(), 0..COUNTERS, 0..20_i64)
            .prop_map(|(hold, step, counter, amount)| Move::Place { hold, step, counter, amount }),
        3 => (place.clone(), 0..20_i64).prop_map(|(hold, amount)| Move::Settle(hold, amount)),
        2 => place.clone().prop_map(Move::Release),
        2 => place.clone().prop_map(Move::Append),
        1 => place.prop_map(Move::Emit),
        1 => Just(Move::Audit),
    ]
}

/// Who plays a script.
pub struct Cast {
    sample: Sample,
    runs: [NewRun; PLACES],
    steps: [NewStep; PLACES],
    holds: [Hold; PLACES],
    opened: Vec<RunId>,
}

impl Cast {
    /// In a world that is in the store already.
    pub fn new(sample: Sample) -> Self {
        let runs = std::array::from_fn(|_| sample.run());
        let steps: [NewStep; PLACES] = std::array::from_fn(|_| sample.step(sample.ids().run()));
        let holds = std::array::from_fn(|index| sample.hold(&steps[index], Vec::new()));
        Self { sample, runs, steps, holds, opened: Vec::new() }
    }

    /// The world.
    pub fn sample(&self) -> &Sample {
        &self.sample
    }

    /// The counters moves speak of.
    pub fn counters() -> Vec<CounterKey> {
        (0..COUNTERS).map(|number| CounterKey::from_text(format!("test:{number}"))).collect()
    }

    /// The batch of some moves.
    pub fn play(&mut self, moves: &[Move]) -> Batch {
        let ops: Vec<Op> = moves.iter().flat_map(|step| self.ops(*step)).collect();
        self.sample.opening(ops)
    }

    fn ops(&mut self, step: Move) -> Vec<Op> {
        match step {
            Move::OpenRun(place) => {
                self.runs[place] = self.sample.run();
                self.opened.push(self.runs[place].id);
                vec![open_run(&self.runs[place])]
            }
            Move::MoveRun(place, to) => vec![move_run(self.runs[place].id, to)],
            Move::CountRefusal(place) => vec![Op::RefusalCount { run_id: self.runs[place].id }],
            Move::OpenStep(place, run) => {
                self.steps[place] = self.sample.step(self.runs[run].id);
                vec![open_step(&self.steps[place])]
            }
            Move::Mark(place) => vec![Op::StepMark { step_id: self.steps[place].id, at: noon() }],
            Move::CloseStep(place) => vec![close_step(self.steps[place].id)],
            Move::Place { hold, step, counter, amount } => {
                let key = CounterKey::from_text(format!("test:{counter}"));
                let lines = vec![HoldLine { key, amount, limit: Some(LIMIT) }];
                self.holds[hold] = self.sample.hold(&self.steps[step], lines);
                vec![place(&self.holds[hold])]
            }
            Move::Settle(place, amount) => {
                let hold = &self.holds[place];
                let mut cost = self.sample.cost(hold.run_id, hold.step_id, amount);
                cost.source_ref = format!("hold:{}", hold.id);
                cost.provider = hold.lines.first().map(|line| line.key.to_string()).unwrap_or_default();
                vec![settle(hold, amount), add_cost(&cost)]
            }
            Move::Release(place) => vec![release(self.holds[place].id)],
            Move::Append(place) => vec![append(self.sample.run_event(self.runs[place].id, "noted"))],
            Move::Emit(place) => vec![Op::EventEmit(Arc::new(self.sample.event(self.runs[place].id, "live")))],
            Move::Audit => vec![self.sample.audit().into()],
        }
    }
}

/// What must hold after any interleaving: numbers without gaps, totals that add up, counters that are what was booked
/// and what is held, and no work left in a run that is over.
pub async fn check(store: &impl Store, cast: &Cast) {
    let scope = cast.sample.scope;
    let mut booked: BTreeMap<String, i64> = BTreeMap::new();
    for id in &cast.opened {
        let Some(run) = store.find_run(scope, *id).await.expect("a read") else { continue };
        let steps = store.list_steps(scope, *id).await.expect("steps");
        let numbers: Vec<u32> = steps.iter().map(|step| step.seq).collect();
        assert_eq!(numbers, (1..).take(steps.len()).collect::<Vec<u32>>(), "steps of {id}");
        assert_eq!(run.totals.model_calls as usize, steps.len(), "model calls of {id}");
        let events = store.list_run_events(scope, *id, EventRange { after: 0, limit: 1_000 }).await.expect("events");
        let offsets: Vec<u64> = events.iter().map(|event| event.offset).collect();
        assert_eq!(offsets, (1..).take(events.len()).collect::<Vec<u64>>(), "events of {id}");
        let costs = store.list_costs(scope, *id).await.expect("costs");
        let amounts = || costs.iter().filter_map(|cost| cost.amount);
        let sum: i64 = amounts().map(|amount| amount.nanos()).sum();
        assert_eq!(run.totals.cost.iter().map(|sum| sum.amount.nanos()).sum::<i64>(), sum, "cost of {id}");
        for cost in &costs {
            *booked.entry(cost.provider.clone()).or_default() += cost.amount.map_or(0, |amount| amount.nanos());
        }
        assert_eq!(run.status.is_final(), run.ended_at.is_some(), "end of {id}");
        if run.status.is_final() {
            assert!(steps.iter().all(|step| step.status.is_closed()), "open steps of {id}");
        }
    }
    let lacking = store.recount(Recount::Look).await.expect("a recount");
    // Budgets and keys have no part in it: what moves book on is counters of the test's own.
    let lacking: Vec<_> = lacking.iter().filter(|difference| difference.table != "counters").collect();
    assert!(lacking.is_empty(), "counters of usage: {lacking:?}");
    for key in Cast::counters() {
        let open = store.list_open_holds(scope, &key).await.expect("holds");
        let held = open.iter().map(|hold| hold.amount.nanos()).sum();
        let value = booked.get(key.as_str()).copied().unwrap_or_default();
        let counters = store.counters(scope, std::slice::from_ref(&key)).await.expect("counters");
        assert_eq!(counters, [Counter { value, held }], "counter {key}");
        for hold in open {
            let run = store.find_run(scope, hold.run_id).await.expect("a read").expect("the run of a hold");
            assert!(!run.status.is_final(), "a hold of {} which is over", run.id);
        }
    }
}
