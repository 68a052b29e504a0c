//! Many callers share a transaction, and what they do in it is written in few statements.

use std::sync::Arc;
use std::time::Duration;

use adapter_store::Figures;
use futures::future::join_all;
use kernel::ledger::{Batch, Durability, Op};
use kernel::port::Ledger;
use testkit::contract::ledger::counter;
use testkit::contract::seeded;
use testkit::database::Engine;
use testkit::sample::{Sample, add_cost, open_run, open_step};

use crate::open::on;

/// A run, three steps, a cost, two counters and an event, synced.
fn work(sample: &Sample) -> Batch {
    let run = sample.run();
    let steps = [(); 3].map(|()| sample.step(run.id));
    let cost = sample.cost(run.id, steps[0].id, 1);
    let add = |name| Op::CounterAdd { key: counter(name), delta: 1, limit: None };
    let event = Op::EventEmit(Arc::new(sample.event(run.id, "live")));
    let mut batch = Batch::opening(sample.scope, Durability::Power).with([open_run(&run)]);
    batch.ops.extend(steps.iter().map(open_step));
    batch.with([add_cost(&cost), add("calls"), add("tokens"), event])
}

async fn sixty_four_writers_share_transactions(engine: Engine) {
    let (store, _alive) = on(engine).await;
    let sample = seeded(&store).await;
    let before = store.figures();
    let writers = (0..64).map(|_| async {
        for _ in 0..10 {
            store.commit(work(&sample)).await.expect("an applied batch");
        }
    });
    join_all(writers).await;
    let Figures { transactions, batches, statements, .. } = store.figures();
    let (transactions, batches) = (transactions - before.transactions, batches - before.batches);
    assert_eq!(batches, 640);
    assert!(transactions <= batches / 8, "{transactions} transactions for {batches} batches");
    let statements = statements - before.statements;
    assert!(statements <= transactions * 20, "{statements} statements in {transactions} transactions");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sixty_four_writers_share_transactions_on_sqlite() {
    sixty_four_writers_share_transactions(Engine::Sqlite).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sixty_four_writers_share_transactions_on_postgres() {
    sixty_four_writers_share_transactions(Engine::Postgres).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_young_table_is_counted_so_that_its_rows_are_found_by_their_key() {
    let (store, database) = on(Engine::Postgres).await;
    let sample = seeded(&store).await;
    for _ in 0..5 {
        let written = join_all((0..64).map(|_| store.commit(work(&sample)))).await;
        assert!(written.iter().all(Result::is_ok));
    }
    // What PostgreSQL asks for every row that refers to a run.
    let (tenant, workspace) = (sample.scope.tenant_id.as_uuid(), sample.scope.workspace_id.as_uuid());
    let asking = format!(
        "EXPLAIN SELECT 1 FROM ONLY runs x WHERE tenant_id = '{tenant}' AND workspace_id = '{workspace}' AND id = '{}' \
         FOR KEY SHARE OF x",
        sample.run().id.as_uuid()
    );
    let by_key = |plan: &[String]| plan.iter().any(|line| line.contains("runs_pkey") || line.contains("id_id_key"));
    let mut plan = database.texts(&asking).await;
    // The tables are counted after the writers got their answers.
    for _ in 0..100 {
        if by_key(&plan) {
            return;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
        plan = database.texts(&asking).await;
    }
    panic!("{plan:?}");
}
