//! What was given up: who may decide about it, and what is recorded of it.

use std::sync::Arc;
use std::time::Duration;

use kernel::context::OpContext;
use kernel::ledger::{Fence, Op};
use kernel::observe::Observe;
use kernel::outbox::LIVE;
use kernel::port::{Ledger, Outbox};
use serde_json::json;
use testkit::fake::FakeStore;
use testkit::sample::Sample;
use types::identity::Role;
use types::outbox::{DeadLetterFilter, DeadLetterKind, DeadLetterQuery, RedriveOutcome};
use types::problem::Code;

use super::world::{World, scope};

const LEASE: Duration = Duration::from_secs(60);

/// Deliveries that were given up, and one that waits.
struct Scene {
    store: FakeStore,
    observe: Observe,
    owner: OpContext,
    /// Sorted.
    dead: Vec<String>,
    waiting: String,
}

async fn scene(dead: usize) -> Scene {
    let (world, store) = (World::new(), FakeStore::new());
    let mut sample = Sample::named("outbox", 3);
    sample.scope = scope();
    store.commit(sample.seed()).await.expect("a seed");
    let emit = || Op::EventEmit(Arc::new(sample.event(sample.ids().budget(), LIVE)));
    store.commit(sample.opening((0..dead).map(|_| emit()))).await.expect("a batch");
    let fence = Fence { process_id: sample.ids().process(), epoch: 1 };
    let claimed = store.claim(LIVE, fence, 1_000, LEASE).await.expect("a claim");
    for delivery in &claimed {
        store.failed(LIVE, delivery, "no answer", None).await.expect("an answer");
    }
    let event = sample.event(sample.ids().budget(), LIVE);
    let waiting = format!("{}.{LIVE}", event.id);
    store.commit(sample.opening([Op::EventEmit(Arc::new(event))])).await.expect("a batch");
    let mut dead: Vec<String> = claimed.iter().map(|delivery| format!("{}.{LIVE}", delivery.event_id)).collect();
    dead.sort();
    Scene { observe: world.observe_in(&store), owner: world.caller(Role::Owner), store, dead, waiting }
}

impl Scene {
    /// Names and things of the audit, the newest last.
    fn audited(&self) -> Vec<(String, String)> {
        self.store.audit(scope()).into_iter().map(|audit| (audit.event_type, audit.resource_id)).collect()
    }
}

#[tokio::test]
async fn a_redriven_letter_is_audited_and_tried_again() {
    let scene = scene(1).await;
    let (observe, owner) = (&scene.observe, &scene.owner);
    let [id] = scene.dead.as_slice() else { panic!("one letter") };
    let redriven = observe.redrive_dead_letter(owner, DeadLetterKind::Outbox, id).await.unwrap();
    assert_eq!((redriven.outcome, &redriven.id), (RedriveOutcome::Redriven, id));
    let again = observe.redrive_dead_letter(owner, DeadLetterKind::Outbox, id).await.unwrap();
    assert_eq!(again.outcome, RedriveOutcome::NotDead);
    assert_eq!(scene.audited(), [("dead_letter.redriven".to_owned(), id.clone())]);
    let lags = observe.list_lags(owner).await.unwrap();
    let live = lags.iter().find(|lag| lag.consumer == LIVE).unwrap();
    assert_eq!((live.pending, live.dead), (2, 0));
}

