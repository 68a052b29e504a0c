//! Hash chains: an entry for each audit row and each run that ended, in the commit that writes them.

use std::sync::Arc;

use futures::future::join_all;
use kernel::chain::{Checkpoint, Entry, Hash, Kind, Rotation, Signature};
use kernel::context::Scope;
use kernel::ledger::{Audit, NewStep, Op, RunEnd};
use kernel::port::{ChainHead, KeyKeeper};
use serde_json::json;
use types::run::{Content, Failure, RunStatus};

use super::{Store, applied, refused, seeded, seeded_as};
use crate::fake::FakeSigner;
use crate::sample::{Sample, add_cost, close_step, move_run, noon, open_run, open_step, run_end};

async fn chain(store: &impl Store, scope: Scope) -> Vec<Entry> {
    store.list_entries(scope, 1, 1_000).await.expect("entries")
}

/// Opens and ends a run in one batch.
fn whole_run(sample: &Sample) -> [Op; 2] {
    let run = sample.run();
    [open_run(&run), move_run(run.id, RunStatus::Succeeded)]
}

/// What readers see makes the same entry again, whatever was written: U+0000, numbers as written, content and none.
pub async fn what_is_read_back_makes_the_entry_that_was_written(store: &impl Store) {
    let sample = seeded(store).await;
    let run = sample.run();
    let odd =
        json!({ "nul\0": "a\0b", "large": 9_007_199_254_740_993_u64, "float": 0.1, "deep": [[{ "z": 1, "a": null }]] });
    let step = NewStep {
        decision: odd.clone(),
        input: Content { preview: Some("in\0put".to_owned()), chars: 6, artifact_id: None },
        ..sample.step(run.id)
    };
    let audit = Audit { run_id: Some(run.id), payload: odd, resource_id: "nul\0".to_owned(), ..sample.audit() };
    applied(store, sample.opening([open_run(&run), open_step(&step), audit.into()])).await;
    let end = RunEnd {
        error: Some(Failure {
            code: "upstream_error".to_owned(),
            message: "it \0 said no".to_owned(),
            step_id: Some(step.id),
        }),
        flags: vec!["late".to_owned()],
        ..run_end()
    };
    let closed = [
        close_step(step.id),
        add_cost(&sample.cost(run.id, step.id, 40)),
        Op::RunMove { run_id: run.id, to: RunStatus::Failed, end: Some(Arc::new(end)) },
    ];
    applied(store, sample.closing(closed)).await;

    let entries = chain(store, sample.scope).await;
    let [first, second] = entries.as_slice() else { panic!("two entries: {entries:?}") };
    assert_eq!((first.kind, second.kind, &second.subject_id), (Kind::Audit, Kind::Run, &run.id.to_string()));
    let records = store.records(sample.scope, &entries).await.expect("records");
    let row = records.audit.get(&first.subject_id).expect("the audit row");
    assert_eq!(*first, Entry::of_audit(1, Hash::ZERO, sample.scope, row));
    let closed = records.runs.get(&second.subject_id).expect("the run");
    assert_eq!((closed.steps.len(), closed.costs.len(), closed.salt), (1, 1, run.salt));
    assert_eq!(*second, Entry::of_run(2, first.hash, closed));
    let head = store.head(sample.scope).await.expect("a head");
    assert_eq!(head, ChainHead { seq: 2, hash: second.hash, sealed: 0 });
    let audit_of = store.list_audit_of(sample.scope, run.id).await.expect("rows");
    assert_eq!(
        audit_of.iter().map(|row| row.id.to_string()).collect::<Vec<_>>(),
        std::slice::from_ref(&first.subject_id)
    );
}

/// However many are written at once.
pub async fn entries_of_many_batches_follow_each_other(store: &impl Store) {
    let sample = seeded(store).await;
    let batches = (0..60).map(|number| {
        let mut ops: Vec<Op> = whole_run(&sample).into();
        if number % 3 == 0 {
            ops.push(sample.audit().into());
        }
        store.commit(sample.closing(ops))
    });
    for answer in join_all(batches).await {
        answer.expect("an applied batch");
    }
    let entries = chain(store, sample.scope).await;
    assert_eq!(entries.len(), 80);
    let mut before = Hash::ZERO;
    for (entry, seq) in entries.iter().zip(1..) {
        assert!(entry.is_whole(), "{entry:?}");
        assert_eq!((entry.seq, entry.prev_hash), (seq, before));
        before = entry.hash;
    }
    assert_eq!(store.head(sample.scope).await.expect("a head").hash, before);
    let page = store.list_entries(sample.scope, 79, 1).await.expect("entries");
    assert_eq!(page, entries[78..79]);
}

/// Neither one, nor a gap.
pub async fn a_refused_batch_adds_no_entry(store: &impl Store) {
    let sample = seeded(store).await;
    applied(store, sample.opening([sample.audit().into()])).await;
    let unknown = Op::RunMove { run_id: sample.run().id, to: RunStatus::Failed, end: Some(Arc::new(run_end())) };
    refused(store, sample.opening([sample.audit().into(), unknown])).await;
    applied(store, sample.opening([sample.audit().into()])).await;
    assert_eq!(chain(store, sample.scope).await.iter().map(|entry| entry.seq).collect::<Vec<_>>(), [1, 2]);
}

