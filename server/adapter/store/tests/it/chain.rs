//! A chain tells what was changed behind soit's back: with triggers off, any row at all.

use std::sync::Arc;

use adapter_store::Store;
use chrono::{DateTime, Utc};
use futures::future::{BoxFuture, join_all};
use kernel::OpContext;
use kernel::chain::{Chain, Ports};
use kernel::ledger::{Audit, NewArtifact, Op, Place};
use kernel::port::{Chains, Clock, Ledger};
use sea_orm_migration::sea_orm::{ConnectionTrait, Database};
use testkit::contract::{applied, seeded};
use testkit::database::{Engine, TestDatabase};
use testkit::fake::FakeSigner;
use testkit::sample::{Sample, add_cost, move_run, noon, open_run, open_step, step_end};
use types::artifact::ArtifactKind;
use types::chain::{ChainProblem, ChainVerification};
use types::id::{AuditId, RunId};
use types::run::RunStatus;

use crate::open::{on, store};

/// Stands still.
struct Stopped;

impl Clock for Stopped {
    fn now(&self) -> DateTime<Utc> {
        noon()
    }

    fn monotonic(&self) -> std::time::Duration {
        std::time::Duration::ZERO
    }

    fn sleep(&self, _: std::time::Duration) -> BoxFuture<'static, ()> {
        Box::pin(std::future::pending())
    }
}

/// A chain of a store, signed by the key of a number.
fn chain(store: &Store, key: u8) -> Chain {
    Chain::new(Ports {
        chains: Arc::new(store.clone()),
        signer: Arc::new(FakeSigner::new(key)),
        clock: Arc::new(Stopped),
    })
}

fn reader(sample: &Sample) -> OpContext {
    OpContext::system("test", sample.scope, sample.ids().request(), noon())
}

fn artifact(sample: &Sample, run_id: RunId) -> NewArtifact {
    NewArtifact {
        id: sample.ids().artifact(),
        run_id: Some(run_id),
        step_id: None,
        kind: ArtifactKind::File,
        mime: "text/plain; charset=utf-8".to_owned(),
        size: 5,
        sha256: sample.digest(7),
        place: Place::Inline(b"bytes".to_vec()),
        expires_at: None,
    }
}

/// Entries 1 and 2 are of audit rows, 3 of a run with a step, a cost and an artifact, 4 of an audit row. The run's id.
async fn four_entries(store: &Store, sample: &Sample) -> RunId {
    let run = sample.run();
    let step = sample.step(run.id);
    applied(store, sample.opening([sample.audit().into(), sample.audit().into()])).await;
    applied(store, sample.opening([open_run(&run), open_step(&step)])).await;
    let artifact = artifact(sample, run.id);
    let mut end = step_end(step.id);
    end.output.artifact_id = Some(artifact.id);
    let ended = [
        Op::ArtifactAdd(Arc::new(artifact)),
        Op::StepClose(Arc::new(end)),
        add_cost(&sample.cost(run.id, step.id, 5)),
        move_run(run.id, RunStatus::Succeeded),
    ];
    applied(store, sample.closing(ended)).await;
    applied(store, sample.opening([sample.audit().into()])).await;
    run.id
}

/// Runs statements with every trigger of the tables off.
async fn behind_its_back(database: &TestDatabase, sql: &[String]) {
    let connection = Database::connect(database.url()).await.expect("a connection");
    let tables = ["audit", "runs", "steps", "costs", "chain_entries", "chain_checkpoints"];
    for table in tables {
        if database.engine() == Engine::Postgres {
            let off = format!("ALTER TABLE {table} DISABLE TRIGGER USER");
            connection.execute_unprepared(&off).await.expect("triggers off");
        } else {
            for kind in ["update", "delete", "content_update"] {
                let off = format!("DROP TRIGGER IF EXISTS {table}_{kind}");
                connection.execute_unprepared(&off).await.expect("triggers off");
            }
        }
    }
    for sql in sql {
        connection.execute_unprepared(sql).await.unwrap_or_else(|error| panic!("{sql}: {error}"));
    }
}

fn told(found: &ChainVerification) -> (Option<u64>, Option<ChainProblem>) {
    (found.first_bad_seq, found.problem)
}

