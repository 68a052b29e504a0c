//! Every precondition, refused: alone, named, and without a trace.

use std::sync::Arc;

use futures::future::join_all;
use kernel::ledger::{Counter, Fence, LedgerError, Op, Refusal};
use kernel::record::Row;
use types::run::{RunStatus, StepStatus};

use super::ledger::{counter, line};
use super::{Store, applied, refused, seeded, seeded_as};
use crate::sample::{
    add_cost, append, close_step, move_run, noon, open_run, open_step, place, put, release, run_end, settle, step_end,
};

fn state(what: &'static str, present: impl ToString) -> Refusal {
    Refusal::State { what, present: present.to_string() }
}

/// Nothing starts in a run that is over or about to be.
pub async fn a_final_or_canceling_run_starts_nothing(store: &impl Store) {
    let sample = seeded(store).await;
    for status in [RunStatus::Failed, RunStatus::Canceling] {
        let run = sample.run();
        let open = sample.step(run.id);
        applied(store, sample.opening([open_run(&run), open_step(&open)])).await;
        if status.is_final() {
            applied(store, sample.closing([close_step(open.id), move_run(run.id, status)])).await;
        } else {
            applied(store, sample.opening([move_run(run.id, status)])).await;
        }
        let step = sample.step(run.id);
        assert_eq!(refused(store, sample.opening([open_step(&step)])).await, state("run", status));
        let mark = Op::StepMark { step_id: open.id, at: noon() };
        assert_eq!(refused(store, sample.opening([mark])).await, state("run", status));
        let hold = sample.hold(&step, vec![line("budget", 1, None)]);
        assert_eq!(refused(store, sample.opening([place(&hold)])).await, state("run", status));
        let mut child = sample.run();
        child.parent_run_id = Some(run.id);
        assert_eq!(refused(store, sample.opening([open_run(&child)])).await, state("run", status));
    }
}

/// Any other move is refused, and nothing leaves a final state.
pub async fn a_run_moves_as_its_states_allow(store: &impl Store) {
    let sample = seeded(store).await;
    let mut run = sample.run();
    run.status = RunStatus::Queued;
    applied(store, sample.opening([open_run(&run)])).await;
    assert_eq!(refused(store, sample.opening([move_run(run.id, RunStatus::Succeeded)])).await, state("run", "queued"));
    for status in [RunStatus::Running, RunStatus::Paused, RunStatus::Running, RunStatus::Canceled] {
        applied(store, sample.opening([move_run(run.id, status)])).await;
    }
    for status in [RunStatus::Running, RunStatus::Canceled, RunStatus::Succeeded] {
        assert_eq!(refused(store, sample.opening([move_run(run.id, status)])).await, state("run", "canceled"));
    }
    let run = sample.run();
    let endless = Op::RunMove { run_id: run.id, to: RunStatus::Succeeded, end: None };
    assert!(matches!(refused(store, sample.opening([open_run(&run), endless])).await, Refusal::Invalid { .. }));
    assert_eq!(store.find_run(sample.scope, run.id).await.expect("a read"), None);
}

/// A run becomes final only without open steps and holds.
pub async fn a_run_at_work_does_not_end(store: &impl Store) {
    let sample = seeded(store).await;
    let run = sample.run();
    let step = sample.step(run.id);
    let hold = sample.hold(&step, vec![line("budget", 1, None)]);
    applied(store, sample.opening([open_run(&run), open_step(&step), place(&hold)])).await;
    let end = || move_run(run.id, RunStatus::Succeeded);
    for closed in [vec![], vec![close_step(step.id)], vec![release(hold.id)]] {
        let ops = closed.into_iter().chain([end()]);
        assert_eq!(refused(store, sample.closing(ops)).await, state("run", "still at work"));
    }
    applied(store, sample.closing([close_step(step.id), release(hold.id), end()])).await;
}

/// Once, and into a closed state.
pub async fn a_step_closes_once(store: &impl Store) {
    let sample = seeded(store).await;
    let run = sample.run();
    let step = sample.step(run.id);
    applied(store, sample.opening([open_run(&run), open_step(&step)])).await;
    let mut open = step_end(step.id);
    open.status = StepStatus::WaitingApproval;
    let closing = sample.closing([Op::StepClose(Arc::new(open))]);
    assert!(matches!(refused(store, closing).await, Refusal::Invalid { .. }));
    applied(store, sample.closing([close_step(step.id)])).await;
    assert_eq!(refused(store, sample.closing([close_step(step.id)])).await, state("step", "succeeded"));
}