#[tokio::test]
async fn what_is_not_dead_or_not_there_is_told_apart() {
    let scene = scene(0).await;
    let redrive = async |kind, id: &str| {
        let outcome = scene.observe.redrive_dead_letter(&scene.owner, kind, id).await;
        outcome.map(|redriven| redriven.outcome).map_err(|error| error.code())
    };
    let gone = scene.waiting.replace(LIVE, "nobody");
    assert_eq!(redrive(DeadLetterKind::Outbox, &scene.waiting).await, Ok(RedriveOutcome::NotDead));
    assert_eq!(redrive(DeadLetterKind::Outbox, &gone).await, Err(Code::NotFound));
    assert_eq!(redrive(DeadLetterKind::Outbox, "nonsense").await, Err(Code::NotFound));
    assert_eq!(redrive(DeadLetterKind::Task, "nonsense").await, Err(Code::NotFound));
    for kind in [DeadLetterKind::Ingest, DeadLetterKind::Sync, DeadLetterKind::InDoubt] {
        assert_eq!(redrive(kind, "anything").await, Ok(RedriveOutcome::Unsupported));
        let filter = DeadLetterFilter { kind: Some(kind), ..DeadLetterFilter::default() };
        let query = DeadLetterQuery { filter, ..DeadLetterQuery::default() };
        assert!(scene.observe.list_dead_letters(&scene.owner, &query).await.unwrap().items.is_empty());
    }
    assert!(scene.audited().is_empty());
}

#[tokio::test]
async fn many_are_redriven_at_once_each_with_its_audit_row() {
    let scene = scene(600).await;
    let page = scene.observe.redrive_dead_letters(&scene.owner, DeadLetterFilter::default()).await.unwrap();
    let mut redriven: Vec<String> = page.items.iter().map(|item| item.id.clone()).collect();
    redriven.sort();
    assert_eq!(redriven, scene.dead);
    assert!(page.items.iter().all(|item| item.outcome == RedriveOutcome::Redriven));
    let mut audited: Vec<String> = scene.audited().into_iter().map(|(_, id)| id).collect();
    audited.sort();
    assert_eq!(audited, scene.dead);
    let rest = scene.observe.redrive_dead_letters(&scene.owner, DeadLetterFilter::default()).await.unwrap();
    assert!(rest.items.is_empty());
}

#[tokio::test]
async fn a_discarded_letter_is_over_and_its_reason_is_kept() {
    let scene = scene(1).await;
    let (observe, owner) = (&scene.observe, &scene.owner);
    let [id] = scene.dead.as_slice() else { panic!("one letter") };
    let discard = async |id: &str, reason: &str| {
        let outcome = observe.discard_dead_letter(owner, DeadLetterKind::Outbox, id, reason).await;
        outcome.map_err(|error| error.code())
    };
    assert_eq!(discard(id, "").await, Err(Code::Invalid));
    assert_eq!(discard(&scene.waiting, "tired of it").await, Err(Code::InvalidTransition));
    assert_eq!(discard("nonsense", "tired of it").await, Err(Code::NotFound));
    assert_eq!(discard(id, "tired of it").await, Ok(()));
    assert_eq!(discard(id, "tired of it").await, Err(Code::InvalidTransition));
    let audit = scene.store.audit(scope());
    let [audit] = audit.as_slice() else { panic!("one row: {audit:?}") };
    assert_eq!((audit.event_type.as_str(), &audit.resource_id), ("dead_letter.discarded", id));
    assert_eq!(audit.payload, json!({ "reason": "tired of it" }));
}

#[tokio::test]
async fn who_may_only_look_decides_nothing() {
    let scene = scene(1).await;
    let [id] = scene.dead.as_slice() else { panic!("one letter") };
    for role in [Role::Dev, Role::Viewer] {
        let ctx = OpContext { role: Some(role), ..scene.owner.clone() };
        let observe = &scene.observe;
        assert_eq!(observe.list_dead_letters(&ctx, &DeadLetterQuery::default()).await.unwrap().items.len(), 1);
        let refused = [
            observe.redrive_dead_letter(&ctx, DeadLetterKind::Outbox, id).await.err(),
            observe.redrive_dead_letters(&ctx, DeadLetterFilter::default()).await.err(),
            observe.discard_dead_letter(&ctx, DeadLetterKind::Outbox, id, "no").await.err(),
        ];
        for error in refused {
            assert_eq!(error.map(|error| error.code()), Some(Code::RoleRequired), "{role}");
        }
    }
    assert!(scene.audited().is_empty());
}