async fn what_is_changed_is_named(engine: Engine) {
    use ChainProblem as P;
    let own = |sql: &str| vec![sql.to_owned()];
    // One kind of change each; what is found where; whether the record is named, and by which prefix.
    let cases: Vec<(Vec<String>, u64, P, &str)> = vec![
        (own("UPDATE audit SET outcome = 'denied' WHERE seq = 2"), 2, P::RecordAltered, "aud_"),
        (own("UPDATE audit SET payload = '{\"x\":1}' WHERE seq = 1"), 1, P::RecordAltered, "aud_"),
        (own("DELETE FROM audit WHERE seq = 2"), 2, P::RecordMissing, "aud_"),
        (
            ["3000 WHERE seq = 1", "1 WHERE seq = 2", "2 WHERE seq = 3000"]
                .map(|to| format!("UPDATE audit SET seq = {to}"))
                .to_vec(),
            1,
            P::RecordAltered,
            "aud_",
        ),
        (own("UPDATE runs SET caller_id = 'usr_other'"), 3, P::RecordAltered, "run_"),
        (own("UPDATE runs SET user_id = NULL"), 3, P::RecordAltered, "run_"),
        (own("UPDATE runs SET input_preview = 'another question'"), 3, P::RecordAltered, "run_"),
        (own("UPDATE steps SET metrics = '{}'"), 3, P::RecordAltered, "stp_"),
        (own("DELETE FROM costs"), 3, P::RecordMissing, "cst_"),
        (own("UPDATE costs SET amount = 0"), 3, P::RecordAltered, "cst_"),
        (own("UPDATE artifacts SET sha256 = (SELECT hash FROM chains)"), 3, P::RecordAltered, "art_"),
        (own("UPDATE chain_entries SET subject_id = 'aud_x' WHERE seq = 2"), 2, P::EntryAltered, ""),
        (own("UPDATE chain_entries SET parts = NULL WHERE seq = 3"), 3, P::EntryAltered, ""),
        (own("DELETE FROM chain_entries WHERE seq = 2"), 2, P::EntryMissing, ""),
        (own("DELETE FROM chain_entries WHERE seq = 4"), 4, P::EntryMissing, ""),
        (own("UPDATE chains SET seq = 3"), 3, P::HeadAltered, ""),
        (own("DELETE FROM chain_checkpoints"), 1, P::CheckpointAltered, ""),
        (own("UPDATE chain_checkpoints SET last_seq = 2"), 1, P::CheckpointAltered, ""),
        (own("UPDATE chain_checkpoints SET key_id = 'key_x'"), 1, P::CheckpointUnsigned, ""),
    ];
    for (sql, seq, problem, record) in cases {
        let (store, database) = on(engine).await;
        let sample = seeded(&store).await;
        four_entries(&store, &sample).await;
        let (chain, ctx) = (chain(&store, 1), reader(&sample));
        chain.seal(sample.scope).await.expect("a checkpoint");
        let sound = chain.verify(&ctx, None, None).await.expect("an answer");
        assert_eq!((sound.valid, sound.checked, sound.to), (true, 4, 4), "{sound:?}");
        behind_its_back(&database, &sql).await;
        let found = chain.verify(&ctx, None, None).await.expect("an answer");
        assert_eq!(told(&found), (Some(seq), Some(problem)), "{sql:?}: {found:?}");
        assert!(!found.valid && found.record.as_deref().unwrap_or_default().starts_with(record), "{sql:?}: {found:?}");
        assert_eq!(found.record.is_some(), !record.is_empty(), "{sql:?}: {found:?}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_changed_is_named_on_sqlite() {
    what_is_changed_is_named(Engine::Sqlite).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_changed_is_named_on_postgres() {
    what_is_changed_is_named(Engine::Postgres).await;
}

/// Who rewrites entries with all that follows still lacks the key.
async fn a_rewritten_chain_does_not_fit_its_checkpoint(engine: Engine) {
    let (store, database) = on(engine).await;
    let sample = seeded(&store).await;
    let (chain, ctx) = (chain(&store, 1), reader(&sample));
    let rows: Vec<Audit> = (0..3).map(|_| sample.audit()).collect();
    applied(&store, sample.opening(rows.iter().cloned().map(Op::from))).await;
    chain.seal(sample.scope).await.expect("a checkpoint");
    // The same rows, but for one, written anew from the start: a chain that is sound in itself.
    let clear = ["chain_entries", "chains", "audit", "sequences"].map(|table| format!("DELETE FROM {table}"));
    behind_its_back(&database, &clear).await;
    let forged = rows.into_iter().enumerate().map(|(place, row)| {
        let actor = if place == 1 {
            types::run::Caller { id: "usr_other".to_owned(), ..row.actor.clone() }
        } else {
            row.actor.clone()
        };
        Op::from(Audit { actor, ..row })
    });
    applied(&store, sample.opening(forged)).await;
    let found = chain.verify(&ctx, None, None).await.expect("an answer");
    assert_eq!(told(&found), (Some(1), Some(ChainProblem::CheckpointAltered)), "{found:?}");
}

#[tokio::test]
async fn a_rewritten_chain_does_not_fit_its_checkpoint_on_sqlite() {
    a_rewritten_chain_does_not_fit_its_checkpoint(Engine::Sqlite).await;
}

#[tokio::test]
async fn a_rewritten_chain_does_not_fit_its_checkpoint_on_postgres() {
    a_rewritten_chain_does_not_fit_its_checkpoint(Engine::Postgres).await;
}

/// The rows hold no content any more and no purge took it: it is missing; without its salt, what is there is not it.
async fn content_that_no_purge_took_is_missing(engine: Engine) {
    let (store, database) = on(engine).await;
    let sample = seeded(&store).await;
    let id = four_entries(&store, &sample).await;
    let (chain, ctx) = (chain(&store, 1), reader(&sample));
    let parts = store.find_entries(sample.scope, &[id.to_string()]).await.expect("entries")[0].parts.clone();
    let parts = parts.expect("the parts of a run");
    assert!(parts.contains(&format!("{id}.input")) && !parts.contains("a question"), "{parts}");
    let erased = [
        "UPDATE runs SET input_preview = NULL, output_preview = NULL, salt = NULL",
        "UPDATE steps SET input_preview = NULL, output_preview = NULL",
    ];
    behind_its_back(&database, &erased.map(str::to_owned)).await;
    let found = chain.verify(&ctx, None, None).await.expect("an answer");
    assert_eq!(
        (found.problem, found.record),
        (Some(ChainProblem::RecordMissing), Some(format!("{id}.input"))),
        "no purge took it"
    );
    behind_its_back(&database, &["UPDATE runs SET input_preview = 'a question'".to_owned()]).await;
    let found = chain.verify(&ctx, None, None).await.expect("an answer");
    assert_eq!(found.record, Some(format!("{id}.input")), "without its salt it is not what was committed to");
}

#[tokio::test]
async fn content_that_no_purge_took_is_missing_on_sqlite() {
    content_that_no_purge_took_is_missing(Engine::Sqlite).await;
}

#[tokio::test]
async fn content_that_no_purge_took_is_missing_on_postgres() {
    content_that_no_purge_took_is_missing(Engine::Postgres).await;
}

/// Checkpoints of several lengths, checked whole and in parts, by who knows their key and by who does not.
async fn a_chain_is_checked_in_parts(engine: Engine) {
    let (store, _database) = on(engine).await;
    let sample = seeded(&store).await;
    let (chain_of_one, ctx) = (chain(&store, 1), reader(&sample));
    for count in [1_usize, 300, 7] {
        let rows = (0..count).map(|_| Op::from(sample.audit()));
        applied(&store, sample.opening(rows)).await;
        chain_of_one.seal(sample.scope).await.expect("a checkpoint");
    }
    applied(&store, sample.opening([sample.audit().into()])).await;
    let state = chain_of_one.find_state(&ctx).await.expect("a state");
    assert_eq!((state.entries, state.unsealed), (309, 1));
    assert_eq!(state.last_checkpoint.map(|last| (last.number, last.first_seq, last.last_seq)), Some((3, 302, 308)));
    for (from, to, checked) in
        [(None, None, 309), (Some(2), None, 308), (Some(150), Some(305), 156), (Some(309), None, 1), (None, Some(1), 1)]
    {
        let found = chain_of_one.verify(&ctx, from, to).await.expect("an answer");
        assert_eq!((found.valid, found.checked, found.next_from), (true, checked, None), "{from:?} {to:?} {found:?}");
    }
    let stranger = chain(&store, 2).verify(&ctx, None, None).await.expect("an answer");
    assert_eq!(told(&stranger), (Some(1), Some(ChainProblem::CheckpointUnsigned)));
    for (from, to, field) in [(Some(0), None, "from"), (Some(310), None, "from"), (Some(5), Some(4), "to")] {
        let refused = chain_of_one.verify(&ctx, from, to).await.expect_err("a wrong stretch");
        assert_eq!(refused.problem().errors[0].field, field);
    }
}

#[tokio::test]
async fn a_chain_is_checked_in_parts_on_sqlite() {
    a_chain_is_checked_in_parts(Engine::Sqlite).await;
}

#[tokio::test]
async fn a_chain_is_checked_in_parts_on_postgres() {
    a_chain_is_checked_in_parts(Engine::Postgres).await;
}

/// What does not follow from the last checkpoint is never signed, and other chains are sealed all the same.
async fn a_broken_chain_is_not_sealed(engine: Engine) {
    let (store, database) = on(engine).await;
    let sample = seeded(&store).await;
    let other = testkit::contract::seeded_as(&store, "other", 2).await;
    for here in [&sample, &other] {
        let rows = (0..1_000).map(|_| Op::from(here.audit()));
        applied(&store, here.opening(rows)).await;
    }
    let first = AuditId::from_uuid(types::id::Uuid::nil());
    let forge = format!(
        "UPDATE chain_entries SET subject_id = '{first}' WHERE seq = 700 AND workspace_id = {}",
        match engine {
            Engine::Sqlite => format!("x'{}'", sample.scope.workspace_id.as_uuid().simple()),
            Engine::Postgres => format!("'{}'", sample.scope.workspace_id.as_uuid()),
        }
    );
    behind_its_back(&database, &[forge]).await;
    let waits = chain(&store, 1).seal_due().await.expect("a pass");
    assert!(waits.is_some(), "the broken one waits");
    assert_eq!(store.last_checkpoint(sample.scope).await.expect("a read"), None);
    assert_eq!(store.last_checkpoint(other.scope).await.expect("a read").map(|last| last.last_seq), Some(1_000));
}

#[tokio::test]
async fn a_broken_chain_is_not_sealed_on_sqlite() {
    a_broken_chain_is_not_sealed(Engine::Sqlite).await;
}

#[tokio::test]
async fn a_broken_chain_is_not_sealed_on_postgres() {
    a_broken_chain_is_not_sealed(Engine::Postgres).await;
}

/// Two processes write one workspace and seal it, all at once: one chain without a gap, each stretch under one checkpoint.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_processes_write_and_seal_one_chain() {
    let database = TestDatabase::postgres().await;
    let (first, second) = (store(&database).await, store(&database).await);
    let sample = seeded(&first).await;
    let writing = (0..400).map(|number| {
        let run = sample.run();
        let mut ops = vec![open_run(&run), move_run(run.id, RunStatus::Succeeded)];
        if number % 4 == 0 {
            ops.push(sample.audit().into());
        }
        let store = if number % 2 == 0 { &first } else { &second };
        store.commit(sample.closing(ops))
    });
    let sealing = async {
        for _ in 0..10 {
            let (one, two) = (chain(&first, 1), chain(&second, 1));
            let (one, two) = futures::join!(one.seal(sample.scope), two.seal(sample.scope));
            one.and(two).expect("a seal");
            tokio::task::yield_now().await;
        }
    };
    let (answers, ()) = futures::join!(join_all(writing), sealing);
    for answer in answers {
        answer.expect("an applied batch");
    }
    chain(&second, 1).seal(sample.scope).await.expect("a seal");
    let found = chain(&first, 1).verify(&reader(&sample), None, None).await.expect("an answer");
    assert_eq!((found.valid, found.checked, found.to), (true, 500, 500), "{found:?}");
    let head = first.head(sample.scope).await.expect("a head");
    assert_eq!((head.seq, head.sealed), (500, 500));
}