/// With its numbers.
pub async fn a_limit_names_the_counter_that_does_not_fit(store: &impl Store) {
    let sample = seeded(store).await;
    let add = |delta, limit| Op::CounterAdd { key: counter("calls"), delta, limit };
    applied(store, sample.opening([add(8, None)])).await;
    let expected =
        Refusal::Limit { key: counter("calls"), counter: Counter { value: 8, held: 0 }, needed: 3, limit: 10 };
    assert_eq!(refused(store, sample.opening([add(3, Some(10))])).await, expected);
}

/// And the first line that does not fit is named.
pub async fn a_hold_is_placed_on_all_lines_or_none(store: &impl Store) {
    let sample = seeded(store).await;
    let run = sample.run();
    let step = sample.step(run.id);
    applied(store, sample.opening([open_run(&run), open_step(&step)])).await;
    let lines = vec![line("wide", 5, Some(10)), line("tight", 5, Some(4)), line("tighter", 5, Some(3))];
    let hold = sample.hold(&step, lines);
    match refused(store, sample.opening([place(&hold)])).await {
        Refusal::Limit { key, needed: 5, limit: 4, .. } => assert_eq!(key, counter("tight")),
        other => panic!("the second line does not fit: {other:?}"),
    }
    let counters = store.counters(sample.scope, &[counter("wide"), counter("tight")]).await.expect("counters");
    assert_eq!(counters, [Counter::default(); 2]);
    let free = sample.hold(&step, vec![line("tight", 0, Some(-1))]);
    applied(store, sample.opening([place(&free)])).await;
    let negative = sample.hold(&step, vec![line("wide", -1, None)]);
    assert!(matches!(refused(store, sample.opening([place(&negative)])).await, Refusal::Invalid { .. }));
}

/// By settling or by releasing.
pub async fn a_hold_closes_once(store: &impl Store) {
    let sample = seeded(store).await;
    let run = sample.run();
    let step = sample.step(run.id);
    let holds = [1, 2].map(|amount| sample.hold(&step, vec![line("budget", amount, None)]));
    applied(store, sample.opening([open_run(&run), open_step(&step), place(&holds[0]), place(&holds[1])])).await;
    applied(store, sample.closing([settle(&holds[0], 1), release(holds[1].id)])).await;
    for hold in &holds {
        assert_eq!(refused(store, sample.closing([settle(hold, 1)])).await, Refusal::Closed);
        assert_eq!(refused(store, sample.closing([release(hold.id)])).await, Refusal::Closed);
    }
    let counters = store.counters(sample.scope, &[counter("budget")]).await.expect("counters");
    assert_eq!(counters, [Counter { value: 1, held: 0 }]);
}

/// In a tenant, by its reference.
pub async fn a_cost_is_booked_once(store: &impl Store) {
    let sample = seeded(store).await;
    let run = sample.run();
    let step = sample.step(run.id);
    let cost = |nanos| sample.cost(run.id, step.id, nanos);
    let expected = Refusal::Duplicate { source_ref: format!("step:{}", step.id) };
    let twice = [open_run(&run), open_step(&step), add_cost(&cost(1)), add_cost(&cost(2))];
    assert_eq!(refused(store, sample.opening(twice)).await, expected);
    applied(store, sample.opening([open_run(&run), open_step(&step), add_cost(&cost(3))])).await;
    assert_eq!(refused(store, sample.opening([add_cost(&cost(4))])).await, expected);
    assert_eq!(store.list_costs(sample.scope, run.id).await.expect("costs").len(), 1);

    let other = seeded_as(store, "other", 2).await;
    let run = other.run();
    let mut elsewhere = other.cost(run.id, step.id, 5);
    elsewhere.source_ref = format!("step:{}", step.id);
    applied(store, other.opening([open_run(&run), add_cost(&elsewhere)])).await;
}

