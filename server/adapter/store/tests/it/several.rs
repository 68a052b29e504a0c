//! Several processes on one PostgreSQL: what one decides binds the others.

use std::time::Duration;

use adapter_store::Store;
use futures::StreamExt;
use futures::future::join_all;
use kernel::ledger::{Counter, LedgerError, Op, Refusal};
use kernel::port::{Catalog, Ledger, Notice, Notices, Processes, Runs, StoreError};
use kernel::record::Row;
use testkit::contract::ledger::{counter, line};
use testkit::contract::{applied, refused, seeded};
use testkit::database::TestDatabase;
use testkit::sample::{Sample, open_run, open_step, place, put};

use crate::open::{sqlite, store};

async fn two_stores() -> (Store, Store, TestDatabase, Sample) {
    let database = TestDatabase::postgres().await;
    let (first, second) = (store(&database).await, store(&database).await);
    let sample = seeded(&first).await;
    (first, second, database, sample)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_budget_is_fitted_exactly_by_two_processes() {
    let (first, second, _database, sample) = two_stores().await;
    let asking = (0..200).map(|number| {
        let run = sample.run();
        let step = sample.step(run.id);
        let hold = sample.hold(&step, vec![line("budget", 7, Some(7 * 13 + 6))]);
        let store = if number % 2 == 0 { &first } else { &second };
        store.commit(sample.opening([open_run(&run), open_step(&step), place(&hold)]))
    });
    let answers = join_all(asking).await;
    let admitted = answers.iter().filter(|answer| answer.is_ok()).count();
    let refused = answers.iter().filter(|answer| matches!(answer, Err(LedgerError::Refused(Refusal::Limit { .. }))));
    assert_eq!((admitted, refused.count()), (13, 187));
    let counters = second.counters(sample.scope, &[counter("budget")]).await.expect("counters");
    assert_eq!(counters, [Counter { value: 0, held: 7 * 13 }]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn first_uses_of_counters_and_sequences_add_up() {
    let (first, second, _database, sample) = two_stores().await;
    let writing = (0..60).map(|number| {
        let store = if number % 2 == 0 { &first } else { &second };
        let add = Op::CounterAdd { key: counter(&format!("{}", number % 6)), delta: 1, limit: None };
        store.commit(sample.opening([add, sample.audit().into()]))
    });
    for answer in join_all(writing).await {
        answer.expect("an applied batch");
    }
    let keys: Vec<_> = (0..6).map(|number| counter(&number.to_string())).collect();
    let counters = first.counters(sample.scope, &keys).await.expect("counters");
    assert_eq!(counters, vec![Counter { value: 10, held: 0 }; 6]);
}

#[tokio::test]
async fn a_raised_epoch_binds_the_other_process_at_once() {
    let (first, second, _database, sample) = two_stores().await;
    let before = second.snapshot(sample.scope).await.expect("a read").expect("the workspace");
    applied(&first, sample.opening([Op::EpochRaise(sample.scope.tenant_id)])).await;
    let stale = sample.opening([open_run(&sample.run())]).under_epoch(before.auth_epoch);
    assert_eq!(refused(&second, stale).await, Refusal::AuthEpoch { current: 1 });
    second.forget(sample.scope);
    let after = second.snapshot(sample.scope).await.expect("a read").expect("the workspace");
    assert_eq!(after.auth_epoch, 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_intent_passes_an_epoch_raised_beside_it() {
    let (first, second, _database, sample) = two_stores().await;
    for epoch in 0..20 {
        let intent = sample.opening([open_run(&sample.run())]).under_epoch(epoch);
        let raise = sample.opening([Op::EpochRaise(sample.scope.tenant_id)]);
        let (intent, raise) = futures::join!(second.commit(intent), first.commit(raise));
        raise.expect("an applied batch");
        assert!(matches!(intent, Ok(_) | Err(LedgerError::Refused(Refusal::AuthEpoch { .. }))), "{intent:?}");
        // Once the raise is answered, nothing decided before it starts.
        let late = sample.opening([open_run(&sample.run())]).under_epoch(epoch);
        assert_eq!(refused(&second, late).await, Refusal::AuthEpoch { current: epoch + 1 });
    }
}

#[tokio::test]
async fn a_process_buried_by_another_is_fenced() {
    let (first, second, _database, sample) = two_stores().await;
    let fence = first.register(sample.ids().process(), "all", "0.1.0", false).await.expect("a fence");
    applied(&first, sample.opening([open_run(&sample.owned_run(fence))]).fenced(fence)).await;
    assert_eq!(second.bury(Duration::ZERO).await.expect("a number"), 1);
    assert_eq!(refused(&first, sample.opening([open_run(&sample.run())]).fenced(fence)).await, Refusal::Fenced);
    assert_eq!(second.dead_work(10).await.expect("work").len(), 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_row_is_written_by_one_of_two() {
    let (first, second, _database, sample) = two_stores().await;
    for version in 2..12 {
        let mut workspace = sample.workspace();
        workspace.version = version;
        let write = || sample.opening([put(Row::Workspace(workspace.clone()))]);
        let (left, right) = futures::join!(first.commit(write()), second.commit(write()));
        let (winner, loser) = if left.is_ok() { (left, right) } else { (right, left) };
        winner.expect("one of two");
        let loser = loser.expect_err("the other");
        assert!(
            matches!(loser, LedgerError::Refused(Refusal::Version { current, .. }) if current == version),
            "{loser}"
        );
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_new_row_is_written_by_one_of_two() {
    let (first, second, _database, sample) = two_stores().await;
    for number in 0..10 {
        let throttle = kernel::record::LoginThrottle {
            key: format!("key-{number}"),
            failures: 1,
            window_start: testkit::sample::noon(),
            blocked_until: None,
            version: 1,
        };
        let write = || sample.opening([put(Row::LoginThrottle(throttle.clone()))]);
        let (left, right) = futures::join!(first.commit(write()), second.commit(write()));
        assert_eq!(usize::from(left.is_ok()) + usize::from(right.is_ok()), 1);
        let loser = left.err().or(right.err()).expect("the other");
        assert!(matches!(loser, LedgerError::Refused(Refusal::Version { current: 1, .. })), "{loser}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_one_process_tells_the_others_hear_and_it_does_not() {
    let (first, second, _database, sample) = two_stores().await;
    let (one, other) = (sample.ids().process(), sample.ids().process());
    let mut heard = second.listen(other).await.expect("a connection").expect("a server carries notices");
    let own = Notice { epochs: true, ..Notice::default() };
    let told = Notice { runs: true, events: true, ..Notice::default() };
    second.tell(other, own).await.expect("a notice");
    first.tell(one, told).await.expect("a notice");
    let next = tokio::time::timeout(Duration::from_secs(10), heard.next()).await.expect("it is heard");
    assert_eq!(next.expect("a notice").expect("a connection"), told, "its own word is not told to it");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_listens_is_told_that_the_connection_broke() {
    let (listening, _other, database, sample) = two_stores().await;
    let mut heard = listening.listen(sample.ids().process()).await.expect("a connection").expect("a server");
    let end = "SELECT pg_terminate_backend(pid)::text FROM pg_stat_activity WHERE query LIKE 'LISTEN%'";
    assert_eq!(database.texts(end).await, ["true"]);
    let ended = tokio::time::timeout(Duration::from_secs(10), heard.next()).await.expect("it ends");
    assert!(matches!(ended, Some(Err(StoreError::Unavailable(_)))), "{ended:?}");
    assert!(heard.next().await.is_none());
    listening.listen(sample.ids().process()).await.expect("another connection");
}

#[tokio::test]
async fn a_file_has_nobody_to_tell() {
    let (store, _alive) = sqlite().await;
    let sample = seeded(&store).await;
    let notice = Notice { runs: true, ..Notice::default() };
    store.tell(sample.ids().process(), notice).await.expect("nothing to do");
    assert!(store.listen(sample.ids().process()).await.expect("nothing to do").is_none());
}
