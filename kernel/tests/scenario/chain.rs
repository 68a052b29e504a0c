//! Chains beyond their own walls: copies of checkpoints, keys that follow each other, proofs that are handed out.

use std::sync::Arc;
use std::time::Duration;

use chrono::{DateTime, Utc};
use futures::future::BoxFuture;
use kernel::OpContext;
use kernel::chain::{Chain, Copier, CopierPorts, Kind, Ports, PublicKey, Rotation, Rotator, RotatorPorts, Signature};
use kernel::context::Scope;
use kernel::ledger::Op;
use kernel::port::{Chains, Clock, Ledger, ObjectError};
use serde_json::Value;
use testkit::fake::{FakeSigner, FakeSink, FakeStore};
use testkit::sample::{FakeIds, Sample, move_run, noon, open_run};
use types::id::ProcessId;
use types::problem::Code;
use types::run::RunStatus;

/// Stands still.
struct Stopped;

impl Clock for Stopped {
    fn now(&self) -> DateTime<Utc> {
        noon()
    }

    fn monotonic(&self) -> Duration {
        Duration::ZERO
    }

    fn sleep(&self, _: Duration) -> BoxFuture<'static, ()> {
        Box::pin(std::future::pending())
    }
}

struct World {
    store: FakeStore,
    sample: Sample,
    signer: Arc<FakeSigner>,
    sink: FakeSink,
    ids: Arc<FakeIds>,
}

impl World {
    async fn new() -> Self {
        let (store, sample) = (FakeStore::new(), Sample::named("chain", 1));
        store.commit(sample.seed()).await.expect("a seed");
        let (signer, ids) = (Arc::new(FakeSigner::new(1)), Arc::new(FakeIds::default()));
        Self { store, sample, signer, sink: FakeSink::default(), ids }
    }

    fn chain(&self) -> Chain {
        Chain::new(Ports {
            chains: Arc::new(self.store.clone()),
            signer: self.signer.clone(),
            clock: Arc::new(Stopped),
        })
    }

    fn copier(&self, process: u128) -> Copier {
        let ports = CopierPorts {
            sink: Arc::new(self.sink.clone()),
            copies: Arc::new(self.store.clone()),
            signer: self.signer.clone(),
            clock: Arc::new(Stopped),
            process_id: ProcessId::from_uuid(types::id::Uuid::from_u128(process)),
        };
        Copier::new(ports, "place")
    }

    fn rotator(&self) -> Rotator {
        Rotator::new(RotatorPorts {
            keeper: self.signer.clone(),
            signer: self.signer.clone(),
            chains: Arc::new(self.store.clone()),
            ledger: Arc::new(self.store.clone()),
            ids: self.ids.clone(),
            clock: Arc::new(Stopped),
        })
    }

    fn reader(&self) -> OpContext {
        OpContext::system("test", self.sample.scope, self.sample.ids().request(), noon())
    }

    /// Writes an audit row and seals it.
    async fn sealed(&self) {
        self.store.commit(self.sample.opening([self.sample.audit().into()])).await.expect("a batch");
        self.chain().seal(self.sample.scope).await.expect("a checkpoint");
    }
}

#[tokio::test]
async fn each_checkpoint_is_copied_once_and_in_order_and_again_from_where_it_failed() {
    let world = World::new().await;
    world.sealed().await;
    world.sealed().await;
    let copier = world.copier(1);
    let pass = copier.copy_due().await.expect("a pass");
    assert_eq!((pass.copies, pass.oldest, pass.failure), (2, None, None));
    assert_eq!(copier.copy_due().await.expect("a pass").copies, 0);
    let Scope { tenant_id, workspace_id } = world.sample.scope;
    let name = |number: u64| format!("{tenant_id}/{workspace_id}/{number:010}.json");
    let names = || world.sink.taken().into_iter().map(|(name, _)| name).collect::<Vec<_>>();
    assert_eq!(names(), [name(1), name(2)]);

    world.sealed().await;
    world.sealed().await;
    world.sink.fail(Some(ObjectError::Unavailable("away".to_owned())));
    let pass = copier.copy_due().await.expect("a pass");
    assert_eq!((pass.copies, pass.failure.is_some(), pass.oldest), (0, true, Some(Duration::ZERO)));
    assert!(!copier.is_late().await.expect("an answer"), "it waits for a moment only");
    world.sealed().await;
    world.sink.fail(None);
    assert_eq!(copier.copy_due().await.expect("a pass").copies, 3);
    assert_eq!(names(), (1..=5).map(name).collect::<Vec<_>>());
    assert!(world.copier(2).copy_due().await.expect("a pass").failure.is_none());
    assert_eq!(names().len(), 5, "another process copies nothing anew");
}