/// The version says so, with the present one.
pub async fn a_row_that_changed_is_not_overwritten(store: &impl Store) {
    let sample = seeded(store).await;
    let version = |version| {
        let mut workspace = sample.workspace();
        workspace.version = version;
        sample.opening([put(Row::Workspace(workspace))])
    };
    let stale = Refusal::Version { table: "workspace", current: 1 };
    for number in [0, 1, 3] {
        assert_eq!(refused(store, version(number)).await, stale);
    }
    applied(store, version(2)).await;
    let mut unknown = seeded_as(store, "other", 2).await.workspace();
    unknown.id = sample.ids().workspace();
    unknown.version = 2;
    let refusal = refused(store, sample.opening([put(Row::Workspace(unknown))])).await;
    assert_eq!(refusal, Refusal::Version { table: "workspace", current: 0 });
}

/// So that the door can name the field.
pub async fn a_taken_name_names_its_constraint(store: &impl Store) {
    let sample = seeded(store).await;
    let other = seeded_as(store, "other", 2).await;
    let unique = |constraint: &str| Refusal::Unique { constraint: constraint.to_owned() };

    let mut user = other.user();
    (user.id, user.email_key) = (other.ids().user(), sample.user().email_key);
    assert_eq!(refused(store, other.opening([put(Row::User(user))])).await, unique("users_email_key_key"));

    let mut workspace = sample.workspace();
    workspace.id = sample.ids().workspace();
    let taken = sample.opening([put(Row::Workspace(workspace.clone()))]);
    assert_eq!(refused(store, taken).await, unique("workspaces_tenant_id_slug_key"));
    workspace.slug = "second".parse().expect("a slug");
    applied(store, sample.opening([put(Row::Workspace(workspace.clone()))])).await;

    // Also when a row that is there takes a name.
    (workspace.slug, workspace.version) = (sample.workspace().slug, 2);
    let taken = sample.opening([put(Row::Workspace(workspace))]);
    assert_eq!(refused(store, taken).await, unique("workspaces_tenant_id_slug_key"));

    let run = sample.run();
    applied(store, sample.opening([open_run(&run)])).await;
    let twice = refused(store, sample.opening([open_run(&run)])).await;
    assert!(matches!(&twice, Refusal::Unique { constraint } if constraint.starts_with("runs_")), "{twice:?}");
}

/// What was decided before access rules changed does not start.
pub async fn a_stale_epoch_is_refused(store: &impl Store) {
    let sample = seeded(store).await;
    let other = seeded_as(store, "other", 2).await;
    let under = |epoch| sample.opening([open_run(&sample.run())]).under_epoch(epoch);
    applied(store, under(0)).await;
    applied(store, sample.opening([Op::EpochRaise(sample.scope.tenant_id)])).await;
    assert_eq!(refused(store, under(0)).await, Refusal::AuthEpoch { current: 1 });
    assert_eq!(refused(store, under(2)).await, Refusal::AuthEpoch { current: 1 });
    applied(store, under(1)).await;
    applied(store, other.opening([open_run(&other.run())]).under_epoch(0)).await;
    // A person's change names each of their tenants.
    let both = [Op::EpochRaise(sample.scope.tenant_id), Op::EpochRaise(other.scope.tenant_id)];
    applied(store, sample.opening(both)).await;
    let epochs = store.epochs(&[other.scope.tenant_id, sample.scope.tenant_id]).await.expect("epochs");
    assert_eq!(
        epochs.into_iter().collect::<std::collections::BTreeMap<_, _>>().into_values().collect::<Vec<_>>(),
        [2, 1]
    );
}

/// On every batch, until it registers again.
pub async fn a_dead_process_is_fenced(store: &impl Store) {
    let sample = seeded(store).await;
    let id = sample.ids().process();
    let under = |fence| sample.opening([open_run(&sample.run())]).fenced(fence);
    let unknown = Fence { process_id: id, epoch: 1 };
    assert_eq!(refused(store, under(unknown)).await, Refusal::Fenced);
    let first = store.register(id, "all", "1", false).await.expect("a fence");
    applied(store, under(first)).await;
    store.close(first).await.expect("a goodbye");
    assert_eq!(refused(store, under(first)).await, Refusal::Fenced);
    let second = store.register(id, "all", "1", false).await.expect("a fence");
    assert_eq!(refused(store, under(first)).await, Refusal::Fenced);
    applied(store, under(second)).await;
}

