//! Evidence is written once: the database itself refuses to change it.

use kernel::chain::{Checkpoint, Hash, Signature};
use kernel::port::Chains;
use sea_orm_migration::sea_orm::{ConnectionTrait, Database};
use testkit::contract::{applied, seeded};
use testkit::database::Engine;
use testkit::sample::{add_cost, append, close_step, noon, open_run, open_step};

use crate::open::on;

async fn evidence_is_guarded(engine: Engine) {
    let (store, database) = on(engine).await;
    let sample = seeded(&store).await;
    let run = sample.run();
    let (step, open) = (sample.step(run.id), sample.step(run.id));
    let mut audit = sample.audit();
    audit.run_id = Some(run.id);
    let ops = [
        open_run(&run),
        open_step(&step),
        open_step(&open),
        add_cost(&sample.cost(run.id, step.id, 1)),
        append(sample.run_event(run.id, "noted")),
        audit.into(),
        close_step(step.id),
    ];
    applied(&store, sample.opening(ops)).await;
    let checkpoint = Checkpoint {
        number: 1,
        first_seq: 1,
        last_seq: 1,
        root: Hash::ZERO,
        head: Hash::ZERO,
        previous: Hash::ZERO,
        sealed_at: noon(),
        key_id: "key_1".to_owned(),
        signature: Signature([0; 64]),
    };
    store.put_checkpoint(sample.scope, &checkpoint).await.expect("a checkpoint");
    let connection = Database::connect(database.url()).await.expect("a connection");
    let run_sql = |sql: &'static str| {
        let connection = &connection;
        async move { connection.execute_unprepared(sql).await }
    };
    for sql in [
        "UPDATE steps SET metrics = '{}' WHERE status = 'succeeded'",
        "UPDATE costs SET amount = 0",
        "UPDATE audit SET outcome = 'denied'",
        "UPDATE run_events SET payload = '{}'",
        "DELETE FROM steps",
        "DELETE FROM costs",
        "DELETE FROM audit",
        "DELETE FROM run_events",
        "DELETE FROM runs",
        "UPDATE steps SET output_preview = NULL WHERE status = 'succeeded'",
        "UPDATE chain_entries SET kind = 'run'",
        "DELETE FROM chain_entries",
        "UPDATE chain_checkpoints SET number = 2",
        "DELETE FROM chain_checkpoints",
    ] {
        let error = run_sql(sql).await.expect_err(sql).to_string();
        assert!(error.contains("never changed") || error.contains("only deleted by a purge"), "{sql}: {error}");
    }
    if engine == Engine::Postgres {
        for table in ["steps", "costs", "audit", "run_events", "chain_entries", "chain_checkpoints"] {
            assert!(connection.execute_unprepared(&format!("TRUNCATE {table}")).await.is_err(), "{table}");
        }
    }
    run_sql("UPDATE steps SET metrics = '{}' WHERE status = 'open'").await.expect("an open step moves");
    for table in ["runs", "audit"] {
        let purge = format!(
            "INSERT INTO purge_list (subject_id, tenant_id, workspace_id) SELECT id, tenant_id, workspace_id FROM {table}"
        );
        connection.execute_unprepared(&purge).await.expect("a place on the list");
    }
    for sql in [
        "UPDATE steps SET output_preview = 'another answer' WHERE status = 'succeeded'",
        "UPDATE steps SET output_preview = NULL, metrics = '{}' WHERE status = 'succeeded'",
        "UPDATE costs SET amount = 0",
    ] {
        let error = run_sql(sql).await.expect_err(sql).to_string();
        assert!(error.contains("never changed"), "what may go may not be changed: {sql}: {error}");
    }
    run_sql("UPDATE steps SET input_preview = NULL, output_preview = NULL").await.expect("content may go to nothing");
    for sql in ["DELETE FROM run_events", "DELETE FROM costs", "DELETE FROM audit", "DELETE FROM steps"] {
        run_sql(sql).await.expect(sql);
    }
}

/// What a run that is over showed may only go to nothing, and only while the run stands on the list.
async fn content_only_goes_to_nothing(engine: Engine) {
    let (store, database) = on(engine).await;
    let sample = seeded(&store).await;
    let run = sample.run();
    let ops = [open_run(&run), testkit::sample::move_run(run.id, types::run::RunStatus::Succeeded)];
    applied(&store, sample.opening(ops)).await;
    let connection = Database::connect(database.url()).await.expect("a connection");
    for listed in [false, true] {
        if listed {
            let purge = "INSERT INTO purge_list (subject_id, tenant_id, workspace_id)
                         SELECT id, tenant_id, workspace_id FROM runs";
            connection.execute_unprepared(purge).await.expect("a place on the list");
        }
        let sql = "UPDATE runs SET input_preview = 'another question'";
        let error = connection.execute_unprepared(sql).await.expect_err(sql).to_string();
        assert!(error.contains("never changed"), "{error}");
        let erased = connection.execute_unprepared("UPDATE runs SET input_preview = NULL, salt = NULL").await;
        assert_eq!(erased.is_ok(), listed, "{erased:?}");
    }
}

#[tokio::test]
async fn content_only_goes_to_nothing_on_sqlite() {
    content_only_goes_to_nothing(Engine::Sqlite).await;
}

#[tokio::test]
async fn content_only_goes_to_nothing_on_postgres() {
    content_only_goes_to_nothing(Engine::Postgres).await;
}

#[tokio::test]
async fn evidence_is_guarded_on_sqlite() {
    evidence_is_guarded(Engine::Sqlite).await;
}

#[tokio::test]
async fn evidence_is_guarded_on_postgres() {
    evidence_is_guarded(Engine::Postgres).await;
}

/// Money that is unknown is not zero, and what is free costs nothing.
async fn a_cost_says_what_it_knows(engine: Engine) {
    use types::cost::PricingStatus as P;
    let (store, _alive) = on(engine).await;
    let sample = seeded(&store).await;
    for (status, nanos, fits) in [
        (P::Priced, Some(1), true),
        (P::Estimated, Some(0), true),
        (P::Free, Some(0), true),
        (P::Free, Some(1), false),
        (P::Unpriced, None, true),
        (P::Unpriced, Some(0), false),
        (P::Priced, None, false),
    ] {
        let run = sample.run();
        let mut cost = sample.cost(run.id, sample.ids().step(), 0);
        cost.pricing_status = status;
        cost.amount = nanos.map(types::money::Amount::from_nanos);
        cost.currency = cost.amount.and(cost.currency);
        let booked = kernel::port::Ledger::commit(&store, sample.opening([open_run(&run), add_cost(&cost)])).await;
        assert_eq!(booked.is_ok(), fits, "{status} {nanos:?}");
    }
}

#[tokio::test]
async fn a_cost_says_what_it_knows_on_sqlite() {
    a_cost_says_what_it_knows(Engine::Sqlite).await;
}

#[tokio::test]
async fn a_cost_says_what_it_knows_on_postgres() {
    a_cost_says_what_it_knows(Engine::Postgres).await;
}
