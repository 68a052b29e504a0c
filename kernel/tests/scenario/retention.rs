//! Purging: what is decided when, and what a hold that comes in between still saves.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use chrono::{DateTime, TimeDelta, Utc};
use futures::future::BoxFuture;
use kernel::context::Scope;
use kernel::ledger::{Batch, NewArtifact, NewRun, Op, Place};
use kernel::port::{Clock, Due, DueQuery, Ids, ObjectKey, Objects, Purges, Purging, Runs, StoreError};
use kernel::record::{Digest, LegalHold, RetentionReport, Row};
use kernel::retention::{ErasePorts, Erased, erase_content};
use testkit::contract::{applied, seeded};
use testkit::fake::{FakeObjects, FakeStore, Mood};
use testkit::sample::{Sample, move_run, noon, open_run, put};
use types::artifact::ArtifactKind;
use types::id::{RetentionReportId, Uuid};
use types::problem::Code;
use types::retention::PurgeCounts;
use types::run::RunStatus;

/// Two days after noon.
struct Later;

impl Clock for Later {
    fn now(&self) -> DateTime<Utc> {
        noon() + TimeDelta::days(2)
    }

    fn monotonic(&self) -> Duration {
        Duration::ZERO
    }

    fn sleep(&self, _: Duration) -> BoxFuture<'static, ()> {
        Box::pin(std::future::ready(()))
    }
}

impl Ids for Later {
    fn uuid(&self) -> Uuid {
        Uuid::from_u128(7)
    }

    fn random(&self, buffer: &mut [u8]) {
        buffer.fill(7);
    }
}

/// Where something happens right after it was looked what is due.
struct Between {
    store: FakeStore,
    then: Mutex<Option<Batch>>,
}

#[async_trait]
impl Purges for Between {
    async fn list_due(&self, query: &DueQuery, limit: u32) -> Result<Vec<Due>, StoreError> {
        let due = self.store.list_due(query, limit).await;
        let then = self.then.lock().expect("no panic before").take();
        if let Some(batch) = then {
            applied(&self.store, batch).await;
        }
        due
    }

    async fn still_due(&self, query: &DueQuery, ids: &[Uuid]) -> Result<Vec<Uuid>, StoreError> {
        self.store.still_due(query, ids).await
    }

    async fn purge(&self, purging: &Purging) -> Result<PurgeCounts, StoreError> {
        self.store.purge(purging).await
    }

    async fn claim_report(
        &self,
        scope: Scope,
        id: RetentionReportId,
        by: Uuid,
        lease: Duration,
    ) -> Result<Option<RetentionReport>, StoreError> {
        self.store.claim_report(scope, id, by, lease).await
    }

    async fn renew_report(
        &self,
        report: &RetentionReport,
        lease: Duration,
    ) -> Result<Option<RetentionReport>, StoreError> {
        self.store.renew_report(report, lease).await
    }

    async fn drop_report(&self, report: &RetentionReport) -> Result<(), StoreError> {
        self.store.drop_report(report).await
    }

    async fn wipe(&self, must_be_now: bool) -> Result<(), StoreError> {
        self.store.wipe(must_be_now).await
    }
}

struct World {
    store: FakeStore,
    objects: FakeObjects,
    sample: Sample,
}

impl World {
    async fn new() -> Self {
        let store = FakeStore::new();
        let sample = seeded(&store).await;
        Self { store, objects: FakeObjects::default(), sample }
    }

    /// A run that is over and names this object.
    async fn run(&self, number: u8) -> NewRun {
        let (sample, run) = (&self.sample, self.sample.run());
        let key = self.key(number);
        self.objects.put(&key, b"bytes".to_vec()).await.expect("an object");
        let artifact = NewArtifact {
            id: sample.ids().artifact(),
            run_id: Some(run.id),
            step_id: None,
            kind: ArtifactKind::File,
            mime: "text/plain".to_owned(),
            size: 5,
            sha256: sample.digest(number),
            place: Place::Object(key),
            expires_at: None,
        };
        let ops = [open_run(&run), Op::ArtifactAdd(Arc::new(artifact)), move_run(run.id, RunStatus::Succeeded)];
        applied(&self.store, sample.opening(ops)).await;
        run
    }

    fn key(&self, number: u8) -> ObjectKey {
        ObjectKey::new(noon().date_naive(), self.sample.scope, &Digest([number; 32]))
    }

    fn hold(&self, run: &NewRun) -> Batch {
        let sample = &self.sample;
        let hold = LegalHold {
            id: sample.ids().legal_hold(),
            scope: sample.scope,
            name: "Case".parse().expect("a name"),
            reason: "a court asks".to_owned(),
            run_ids: vec![run.id],
            caller_id: None,
            starts_from: None,
            starts_before: None,
            created_by: sample.caller(),
            created_at: noon(),
            released: None,
            version: 1,
        };
        sample.opening([put(Row::LegalHold(hold))])
    }

    /// Erases everything, while something happens in between.
    async fn erase(&self, then: Option<Batch>, limit: u32) -> kernel::Result<Erased> {
        let ports = ErasePorts {
            purges: Arc::new(Between { store: self.store.clone(), then: Mutex::new(then) }),
            objects: Arc::new(self.objects.clone()),
            clock: Arc::new(Later),
            ids: Arc::new(Later),
        };
        erase_content(&ports, self.sample.scope, Later.now(), limit).await
    }

    async fn shows(&self, run: &NewRun) -> bool {
        let found = self.store.find_run(self.sample.scope, run.id).await.expect("a read").expect("the run stays");
        found.input.preview.is_some()
    }
}

#[tokio::test]
async fn a_hold_that_comes_in_between_saves_the_run_and_its_object() {
    let world = World::new().await;
    // Both name the second object: with the run that is held it stays.
    let (held, other) = (world.run(2).await, world.run(2).await);
    let erased = world.erase(Some(world.hold(&held)), 10).await.expect("an erasure");
    assert_eq!((erased.runs, erased.artifacts, erased.more), (1, 1, false), "{erased:?}");
    assert!(world.shows(&held).await && !world.shows(&other).await);
    assert_eq!(world.objects.keys(), [world.key(2)]);
}

#[tokio::test]
async fn where_objects_stay_rows_stay_and_the_error_says_so() {
    let world = World::new().await;
    let run = world.run(1).await;
    world.objects.set(Mood::Down);
    let error = world.erase(None, 10).await.expect_err("the store is down");
    assert_eq!(error.code(), Code::StorageUnavailable);
    assert!(world.shows(&run).await);
    world.objects.set(Mood::Well);
    let erased = world.erase(None, 10).await.expect("an erasure");
    assert_eq!((erased.runs, erased.bytes), (1, 5));
    assert!(world.objects.keys().is_empty() && !world.shows(&run).await);
}

#[tokio::test]
async fn no_more_than_asked_for_goes_at_once() {
    let world = World::new().await;
    for number in 0..3 {
        world.run(number).await;
    }
    let erased = world.erase(None, 2).await.expect("an erasure");
    assert_eq!((erased.runs, erased.more), (2, true));
    let erased = world.erase(None, 2).await.expect("an erasure");
    assert_eq!((erased.runs, erased.more, erased.waiting), (1, false, 0));
}
