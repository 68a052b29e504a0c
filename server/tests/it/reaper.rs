//! What a dead process leaves is ended by the next one, once and completely.

use std::sync::Arc;
use std::time::Duration;

use kernel::ledger::{Batch, CounterKey, HoldLine, Op};
use kernel::outbox::LIVE;
use kernel::port::EventRange;
use server::compose::App;
use server::worker::reap;
use testkit::sample::{self, Sample};
use types::id::RunId;
use types::run::{RunStatus, StepStatus};

use crate::util::test_app::on_both;

/// What was going on when the process died: one call that was out, one that was not.
struct Scene {
    sample: Sample,
    sent: RunId,
    unsent: RunId,
    counter: CounterKey,
}

async fn commit(app: &App, batch: Batch) {
    app.ledger.commit(batch).await.expect("a batch");
}

/// A process opens two calls and is gone.
async fn crash(app: &App) -> Scene {
    let sample = Sample::named("crash", 9);
    commit(app, sample.seed()).await;
    let dead = app.processes.register(app.ids.process(), "all", "0", false).await.expect("a process");
    let counter = CounterKey::key_tokens(sample.key_id, sample::noon());
    let mut runs = Vec::new();
    for sent in [true, false] {
        let run = sample.owned_run(dead);
        let mut step = sample.step(run.id);
        step.outbound_at = sent.then(sample::noon);
        let line = HoldLine { key: counter.clone(), amount: 15, limit: None };
        let mut hold = sample.hold(&step, vec![line]);
        hold.worst_case = Some(Box::new(sample.cost(run.id, step.id, 7_000)));
        let ops = [sample::open_run(&run), sample::open_step(&step), sample::place(&hold)];
        commit(app, sample.opening(ops).fenced(dead)).await;
        runs.push(run.id);
    }
    app.processes.close(dead).await.expect("its end");
    Scene { sample, sent: runs[0], unsent: runs[1], counter }
}

on_both! {
    async fn calls_that_were_out_are_booked_and_the_others_let_go(app: TestApp) {
        let app = &app.app;
        let Scene { sample, sent, unsent, counter } = crash(app).await;
        let scope = sample.scope;
        let reaped = app.reaper.pass().await.expect("a pass");
        assert_eq!((reaped.runs, reaped.calls, reaped.holds), (2, 1, 2));
        assert_eq!(app.reaper.pass().await.expect("another pass").runs, 0, "nothing is ended twice");

        for (run_id, costs) in [(sent, 1), (unsent, 0)] {
            let run = app.runs.find_run(scope, run_id).await.expect("a read").expect("the run");
            assert_eq!(run.status, RunStatus::Failed);
            assert_eq!(run.error.map(|error| error.code).as_deref(), Some("process_lost"));
            let steps = app.runs.list_steps(scope, run_id).await.expect("a read");
            assert!(steps.iter().all(|step| step.status == StepStatus::Failed && step.metrics["model"] == "echo"));
            let found = app.runs.list_costs(scope, run_id).await.expect("a read");
            assert_eq!(found.len(), costs);
            let range = EventRange { after: 0, limit: 10 };
            let events = app.runs.list_run_events(scope, run_id, range).await.expect("a read");
            let names: Vec<&str> = events.iter().map(|event| event.event_type.as_str()).collect();
            assert_eq!(names, ["step.closed", "run.finished"]);
        }
        let counters = app.runs.counters(scope, &[counter]).await.expect("a read");
        assert_eq!(counters.iter().map(|counter| counter.held).sum::<i64>(), 0, "no hold is left");
    }

    async fn several_reapers_end_each_run_once(app: TestApp) {
        let app = &app.app;
        let Scene { sample, sent, .. } = crash(app).await;
        let passes = futures::future::join_all((0..4).map(|_| app.reaper.pass())).await;
        let runs: u64 = passes.into_iter().map(|pass| pass.expect("a pass").runs).sum();
        assert_eq!(runs, 2);
        assert_eq!(app.runs.list_costs(sample.scope, sent).await.expect("a read").len(), 1);
    }

    async fn after_an_outage_nobody_is_taken_for_dead_who_was_only_not_heard(app: TestApp) {
        let (database, app) = (&app.database, &app.app);
        let other = app.processes.register(app.ids.process(), "neighbour", "0", false).await.expect("a process");
        let silent = "UPDATE processes SET beat_at = '2020-01-01T00:00:00.000000Z' WHERE role = 'neighbour' RETURNING role";
        assert_eq!(database.texts(silent).await.len(), 1);
        let is_alive = async || {
            let alive = app.processes.list_alive().await.expect("a read");
            alive.iter().any(|process| process.fence == other)
        };
        app.life.unheard();
        app.life.heard(app.clock.monotonic());
        reap(app).await.expect("a pass");
        assert!(is_alive().await, "this process has not heard the store itself for long enough");
        app.life.unheard();
        app.life.heard(Duration::ZERO);
        reap(app).await.expect("a pass");
        assert!(!is_alive().await, "it has heard the store all along");
    }

    async fn events_reach_their_consumer_and_are_done(app: TestApp) {
        let app = &app.app;
        let sample = Sample::named("events", 9);
        commit(app, sample.seed()).await;
        let run = sample.run();
        let event = Op::EventEmit(Arc::new(sample.event(run.id, LIVE)));
        commit(app, sample.opening([sample::open_run(&run), event])).await;
        let delivered = async || {
            let lags = app.outbox.lag().await.expect("a read");
            lags.iter().all(|lag| lag.pending == 0 && lag.leased == 0 && lag.dead == 0)
        };
        let wait = async {
            while !delivered().await {
                tokio::task::yield_now().await;
            }
        };
        tokio::time::timeout(Duration::from_secs(10), wait).await.expect("it is delivered");
    }
}
