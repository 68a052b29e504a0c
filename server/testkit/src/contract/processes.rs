//! Who is alive, and what the dead left behind.

use std::time::Duration;

use kernel::ledger::{Fence, Op};
use kernel::port::DeadWork;
use types::id::ProcessId;
use types::run::RunStatus;

use super::ledger::line;
use super::{Store, applied, seeded};
use crate::sample::{close_step, move_run, noon, open_run, open_step, place};

const LONG: Duration = Duration::from_secs(60);
const NOW: Duration = Duration::ZERO;

async fn register(store: &impl Store, id: ProcessId) -> Fence {
    store.register(id, "all", "0.1.0", false).await.expect("a fence")
}

async fn alive(store: &impl Store) -> Vec<Fence> {
    store.list_alive().await.expect("processes").into_iter().map(|process| process.fence).collect()
}

/// By the database's clock.
pub async fn a_process_lives_until_it_is_silent_or_closed(store: &impl Store) {
    let sample = seeded(store).await;
    let (first, second) =
        (register(store, sample.ids().process()).await, register(store, sample.ids().process()).await);
    let listed = store.list_alive().await.expect("processes");
    assert_eq!(listed.iter().map(|process| process.fence).collect::<Vec<_>>(), [first, second]);
    assert_eq!((listed[0].role.as_str(), listed[0].version.as_str()), ("all", "0.1.0"));
    assert_eq!(store.bury(LONG).await.expect("a number"), 0);
    assert!(store.beat(first).await.expect("a beat"));
    store.close(second).await.expect("a goodbye");
    assert!(!store.beat(second).await.expect("a beat"));
    assert_eq!(alive(store).await, [first]);
    assert_eq!(store.bury(NOW).await.expect("a number"), 1);
    assert!(!store.beat(first).await.expect("a beat"));
    assert!(alive(store).await.is_empty());
    let stranger = Fence { process_id: sample.ids().process(), epoch: 1 };
    assert!(!store.beat(stranger).await.expect("a beat"));
}

/// What it did under the old one stays dead.
pub async fn a_process_comes_back_under_a_new_epoch(store: &impl Store) {
    let sample = seeded(store).await;
    let id = sample.ids().process();
    let first = register(store, id).await;
    let second = register(store, id).await;
    assert!(second.epoch > first.epoch);
    assert!(!store.beat(first).await.expect("a beat"));
    assert!(store.beat(second).await.expect("a beat"));
    store.close(first).await.expect("an old goodbye changes nothing");
    assert_eq!(alive(store).await, [second]);
    applied(store, sample.opening([open_run(&sample.owned_run(first))])).await;
    assert_eq!(store.dead_work(10).await.expect("work").len(), 1);
}

/// A lock proves it.
pub async fn a_process_alone_buries_the_others(store: &impl Store) {
    let sample = seeded(store).await;
    let old = register(store, sample.ids().process()).await;
    let new = store.register(sample.ids().process(), "all", "0.2.0", true).await.expect("a fence");
    assert!(!store.beat(old).await.expect("a beat"));
    assert_eq!(alive(store).await, [new]);
}

/// Oldest first; each with what must be closed.
pub async fn dead_work_is_found_with_its_calls_and_holds(store: &impl Store) {
    let sample = seeded(store).await;
    let fence = register(store, sample.ids().process()).await;
    let run = sample.owned_run(fence);
    let mut later = sample.owned_run(fence);
    later.started_at = noon() + Duration::from_secs(1);
    let (sent, unsent, closed) = (sample.step(run.id), sample.step(run.id), sample.step(run.id));
    let mut held = sample.hold(&sent, vec![line("budget", 5, None)]);
    let cost = sample.cost(run.id, sent.id, 5);
    held.worst_case = Some(Box::new(cost.clone()));
    let stray = sample.hold(&closed, vec![line("budget", 1, None)]);
    let opened =
        [open_run(&run), open_step(&sent), open_step(&unsent), open_step(&closed), place(&held), place(&stray)];
    let moved = [Op::StepMark { step_id: sent.id, at: noon() }, close_step(closed.id), open_run(&later)];
    applied(store, sample.opening(opened.into_iter().chain(moved))).await;
    assert!(store.dead_work(10).await.expect("work").is_empty());
    store.close(fence).await.expect("a goodbye");

    let work = store.dead_work(10).await.expect("work");
    let [first, second] = work.as_slice() else { panic!("two runs: {work:?}") };
    assert_eq!((first.run_id, second.run_id, first.scope), (run.id, later.id, sample.scope));
    let calls: Vec<_> = first.calls.iter().map(|call| (call.step_id, call.sent, call.hold.clone())).collect();
    assert_eq!(calls, [(sent.id, true, Some((held.id, Some(cost)))), (unsent.id, false, None)]);
    assert_eq!(first.stray_holds, [stray.id]);
    assert_eq!(second, &DeadWork { scope: sample.scope, run_id: later.id, calls: vec![], stray_holds: vec![] });
    assert_eq!(store.dead_work(1).await.expect("work").len(), 1);
}

/// Nor do runs that have ended or belong to nobody.
pub async fn the_living_leave_no_dead_work(store: &impl Store) {
    let sample = seeded(store).await;
    let (living, dead) = (register(store, sample.ids().process()).await, register(store, sample.ids().process()).await);
    let ended = sample.owned_run(dead);
    let ops = [
        open_run(&sample.owned_run(living)),
        open_run(&sample.run()),
        open_run(&ended),
        move_run(ended.id, RunStatus::Failed),
    ];
    applied(store, sample.opening(ops)).await;
    store.close(dead).await.expect("a goodbye");
    assert!(store.dead_work(10).await.expect("work").is_empty());
}