/// Unknown or of another workspace: the same answer.
pub async fn what_is_not_there_is_missing(store: &impl Store) {
    let sample = seeded(store).await;
    let other = seeded_as(store, "other", 2).await;
    let foreign = other.run();
    let step = other.step(foreign.id);
    let hold = other.hold(&step, vec![line("budget", 1, None)]);
    applied(store, other.opening([open_run(&foreign), open_step(&step), place(&hold)])).await;
    let mut child = sample.run();
    child.parent_run_id = Some(foreign.id);
    for run_id in [foreign.id, sample.ids().run()] {
        for op in [
            move_run(run_id, RunStatus::Paused),
            open_step(&sample.step(run_id)),
            append(sample.run_event(run_id, "a")),
            add_cost(&sample.cost(run_id, sample.ids().step(), 1)),
            Op::RefusalCount { run_id },
            Op::EventEmit(Arc::new(sample.event(run_id, "live"))),
        ] {
            assert_eq!(refused(store, sample.opening([op])).await, Refusal::Missing { what: "run" });
        }
    }
    assert_eq!(refused(store, sample.opening([open_run(&child)])).await, Refusal::Missing { what: "run" });
    for op in [close_step(step.id), Op::StepMark { step_id: step.id, at: noon() }, release(hold.id)] {
        assert_eq!(refused(store, sample.opening([op])).await, Refusal::Missing { what: "run" });
    }
    let unknown = refused(store, sample.opening([close_step(sample.ids().step())])).await;
    assert_eq!(unknown, Refusal::Missing { what: "step" });
    let unknown = refused(store, sample.opening([release(sample.ids().hold())])).await;
    assert_eq!(unknown, Refusal::Missing { what: "hold" });
    let counters = store.counters(other.scope, &[counter("budget")]).await.expect("counters");
    assert_eq!(counters, [Counter { value: 0, held: 1 }]);
}

/// A defect of its builder, told as one.
pub async fn a_malformed_batch_is_refused(store: &impl Store) {
    let sample = seeded(store).await;
    let add = || Op::CounterAdd { key: counter("calls"), delta: 1, limit: None };
    let many = sample.opening(std::iter::repeat_with(add).take(1_001));
    assert!(matches!(refused(store, many).await, Refusal::Invalid { .. }));
    applied(store, sample.opening(std::iter::repeat_with(add).take(1_000))).await;
    let counters = store.counters(sample.scope, &[counter("calls")]).await.expect("counters");
    assert_eq!(counters, [Counter { value: 1_000, held: 0 }]);
}

/// Neighbours in one transaction are applied, whatever broke the one between them.
pub async fn a_refusal_is_private(store: &impl Store) {
    let sample = seeded(store).await;
    let taken = seeded_as(store, "other", 2).await.user();
    let runs: Vec<_> = (0..40).map(|_| sample.run()).collect();
    let writing = runs.iter().enumerate().map(|(index, run)| {
        let mut ops =
            vec![open_run(run), sample.audit().into(), Op::CounterAdd { key: counter("runs"), delta: 1, limit: None }];
        match index % 4 {
            // breaks a rule
            1 => ops.push(Op::RunMove { run_id: run.id, to: RunStatus::Queued, end: Some(Arc::new(run_end())) }),
            // breaks a constraint
            2 => {
                let mut user = taken.clone();
                user.id = sample.ids().user();
                ops.push(put(Row::User(user)));
            }
            _ => {}
        }
        store.commit(sample.opening(ops))
    });
    for (index, answer) in join_all(writing).await.into_iter().enumerate() {
        match (index % 4, answer) {
            (1, Err(LedgerError::Refused(Refusal::State { .. })))
            | (2, Err(LedgerError::Refused(Refusal::Unique { .. })))
            | (0 | 3, Ok(_)) => {}
            (_, answer) => panic!("batch {index}: {answer:?}"),
        }
    }
    for (index, run) in runs.iter().enumerate() {
        let there = store.find_run(sample.scope, run.id).await.expect("a read").is_some();
        assert_eq!(there, index % 4 == 0 || index % 4 == 3, "run {index}");
    }
    let counters = store.counters(sample.scope, &[counter("runs")]).await.expect("counters");
    assert_eq!(counters, [Counter { value: 20, held: 0 }]);
}