#[tokio::test]
async fn a_copy_says_all_that_its_signature_needs() {
    let world = World::new().await;
    world.sealed().await;
    world.copier(1).copy_due().await.expect("a pass");
    let (_, copy) = world.sink.taken().remove(0);
    let value: Value = serde_json::from_slice(&copy).expect("JSON");
    let key: PublicKey = value["public_key"].as_str().expect("a key").parse().expect("a public key");
    assert_eq!(value["key_id"], key.id());
    let signature: Signature = serde_json::from_value(value["signature"].clone()).expect("a signature");
    let mut body = value.clone();
    let members = body.as_object_mut().expect("an object");
    members.remove("signature");
    members.remove("public_key");
    let checkpoint = world.store.last_checkpoint(world.sample.scope).await.expect("a read").expect("a checkpoint");
    let signed: Value = serde_json::from_slice(&checkpoint.body(world.sample.scope)).expect("JSON");
    assert_eq!(body, signed);
    assert!(key.verifies(&checkpoint.body(world.sample.scope), &signature));
}

#[tokio::test]
async fn a_rotation_is_in_every_chain_and_both_keys_are_taken_for_good() {
    let world = World::new().await;
    let other = Sample::named("other", 2);
    world.store.commit(other.seed()).await.expect("a seed");
    world.store.commit(other.opening([other.audit().into()])).await.expect("a batch");
    world.sealed().await;
    let before = world.signer.key();
    assert_eq!(world.rotator().finish().await.expect("an end").rotation, None, "there was none");

    let rotated = world.rotator().rotate().await.expect("a rotation");
    let rotation = rotated.rotation.expect("a statement");
    assert_eq!((rotation.from, rotation.to, rotation.is_signed()), (before, world.signer.key(), true));
    // Of the two workspaces, and of what belongs to none: the rotation itself is audited there.
    assert_eq!(rotated.chains, 3);
    for scope in [world.sample.scope, other.scope, Scope::INSTANCE] {
        let entries = world.store.list_entries(scope, 1, 100).await.expect("entries");
        let rotations: Vec<_> = entries.iter().filter(|entry| entry.kind == Kind::KeyRotation).collect();
        let [entry] = rotations.as_slice() else { panic!("one: {entries:?}") };
        assert_eq!(entry.parts.as_deref().and_then(Rotation::read).as_ref(), Some(&rotation));
    }
    assert_eq!(world.rotator().finish().await.expect("an end").chains, 0, "each is told once");

    world.sealed().await;
    let found = world.chain().verify(&world.reader(), None, None).await.expect("a check");
    assert!(found.valid, "{found:?}");
    let listed = world.chain().list_keys();
    assert_eq!(listed.keys.len(), 2);
    assert_eq!((listed.keys[0].valid_from, listed.keys[0].valid_until), (Some(noon()), None));
    assert_eq!((listed.keys[1].valid_from, listed.keys[1].valid_until), (None, Some(noon())));
    assert_eq!(Rotation::read(&listed.rotations[0].statement), Some(rotation));
}

#[tokio::test]
async fn a_rotation_of_keys_that_are_not_the_deployments_is_no_entry_of_its_chain() {
    let world = World::new().await;
    let stranger = kernel::port::KeyKeeper::rotate(&FakeSigner::new(7), noon()).await.expect("a rotation");
    let forged = Op::KeyRotate(Arc::new(stranger));
    world.store.commit(world.sample.opening([world.sample.audit().into(), forged])).await.expect("a batch");
    let found = world.chain().verify(&world.reader(), None, None).await.expect("a check");
    assert_eq!(found.first_bad_seq, Some(2));
}

#[tokio::test]
async fn a_stretch_is_handed_out_with_what_proves_it_to_who_may_read_all_of_it() {
    let world = World::new().await;
    let run = world.sample.run();
    let ops = [open_run(&run), move_run(run.id, RunStatus::Succeeded)];
    world.store.commit(world.sample.opening(ops)).await.expect("a batch");
    world.sealed().await;
    world.sealed().await;
    let chain = world.chain();
    let proof = chain.prove(&world.reader(), 1, None).await.expect("a proof");
    assert_eq!(proof.entries.iter().map(|entry| entry.seq).collect::<Vec<_>>(), [1, 2, 3]);
    assert_eq!(proof.entries.iter().map(|entry| entry.record.is_some()).collect::<Vec<_>>(), [false, true, true]);
    assert_eq!(proof.checkpoints.iter().map(|one| one.last_seq).collect::<Vec<_>>(), [2, 3]);
    assert_eq!(proof.next_from, None);
    let part = chain.prove(&world.reader(), 2, Some(2)).await.expect("a proof");
    assert_eq!((part.entries.len(), part.checkpoints.len(), part.next_from), (1, 1, None));
    for (from, to, field) in [(0, None, "from"), (3, Some(2), "to")] {
        let refused = chain.prove(&world.reader(), from, to).await.expect_err("it is refused");
        assert_eq!((refused.code(), refused.problem().errors[0].field.as_str()), (Code::Invalid, field));
    }
}
