//! Random interleavings over the real databases: they decide like the fake, one by one and all at once.

use futures::future::join_all;
use kernel::ledger::LedgerError;
use kernel::port::{EventRange, Ledger, Runs};
use proptest::prelude::*;
use proptest::test_runner::TestCaseError;
use testkit::contract::seeded_as;
use testkit::database::Engine;
use testkit::fake::FakeStore;
use testkit::interleaving::{Cast, Script, check, scripts};
use types::run::RunQuery;

use crate::open::on;

/// Many scripts in one database, each in a world of its own.
fn run_scripts(engine: Engine, cases: u32, play: AsyncCase) {
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().expect("a runtime");
    let (store, _alive) = runtime.block_on(on(engine));
    let number = std::cell::Cell::new(1);
    let config =
        ProptestConfig { cases, failure_persistence: None, max_shrink_iters: 200, ..ProptestConfig::default() };
    proptest!(config, |(script in scripts(30))| {
        number.set(number.get() + 1);
        let name: &'static str = Box::leak(format!("world-{}", number.get()).into_boxed_str());
        runtime.block_on(async {
            let cast = Cast::new(seeded_as(&store, name, number.get()).await);
            play(&store, cast, script).await
        })?;
    });
}

type AsyncCase = for<'a> fn(
    &'a adapter_store::Store,
    Cast,
    Script,
) -> std::pin::Pin<Box<dyn Future<Output = Result<(), TestCaseError>> + 'a>>;

/// One batch after the other: the same answers and the same rows as the fake's.
async fn one_by_one(store: &adapter_store::Store, mut cast: Cast, script: Script) -> Result<(), TestCaseError> {
    let fake = FakeStore::new();
    fake.commit(cast.sample().seed()).await.expect("a seeded fake");
    for moves in &script {
        let batch = cast.play(moves);
        let (real, faked) = (store.commit(batch.clone()).await, fake.commit(batch).await);
        prop_assert_eq!(
            real.map_err(|error| error.to_string()),
            faked.map_err(|error| error.to_string()),
            "{:?}",
            moves
        );
    }
    let scope = cast.sample().scope;
    let all = RunQuery { limit: 200, ..RunQuery::default() };
    let runs = store.list_runs(scope, &all).await.expect("a page");
    prop_assert_eq!(&runs.items, &fake.list_runs(scope, &all).await.expect("a page").items);
    for run in runs.items {
        let range = EventRange { after: 0, limit: 1_000 };
        prop_assert_eq!(
            store.list_steps(scope, run.id).await.expect("steps"),
            fake.list_steps(scope, run.id).await.expect("steps")
        );
        prop_assert_eq!(
            store.list_costs(scope, run.id).await.expect("costs"),
            fake.list_costs(scope, run.id).await.expect("costs")
        );
        prop_assert_eq!(
            store.list_run_events(scope, run.id, range).await.expect("events"),
            fake.list_run_events(scope, run.id, range).await.expect("events")
        );
    }
    check(store, &cast).await;
    Ok(())
}

/// All batches submitted before the first is answered: nothing comes apart.
async fn all_at_once(store: &adapter_store::Store, mut cast: Cast, script: Script) -> Result<(), TestCaseError> {
    let batches: Vec<_> = script.iter().map(|moves| cast.play(moves)).collect();
    for answer in join_all(batches.into_iter().map(|batch| store.commit(batch))).await {
        prop_assert!(matches!(answer, Ok(_) | Err(LedgerError::Refused(_))), "{:?}", answer);
    }
    check(store, &cast).await;
    Ok(())
}

#[test]
fn sqlite_decides_like_the_fake() {
    run_scripts(Engine::Sqlite, 24, |store, cast, script| Box::pin(one_by_one(store, cast, script)));
}

#[test]
fn postgres_decides_like_the_fake() {
    run_scripts(Engine::Postgres, 16, |store, cast, script| Box::pin(one_by_one(store, cast, script)));
}

#[test]
fn nothing_comes_apart_on_sqlite() {
    run_scripts(Engine::Sqlite, 32, |store, cast, script| Box::pin(all_at_once(store, cast, script)));
}

#[test]
fn nothing_comes_apart_on_postgres() {
    run_scripts(Engine::Postgres, 24, |store, cast, script| Box::pin(all_at_once(store, cast, script)));
}
