//! Keeping, reading and sweeping, over a store and objects in memory.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use futures::future::BoxFuture;
use kernel::artifact::{INLINE, Keeper, LongAudits, Of, Sweeper, Swept};
use kernel::ledger::{Audit, NewArtifact, Op, Place};
use kernel::port::{Artifacts, Clock, Ledger, Objects};
use serde_json::{Value, json};
use testkit::contract::{applied, seeded};
use testkit::fake::{FakeObjects, FakeStore, Mood};
use testkit::sample::{FakeIds, Sample, noon};

/// A clock that is set; it stands still.
#[derive(Default)]
struct Days(AtomicI64);

impl Clock for Days {
    fn now(&self) -> DateTime<Utc> {
        noon() + TimeDelta::days(self.0.load(Ordering::SeqCst))
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
    objects: FakeObjects,
    clock: Arc<Days>,
    sample: Sample,
    keeper: Keeper,
    sweeper: Sweeper,
}

impl World {
    async fn new() -> Self {
        let (store, objects, clock) = (FakeStore::new(), FakeObjects::default(), Arc::new(Days::default()));
        let sample = seeded(&store).await;
        let shared: Arc<dyn Objects> = Arc::new(objects.clone());
        let keeper = Keeper::new(Arc::clone(&shared), clock.clone(), Arc::new(FakeIds::default()));
        let sweeper = Sweeper::new(Arc::new(store.clone()), shared, clock.clone());
        Self { store, objects, clock, sample, keeper, sweeper }
    }

    async fn keep(&self, byte: u8, of: Of) -> Arc<NewArtifact> {
        self.keeper.keep(self.sample.scope, vec![byte; INLINE + 1], of).await.expect("an artifact")
    }

    async fn name(&self, artifact: &Arc<NewArtifact>) {
        applied(&self.store, self.sample.opening([Op::ArtifactAdd(Arc::clone(artifact))])).await;
    }

    async fn swept_on(&self, day: i64) -> Swept {
        self.clock.0.store(day, Ordering::SeqCst);
        self.sweeper.pass().await.expect("a pass")
    }
}

#[tokio::test]
async fn equal_bytes_of_a_workspace_and_day_are_one_object() {
    let world = World::new().await;
    let (one, other) = (world.keep(1, Of::default()).await, world.keep(1, Of::default()).await);
    assert_eq!(one.place, other.place);
    assert_ne!(one.id, other.id);
    let neighbour = Sample::named("other", 2);
    let elsewhere = world.keeper.keep(neighbour.scope, vec![1; INLINE + 1], Of::default()).await.expect("an artifact");
    assert_ne!(elsewhere.place, one.place, "nobody learns what others keep");
    assert_eq!(world.objects.keys().len(), 2);
    let inline = world.keeper.keep(world.sample.scope, vec![1; INLINE], Of::default()).await.expect("an artifact");
    assert_eq!(inline.place, Place::Inline(vec![1; INLINE]));
}

#[tokio::test]
async fn an_object_nobody_names_goes_after_a_whole_day_and_a_named_one_stays() {
    let world = World::new().await;
    let named = world.keep(1, Of::default()).await;
    world.name(&named).await;
    world.keep(2, Of::default()).await;
    for (day, orphans, left) in [(0, 0, 2), (1, 0, 2), (2, 1, 1), (2, 0, 1), (400, 0, 1)] {
        assert_eq!(world.swept_on(day).await, Swept { expired: 0, orphans }, "day {day}");
        assert_eq!(world.objects.keys().len(), left);
    }
    assert_eq!(
        world.objects.keys().into_iter().map(Place::Object).collect::<Vec<_>>(),
        std::slice::from_ref(&named.place)
    );
}

#[tokio::test]
async fn an_artifact_goes_with_its_object_when_its_time_is_over() {
    let world = World::new().await;
    let over = Of { expires_at: Some(noon()), ..Of::default() };
    let gone = world.keep(1, over).await;
    let lasting = world.keep(2, Of::default()).await;
    for artifact in [&gone, &lasting] {
        world.name(artifact).await;
    }
    world.objects.set(Mood::Down);
    assert!(world.sweeper.pass().await.is_err());
    assert!(
        world.store.find_artifact(world.sample.scope, gone.id).await.expect("a read").is_some(),
        "it is found again"
    );
    world.objects.set(Mood::Well);
    assert_eq!(world.swept_on(0).await, Swept { expired: 1, orphans: 0 });
    assert_eq!(world.swept_on(0).await, Swept::default());
    assert!(world.store.find_artifact(world.sample.scope, gone.id).await.expect("a read").is_none());
    assert!(world.store.find_artifact(world.sample.scope, lasting.id).await.expect("a read").is_some());
    assert_eq!(world.objects.keys().len(), 1);
}

/// The details of the only audit row of the sample.
async fn audited(world: &World, payload: &Value) -> Value {
    let ledger = LongAudits::new(Arc::new(world.store.clone()), world.keeper.clone());
    let audit = Audit { payload: payload.clone(), ..world.sample.audit() };
    ledger.commit(world.sample.opening([Op::AuditAppend(Arc::new(audit))])).await.expect("an audit row");
    world.store.audit(world.sample.scope).last().expect("an audit row").payload.clone()
}

#[tokio::test]
async fn long_details_of_the_audit_become_an_artifact_and_short_ones_stay() {
    let world = World::new().await;
    let short = json!({ "after": "a".repeat(INLINE - 20) });
    assert_eq!(audited(&world, &short).await, short);
    let long = json!({ "after": "a".repeat(INLINE) });
    let stub = audited(&world, &long).await;
    assert_eq!(stub["artifact"]["size"], long.to_string().len());
    let id = stub["artifact"]["id"].as_str().expect("an id").parse().expect("an id");
    let found = world.store.find_artifact(world.sample.scope, id).await.expect("a read").expect("an artifact");
    assert_eq!(stub["artifact"]["sha256"], found.artifact.sha256.as_str());
    assert_eq!(found.artifact.mime, "application/json");

    world.objects.set(Mood::Down);
    assert_eq!(audited(&world, &long).await, long, "nothing is lost where the store takes nothing");
}
