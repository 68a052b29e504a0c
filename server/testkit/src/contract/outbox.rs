//! Deliveries of events.

use std::sync::Arc;
use std::time::Duration;

use kernel::ledger::{Fence, Op};
use kernel::port::Delivery;

use super::{Store, applied, seeded};
use crate::sample::{Sample, open_run};

const LEASE: Duration = Duration::from_secs(60);
const NOW: Duration = Duration::ZERO;

fn emit(sample: &Sample, subject: impl ToString) -> Op {
    Op::EventEmit(Arc::new(sample.event(subject, "live")))
}

fn worker(sample: &Sample) -> Fence {
    Fence { process_id: sample.ids().process(), epoch: 1 }
}

async fn claim(store: &impl Store, by: Fence, lease: Duration) -> Vec<Delivery> {
    store.claim("live", by, 10, lease).await.expect("a claim")
}

/// By one worker; nobody else gets it meanwhile.
pub async fn a_delivery_is_claimed_and_done_once(store: &impl Store) {
    let sample = seeded(store).await;
    let run = sample.run();
    let mut event = sample.event(run.id, "live");
    event.consumers.push("audit");
    applied(store, sample.opening([open_run(&run), Op::EventEmit(Arc::new(event.clone()))])).await;
    let worker = worker(&sample);
    let claimed = claim(store, worker, LEASE).await;
    let [delivery] = claimed.as_slice() else { panic!("one delivery: {claimed:?}") };
    assert_eq!((delivery.event_id, delivery.scope, delivery.attempt), (event.id, sample.scope, 1));
    assert_eq!((&delivery.event_type, &delivery.subject, delivery.subject_seq), (&event.event_type, &event.subject, 1));
    assert_eq!((&delivery.payload, delivery.occurred_at), (&event.payload, event.occurred_at));
    assert!(claim(store, worker, LEASE).await.is_empty());
    assert_eq!(store.claim("audit", worker, 10, LEASE).await.expect("a claim").len(), 1);
    store.done("live", &claimed).await.expect("an answer");
    store.done("live", &claimed).await.expect("once more changes nothing");
    assert!(claim(store, worker, LEASE).await.is_empty());
    assert!(store.claim("nobody", worker, 10, LEASE).await.expect("a claim").is_empty());
}

/// One after the other; subjects go side by side.
pub async fn a_subject_is_delivered_in_order(store: &impl Store) {
    let sample = seeded(store).await;
    let other = sample.ids().budget();
    let budget = sample.ids().budget();
    applied(store, sample.opening([emit(&sample, budget), emit(&sample, budget), emit(&sample, other)])).await;
    applied(store, sample.opening([emit(&sample, budget)])).await;
    let worker = worker(&sample);
    let first = claim(store, worker, LEASE).await;
    let mut told: Vec<_> = first.iter().map(|delivery| (delivery.subject.clone(), delivery.subject_seq)).collect();
    told.sort();
    let mut expected = vec![(budget.to_string(), 1), (other.to_string(), 1)];
    expected.sort();
    assert_eq!(told, expected);
    assert!(claim(store, worker, LEASE).await.is_empty());
    store.done("live", &first).await.expect("an answer");
    for seq in [2, 3] {
        let next = claim(store, worker, LEASE).await;
        assert_eq!(next.iter().map(|delivery| delivery.subject_seq).collect::<Vec<_>>(), [seq]);
        store.done("live", &next).await.expect("an answer");
    }
}

/// When it is due, as another attempt.
pub async fn a_failed_delivery_comes_back(store: &impl Store) {
    let sample = seeded(store).await;
    applied(store, sample.opening([emit(&sample, sample.ids().budget())])).await;
    let worker = worker(&sample);
    for attempt in 1..=3 {
        let claimed = claim(store, worker, LEASE).await;
        assert_eq!(claimed.iter().map(|delivery| delivery.attempt).collect::<Vec<_>>(), [attempt]);
        store.failed("live", &claimed[0], "no answer", Some(NOW)).await.expect("an answer");
    }
    let claimed = claim(store, worker, LEASE).await;
    store.failed("live", &claimed[0], "no answer", Some(LEASE)).await.expect("an answer");
    assert!(claim(store, worker, LEASE).await.is_empty());
}

/// It is never tried again.
pub async fn a_dead_delivery_lets_later_ones_pass(store: &impl Store) {
    let sample = seeded(store).await;
    let subject = sample.ids().budget();
    applied(store, sample.opening([emit(&sample, subject), emit(&sample, subject)])).await;
    let worker = worker(&sample);
    let claimed = claim(store, worker, LEASE).await;
    store.failed("live", &claimed[0], "given up", None).await.expect("an answer");
    let next = claim(store, worker, LEASE).await;
    assert_eq!(next.iter().map(|delivery| delivery.subject_seq).collect::<Vec<_>>(), [2]);
}

/// A lease that ran out is claimed by another, and the first one's answer comes too late.
pub async fn a_stale_claim_changes_nothing(store: &impl Store) {
    let sample = seeded(store).await;
    applied(store, sample.opening([emit(&sample, sample.ids().budget())])).await;
    let (slow, quick) = (worker(&sample), worker(&sample));
    let stale = claim(store, slow, NOW).await;
    let fresh = claim(store, quick, LEASE).await;
    assert_eq!((stale.len(), fresh.len(), fresh[0].attempt), (1, 1, 2));
    assert!(fresh[0].epoch > stale[0].epoch);
    store.done("live", &stale).await.expect("an answer");
    store.failed("live", &stale[0], "too late", None).await.expect("an answer");
    let lag = store.lag().await.expect("a lag");
    assert_eq!(lag.iter().map(|lag| (lag.leased, lag.dead)).collect::<Vec<_>>(), [(1, 0)]);
    store.done("live", &fresh).await.expect("an answer");
    assert!(store.lag().await.expect("a lag").is_empty());
}

/// What waits, what is tried, what is given up.
pub async fn lag_is_told_by_consumer(store: &impl Store) {
    let sample = seeded(store).await;
    assert!(store.lag().await.expect("a lag").is_empty());
    for _ in 0..4 {
        let mut event = sample.event(sample.ids().budget(), "live");
        event.consumers.push("audit");
        applied(store, sample.opening([Op::EventEmit(Arc::new(event))])).await;
    }
    let claimed = store.claim("live", worker(&sample), 2, LEASE).await.expect("a claim");
    store.failed("live", &claimed[0], "given up", None).await.expect("an answer");
    let lags = store.lag().await.expect("a lag");
    let told: Vec<_> = lags.iter().map(|lag| (lag.consumer.as_str(), lag.pending, lag.leased, lag.dead)).collect();
    assert_eq!(told, [("audit", 4, 0, 0), ("live", 2, 1, 1)]);
    assert!(lags.iter().all(|lag| lag.oldest.is_some()));
}

/// Only done ones.
pub async fn done_deliveries_are_pruned(store: &impl Store) {
    let sample = seeded(store).await;
    for _ in 0..3 {
        applied(store, sample.opening([emit(&sample, sample.ids().budget())])).await;
    }
    let claimed = store.claim("live", worker(&sample), 2, LEASE).await.expect("a claim");
    store.done("live", &claimed).await.expect("an answer");
    assert_eq!(store.prune(LEASE).await.expect("a number"), 0);
    assert_eq!(store.prune(NOW).await.expect("a number"), 2);
    assert_eq!(store.prune(NOW).await.expect("a number"), 0);
    assert_eq!(store.lag().await.expect("a lag").iter().map(|lag| lag.pending).sum::<u64>(), 1);
}
