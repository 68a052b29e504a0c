//! A store that is slow, away, or back without its memory; rules that move.

use std::sync::atomic::Ordering;
use std::time::Duration;

use types::problem::Code;
use types::run::RunStatus;

use super::provider::{whole, words};
use super::world::{World, ask, ask_stream, budget, budget_counter};

#[tokio::test(start_paused = true)]
async fn without_a_store_nothing_starts() {
    let world = World::new();
    world.provider.will([whole("x", 1, 1)]);
    world.ledger.is_down.store(true, Ordering::SeqCst);
    let refused = world.chat(ask("model:acme:gpt")).await.unwrap_err();
    assert_eq!((refused.error.code(), refused.error.retry_after()), (Code::LedgerUnavailable, Some(1)));
    assert!(world.provider.received.lock().unwrap().is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_settlement_is_kept_until_the_store_takes_it() {
    let world = World::new();
    world.set_up(|snapshot| snapshot.budgets = vec![budget("1", true)]);
    world.provider.will([words(&["a"], Duration::from_secs(1))]);
    let started = tokio::time::Instant::now();
    let (answer, ()) = tokio::join!(world.streamed(ask_stream("model:acme:gpt")), async {
        tokio::time::sleep(Duration::from_millis(500)).await;
        world.ledger.is_down.store(true, Ordering::SeqCst);
    });
    // Frames at one second each: words, finish, usage, end; then the patience of two seconds.
    assert_eq!((answer.1, started.elapsed().as_secs()), (None, 6));
    assert_eq!((world.counter(budget_counter()).value, world.gateway.settles_deferred()), (0, 1));
    world.ledger.is_down.store(false, Ordering::SeqCst);
    world.settled().await;
    assert_eq!(world.gateway.settles_deferred(), 0);
    assert_eq!(world.run(world.only_run()).0, RunStatus::Succeeded);
    assert_eq!(world.counter(budget_counter()).value, 12_000);
    world.nothing_is_left();
}

#[tokio::test(start_paused = true)]
async fn a_settlement_the_store_cannot_write_is_told_and_written_once_it_can() {
    let world = World::new();
    world.provider.will([words(&["a"], Duration::from_secs(1))]);
    let (answer, ()) = tokio::join!(world.streamed(ask_stream("model:acme:gpt")), async {
        tokio::time::sleep(Duration::from_millis(500)).await;
        world.ledger.is_broken.store(true, Ordering::SeqCst);
    });
    assert_eq!((answer.1, world.gateway.settles_stuck()), (None, 0), "the client is answered all the same");
    tokio::time::sleep(Duration::from_secs(3_600)).await;
    assert_eq!((world.gateway.settles_stuck(), world.open_runs()), (1, 1), "an hour later it is still tried");
    world.ledger.is_broken.store(false, Ordering::SeqCst);
    world.settled().await;
    assert_eq!((world.gateway.settles_stuck(), world.gateway.settles_deferred()), (0, 0));
    assert_eq!(world.run(world.only_run()).0, RunStatus::Succeeded);
    world.nothing_is_left();
}

#[tokio::test(start_paused = true)]
async fn a_call_ends_also_when_its_workspace_is_gone_meanwhile() {
    let world = World::new();
    world.set_up(|snapshot| snapshot.budgets = vec![budget("1", true)]);
    world.provider.will([words(&["a"], Duration::from_secs(1))]);
    let (answer, ()) = tokio::join!(world.streamed(ask_stream("model:acme:gpt")), async {
        tokio::time::sleep(Duration::from_millis(500)).await;
        world.around.is_gone.store(true, Ordering::SeqCst);
    });
    assert_eq!(answer.1, None);
    world.settled().await;
    assert_eq!((world.run(world.only_run()).0, world.costs().len()), (RunStatus::Succeeded, 1));
    assert_eq!(world.counter(budget_counter()).value, 12_000, "the budget of the admission pays");
    world.nothing_is_left();
}

#[tokio::test(start_paused = true)]
async fn a_store_that_lost_the_intent_gets_it_again() {
    let world = World::new();
    world.set_up(|snapshot| snapshot.budgets = vec![budget("1", true)]);
    world.provider.will([words(&["a"], Duration::from_secs(1))]);
    let (answer, ()) = tokio::join!(world.streamed(ask_stream("model:acme:gpt")), async {
        tokio::time::sleep(Duration::from_millis(500)).await;
        world.ledger.forgets.store(true, Ordering::SeqCst);
    });
    assert_eq!(answer.1, None);
    let run_id = world.only_run();
    assert_eq!((world.run(run_id).0, world.steps(run_id).len(), world.costs().len()), (RunStatus::Succeeded, 1, 1));
    assert_eq!(world.counter(budget_counter()).value, 12_000);
    world.settled().await;
    world.nothing_is_left();
}

#[tokio::test(start_paused = true)]
async fn a_call_decided_under_old_rules_is_decided_again() {
    let world = World::new();
    world.provider.will([whole("x", 1, 1)]);
    let request = kernel::gateway::Request {
        operation: kernel::gateway::Operation::Chat,
        body: ask("model:acme:gpt").to_string().into_bytes(),
        headers: Vec::new(),
    };
    let caller = world.caller(super::world::key());
    world.raise_epoch();
    world.gateway.complete(caller, request).await.unwrap();
    assert_eq!(world.around.decided.load(Ordering::SeqCst), 1);
}