/// The earlier entry stays; the later one says what the run is now.
pub async fn a_late_cost_supersedes_the_entry_of_its_run(store: &impl Store) {
    let sample = seeded(store).await;
    let run = sample.run();
    let step = sample.step(run.id);
    let ended = [open_run(&run), open_step(&step), close_step(step.id), move_run(run.id, RunStatus::Succeeded)];
    applied(store, sample.opening(ended)).await;
    applied(store, sample.opening([Op::RefusalCount { run_id: run.id }])).await;
    assert_eq!(chain(store, sample.scope).await.len(), 1, "how many refusals it stands for is no part of its record");
    applied(store, sample.closing([add_cost(&sample.cost(run.id, step.id, 7))])).await;
    let entries = chain(store, sample.scope).await;
    let [first, second] = entries.as_slice() else { panic!("two entries: {entries:?}") };
    assert_eq!(first.subject_id, second.subject_id);
    assert_ne!(first.subject_digest, second.subject_digest);
    let records = store.records(sample.scope, &entries[..1]).await.expect("records");
    assert_eq!(records.latest.get(&first.subject_id), Some(&2));
    let ids = [first.subject_id.clone(), "run_nobody".to_owned()];
    assert_eq!(store.find_entries(sample.scope, &ids).await.expect("entries"), std::slice::from_ref(second));
}

/// Whoever comes second finds the first one's.
pub async fn a_checkpoint_of_a_number_is_kept_once(store: &impl Store) {
    let sample = seeded(store).await;
    applied(store, sample.opening([sample.audit().into(), sample.audit().into(), sample.audit().into()])).await;
    let unsealed = store.list_unsealed(10).await.expect("chains");
    let [waiting] = unsealed.as_slice() else { panic!("one chain: {unsealed:?}") };
    assert_eq!((waiting.scope, waiting.entries), (sample.scope, 3));
    let signer = FakeSigner::new(1);
    let checkpoint = |number, first_seq, last_seq| Checkpoint {
        number,
        first_seq,
        last_seq,
        root: Hash::of(&[b"root"]),
        head: Hash::of(&[b"head"]),
        previous: Hash::ZERO,
        sealed_at: noon(),
        key_id: signer.key().id(),
        signature: Signature([7; 64]),
    };
    let first = checkpoint(1, 1, 2);
    assert!(store.put_checkpoint(sample.scope, &first).await.expect("a write"));
    assert!(!store.put_checkpoint(sample.scope, &checkpoint(1, 1, 3)).await.expect("a write"));
    assert_eq!(store.last_checkpoint(sample.scope).await.expect("a read"), Some(first.clone()));
    assert_eq!(store.head(sample.scope).await.expect("a head").sealed, 2);
    assert_eq!(store.list_unsealed(10).await.expect("chains")[0].entries, 1);
    let second = checkpoint(2, 3, 3);
    assert!(store.put_checkpoint(sample.scope, &second).await.expect("a write"));
    assert!(store.list_unsealed(10).await.expect("chains").is_empty());
    let listed = |from, limit| store.list_checkpoints(sample.scope, from, limit);
    assert_eq!(listed(1, 10).await.expect("checkpoints"), [first.clone(), second.clone()]);
    assert_eq!(listed(1, 1).await.expect("checkpoints"), [first]);
    assert_eq!(listed(3, 10).await.expect("checkpoints"), [second]);
    assert!(listed(4, 10).await.expect("checkpoints").is_empty());
}

/// Neither entries, nor records, nor checkpoints.
pub async fn nobody_elses_chain_is_there(store: &impl Store) {
    let sample = seeded(store).await;
    let other = seeded_as(store, "other", 2).await;
    let mut ops: Vec<Op> = whole_run(&other).into();
    ops.push(other.audit().into());
    applied(store, other.opening(ops)).await;
    let entries = chain(store, other.scope).await;
    assert_eq!(entries.len(), 2);
    for scope in [
        sample.scope,
        Scope { tenant_id: sample.scope.tenant_id, ..other.scope },
        Scope { tenant_id: other.scope.tenant_id, ..sample.scope },
    ] {
        assert_eq!(store.head(scope).await.expect("a head"), ChainHead::default());
        assert!(chain(store, scope).await.is_empty());
        let records = store.records(scope, &entries).await.expect("records");
        assert!(records.audit.is_empty() && records.runs.is_empty() && records.latest.is_empty());
        let ids: Vec<String> = entries.iter().map(|entry| entry.subject_id.clone()).collect();
        assert!(store.find_entries(scope, &ids).await.expect("entries").is_empty());
        assert_eq!(store.last_checkpoint(scope).await.expect("a read"), None);
    }
}

/// Each chain once, in pages; a rotation is an entry whose parts say all.
pub async fn chains_are_listed_and_told_of_a_rotation(store: &impl Store) {
    let sample = seeded(store).await;
    let other = seeded_as(store, "other", 2).await;
    applied(store, sample.opening([sample.audit().into()])).await;
    applied(store, other.opening([other.audit().into()])).await;
    let mut listed = Vec::new();
    while let Some(scope) = store.list_chains(listed.last().copied(), 1).await.expect("chains").pop() {
        listed.push(scope);
    }
    let mut expected = vec![sample.scope, other.scope];
    expected.sort_by_key(|scope| scope.workspace_id);
    listed.retain(|scope| expected.contains(scope));
    assert_eq!(listed, expected);
    let rotation = FakeSigner::new(1).rotate(noon()).await.expect("a rotation");
    applied(store, sample.opening([Op::KeyRotate(Arc::new(rotation.clone()))])).await;
    let entries = chain(store, sample.scope).await;
    let [.., before, entry] = entries.as_slice() else { panic!("two entries: {entries:?}") };
    assert_eq!((entry.kind, entry.prev_hash, entry.is_whole()), (Kind::KeyRotation, before.hash, true));
    assert_eq!(entry.subject_id, rotation.to.id());
    assert_eq!(entry.parts.as_deref().and_then(Rotation::read), Some(rotation));
    assert!(chain(store, other.scope).await.iter().all(|entry| entry.kind != Kind::KeyRotation));
}
