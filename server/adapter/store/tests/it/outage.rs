//! A server that goes away, also in the middle of a COMMIT.

use std::time::Duration;

use adapter_store::{OpenError, Store};
use kernel::ledger::{Counter, LedgerError, Op};
use kernel::port::{Ledger, Runs, StoreError};
use testkit::contract::ledger::counter;
use testkit::contract::{applied, seeded};
use testkit::database::{Fault, Proxy, TestDatabase};
use testkit::sample::{Sample, open_run};

use crate::open::options;

/// A store behind a proxy, with one lane so that what waits is seen to wait.
async fn behind_a_proxy() -> (Store, Proxy, TestDatabase, Sample) {
    let database = TestDatabase::postgres().await;
    let proxy = Proxy::before(database.url()).await;
    let mut options = options(&proxy.url(database.url()));
    options.lanes = 1;
    let store = Store::connect(options).await.expect("a store that opens");
    let sample = seeded(&store).await;
    (store, proxy, database, sample)
}

async fn a_lost_commit_is_neither_lost_nor_repeated(fault: Fault, is_sent_again: bool) {
    let (store, proxy, _database, sample) = behind_a_proxy().await;
    let run = sample.run();
    let add = || Op::CounterAdd { key: counter("calls"), delta: 1, limit: Some(10) };
    proxy.set(fault);
    applied(&store, sample.opening([open_run(&run), add()])).await;
    assert!(proxy.is_spent(), "the commit was cut");
    assert!(store.find_run(sample.scope, run.id).await.expect("a read").is_some());
    let counters = store.counters(sample.scope, &[counter("calls")]).await.expect("counters");
    assert_eq!(counters, [Counter { value: 1, held: 0 }]);
    assert_eq!(store.figures().retries > 0, is_sent_again);
    applied(&store, sample.opening([add()])).await;
}

#[tokio::test]
async fn a_commit_that_never_arrived_is_sent_again() {
    a_lost_commit_is_neither_lost_nor_repeated(Fault::BeforeCommit, true).await;
}

#[tokio::test]
async fn a_commit_whose_answer_was_lost_is_not_repeated() {
    a_lost_commit_is_neither_lost_nor_repeated(Fault::AfterCommit, false).await;
}

#[tokio::test]
async fn a_server_that_is_down_is_told_as_such_and_comes_back() {
    let (store, proxy, _database, sample) = behind_a_proxy().await;
    proxy.set(Fault::Down);
    let (first, second) = (sample.run(), sample.run());
    let refused = store.commit(sample.opening([open_run(&first)])).await;
    assert!(matches!(refused, Err(LedgerError::Unavailable(_))), "{refused:?}");
    let read = store.find_run(sample.scope, first.id).await;
    assert!(matches!(read, Err(StoreError::Unavailable(_))), "{read:?}");
    proxy.set(Fault::None);
    // Connections that broke are found out one after the other.
    let mut answer = store.commit(sample.opening([open_run(&second)])).await;
    for _ in 0..5 {
        if answer.is_ok() {
            break;
        }
        answer = store.commit(sample.opening([open_run(&second)])).await;
    }
    answer.expect("the server is back");
    assert!(store.find_run(sample.scope, first.id).await.expect("a read").is_none());
}

#[tokio::test]
async fn a_server_that_is_not_there_does_not_open() {
    let mut options = options("postgres://soit@127.0.0.1:9/soit");
    options.wait = Duration::ZERO;
    assert!(matches!(Store::connect(options).await, Err(OpenError::Unreachable(_))));
}
