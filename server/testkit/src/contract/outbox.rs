//! Deliveries of events.

use std::sync::Arc;
use std::time::Duration;

use chrono::{DateTime, Utc};
use kernel::ledger::{Event, Fence, Op, Resolution, Verdict};
use kernel::port::{Delivery, DueQuery, FoundDelivery, Purging, StoreError};
use types::outbox::{DeadLetterFilter, DeadLetterQuery, DeliveryId, EventFilter, EventQuery};
use types::retention::{Purged, RetentionClass};
use types::run::Term;

use super::{Store, applied, seeded, seeded_as};
use crate::sample::{Sample, noon, open_run};

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

/// Whoever claimed it may be gone before the lease ends: then it is due at once.
pub async fn what_a_dead_process_claimed_is_due_again(store: &impl Store) {
    let sample = seeded(store).await;
    applied(store, sample.opening([emit(&sample, sample.ids().budget())])).await;
    let register = |alone| store.register(sample.ids().process(), "all", "0.1.0", alone);
    let (mut claimer, living) = (register(false).await.expect("a fence"), register(false).await.expect("a fence"));
    let mut stale = Vec::new();
    for attempt in 1..=4 {
        let claimed = claim(store, claimer, LEASE).await;
        assert_eq!(claimed.iter().map(|delivery| delivery.attempt).collect::<Vec<_>>(), [attempt]);
        assert!(claim(store, living, LEASE).await.is_empty(), "its lease holds while it lives");
        store.done("live", &stale).await.expect("an answer that comes too late");
        stale = claimed;
        match attempt {
            1 => store.close(claimer).await.expect("a goodbye"),
            2 => assert_eq!(store.bury(NOW).await.expect("a number"), 2),
            // The third one's end is proved by the lock of the fourth.
            _ => {}
        }
        if attempt < 4 {
            claimer = register(attempt == 3).await.expect("a fence");
        }
    }
    store.done("live", &stale).await.expect("an answer");
    assert!(store.lag().await.expect("a lag").is_empty(), "delivered at last");
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

/// What one consumer cannot take, the others get; of its own subjects the rest go on.
pub async fn a_failing_consumer_delays_no_other(store: &impl Store) {
    let sample = seeded(store).await;
    let (one, two) = (sample.ids().budget(), sample.ids().budget());
    for subject in [one, one, two] {
        let mut event = sample.event(subject, "live");
        event.consumers.push("audit");
        applied(store, sample.opening([Op::EventEmit(Arc::new(event))])).await;
    }
    let worker = worker(&sample);
    let claimed = store.claim("audit", worker, 10, LEASE).await.expect("a claim");
    let failing = claimed.iter().find(|delivery| delivery.subject == one.to_string()).expect("the first of one");
    store.failed("audit", failing, "no answer", Some(LEASE)).await.expect("an answer");
    let mut delivered = Vec::new();
    loop {
        let claimed = claim(store, worker, LEASE).await;
        if claimed.is_empty() {
            break;
        }
        store.done("live", &claimed).await.expect("an answer");
        delivered.extend(claimed);
    }
    assert_eq!(delivered.len(), 3);
    let lags = store.lag().await.expect("a lag");
    assert_eq!(lags.iter().map(|lag| (lag.consumer.as_str(), lag.pending)).collect::<Vec<_>>(), [("audit", 2)]);
}

/// The first delivery that can be claimed is given up.
async fn given_up(store: &impl Store, sample: &Sample) -> DeliveryId {
    let claimed = store.claim("live", worker(sample), 1, LEASE).await.expect("a claim");
    store.failed("live", &claimed[0], "given up", None).await.expect("an answer");
    DeliveryId { event_id: claimed[0].event_id, consumer: "live".to_owned() }
}

async fn found(store: &impl Store, sample: &Sample, id: &DeliveryId) -> FoundDelivery {
    let found = store.find_deliveries(sample.scope, std::slice::from_ref(id)).await.expect("a read");
    found.into_iter().next().expect("the delivery")
}

async fn resolved(store: &impl Store, sample: &Sample, found: &FoundDelivery, verdict: Verdict) {
    let resolution = Resolution { delivery: found.id.clone(), epoch: found.epoch, verdict };
    applied(store, sample.opening([Op::DeliveryResolve(Arc::new(resolution))])).await;
}

async fn dead(store: &impl Store, sample: &Sample) -> Vec<String> {
    let page = store.list_dead(sample.scope, &DeadLetterQuery::default()).await.expect("a page");
    page.items.into_iter().map(|letter| letter.id).collect()
}

/// Until the dead one is decided about.
pub async fn later_ones_of_a_dead_subject_are_marked(store: &impl Store) {
    let sample = seeded(store).await;
    let (subject, other) = (sample.ids().budget(), sample.ids().budget());
    applied(store, sample.opening([emit(&sample, subject), emit(&sample, subject)])).await;
    let id = given_up(store, &sample).await;
    applied(store, sample.opening([emit(&sample, other)])).await;
    let claimed = claim(store, worker(&sample), LEASE).await;
    let mut marks: Vec<_> = claimed.iter().map(|delivery| (delivery.subject.clone(), delivery.after_dead)).collect();
    let mut expected = vec![(subject.to_string(), true), (other.to_string(), false)];
    marks.sort();
    expected.sort();
    assert_eq!(marks, expected);
    store.done("live", &claimed).await.expect("an answer");
    let seen = found(store, &sample, &id).await;
    resolved(store, &sample, &seen, Verdict::Discard("nobody needs it".to_owned())).await;
    applied(store, sample.opening([emit(&sample, subject)])).await;
    assert!(!claim(store, worker(&sample), LEASE).await[0].after_dead);
}

/// From its first attempt, and before later ones that wait.
pub async fn a_redriven_delivery_comes_in_order(store: &impl Store) {
    let sample = seeded(store).await;
    let subject = sample.ids().budget();
    applied(store, sample.opening([emit(&sample, subject), emit(&sample, subject), emit(&sample, subject)])).await;
    let (first, second) = (given_up(store, &sample).await, given_up(store, &sample).await);
    for id in [&second, &first] {
        let seen = found(store, &sample, id).await;
        assert!(seen.is_dead);
        resolved(store, &sample, &seen, Verdict::Redrive).await;
        assert!(!found(store, &sample, id).await.is_dead);
        // Decided upon a state that is past.
        resolved(store, &sample, &seen, Verdict::Discard("too late".to_owned())).await;
    }
    for seq in 1..=3 {
        let claimed = claim(store, worker(&sample), LEASE).await;
        let told: Vec<_> = claimed.iter().map(|delivery| (delivery.subject_seq, delivery.attempt)).collect();
        assert_eq!(told, [(seq, 1)]);
        store.done("live", &claimed).await.expect("an answer");
    }
    assert!(store.lag().await.expect("a lag").is_empty());
}

/// For everybody: it is listed, tried and counted no more.
pub async fn a_discarded_one_is_over(store: &impl Store) {
    let sample = seeded(store).await;
    applied(store, sample.opening([emit(&sample, sample.ids().budget())])).await;
    let id = given_up(store, &sample).await;
    assert_eq!(dead(store, &sample).await, [id.to_string()]);
    let seen = found(store, &sample, &id).await;
    resolved(store, &sample, &seen, Verdict::Discard("nobody needs it".to_owned())).await;
    assert!(dead(store, &sample).await.is_empty() && store.lag().await.expect("a lag").is_empty());
    let after = found(store, &sample, &id).await;
    resolved(store, &sample, &after, Verdict::Redrive).await;
    assert!(claim(store, worker(&sample), LEASE).await.is_empty());
    assert!(!found(store, &sample, &id).await.is_dead);
}

/// Last given up first, each once, and nobody else's.
pub async fn dead_letters_are_listed_by_page(store: &impl Store) {
    let sample = seeded(store).await;
    let other = seeded_as(store, "other", 2).await;
    applied(store, other.opening([emit(&other, other.ids().budget())])).await;
    let foreign = given_up(store, &other).await;
    let mut ids = Vec::new();
    for number in 0..5 {
        let event_type = if number == 3 { "budget.exhausted" } else { "run.finished" };
        let subject = sample.ids().budget();
        let event = Event { event_type: event_type.to_owned(), ..sample.event(subject, "live") };
        applied(store, sample.opening([Op::EventEmit(Arc::new(event))])).await;
        ids.push(given_up(store, &sample).await.to_string());
    }
    ids.sort();
    for limit in [1, 2, 5, 200] {
        let (mut seen, mut query) = (Vec::new(), DeadLetterQuery { limit, ..DeadLetterQuery::default() });
        loop {
            let page = store.list_dead(sample.scope, &query).await.expect("a page");
            assert!(page.items.is_sorted_by(|one, other| one.died_at >= other.died_at));
            seen.extend(page.items.into_iter().map(|letter| letter.id));
            query.cursor = page.next_cursor;
            if query.cursor.is_none() {
                break;
            }
        }
        seen.sort();
        assert_eq!(seen, ids, "by {limit}");
    }
    let filtered = async |filter| {
        let query = DeadLetterQuery { filter, ..DeadLetterQuery::default() };
        store.list_dead(sample.scope, &query).await.expect("a page").items
    };
    let named = |name: &str| DeadLetterFilter { event_type: Some(name.to_owned()), ..DeadLetterFilter::default() };
    let letters = filtered(named("budget.exhausted")).await;
    let [letter] = letters.as_slice() else { panic!("one letter: {letters:?}") };
    assert_eq!((letter.consumer.as_str(), letter.subject_seq), ("live", Some(1)));
    assert_eq!((letter.attempts, letter.redrives, letter.error.as_deref()), (1, 0, Some("given up")));
    assert_eq!(letter.occurred_at, noon());
    let of = DeadLetterFilter { consumer: Some("audit".to_owned()), ..DeadLetterFilter::default() };
    assert!(filtered(of).await.is_empty());
    assert!(store.find_deliveries(sample.scope, &[foreign]).await.expect("a read").is_empty());
}

/// Newest first, as they were emitted, and nobody else's.
pub async fn events_are_listed_by_page(store: &impl Store) {
    let sample = seeded(store).await;
    let other = seeded_as(store, "other", 2).await;
    applied(store, other.opening([emit(&other, other.ids().budget())])).await;
    let run = sample.run();
    applied(store, sample.opening([open_run(&run)])).await;
    let mut events = Vec::new();
    for number in 0..5 {
        // Two of one moment.
        let occurred_at = noon() + Duration::from_secs(number / 2);
        let mut event = Event { occurred_at, ..sample.event(sample.ids().budget(), "live") };
        if number == 4 {
            event = Event { run_id: Some(run.id), subject: run.id.to_string(), ..event };
            event.event_type = "run.waiting".to_owned();
        }
        applied(store, sample.opening([Op::EventEmit(Arc::new(event.clone()))])).await;
        events.push(event);
    }
    events.sort_by_key(|event| std::cmp::Reverse((event.occurred_at, event.id)));
    let ids: Vec<_> = events.iter().map(|event| event.id).collect();
    for limit in [1, 2, 5, 200] {
        let (mut seen, mut query) = (Vec::new(), EventQuery { limit, ..EventQuery::default() });
        loop {
            let page = store.list_events(sample.scope, &query).await.expect("a page");
            seen.extend(page.items.iter().map(|event| event.id));
            query.cursor = page.next_cursor;
            if query.cursor.is_none() {
                break;
            }
        }
        assert_eq!(seen, ids, "by {limit}");
    }
    let filtered = async |filter| {
        let query = EventQuery { filter, ..EventQuery::default() };
        let page = store.list_events(sample.scope, &query).await.expect("a page");
        page.items.iter().map(|event| event.id).collect::<Vec<_>>()
    };
    let none = EventFilter::default;
    let waiting = || vec![Term::Is("run.waiting".to_owned())];
    assert_eq!(filtered(EventFilter { event_type: waiting(), ..none() }).await, ids[..1]);
    assert_eq!(filtered(EventFilter { run_id: vec![run.id], ..none() }).await, ids[..1]);
    let subject = vec![Term::Not(run.id.to_string())];
    assert_eq!(filtered(EventFilter { subject, ..none() }).await, ids[1..]);
    let second = |number| Some(noon() + Duration::from_secs(number));
    assert_eq!(filtered(EventFilter { since: second(1), until: second(2), ..none() }).await, ids[1..3]);
    let whole = store.list_events(sample.scope, &EventQuery::default()).await.expect("a page").items;
    assert_eq!((whole[0].subject_seq, whole[0].run_id), (1, Some(run.id)));
    assert_eq!((&whole[0].payload, whole[0].occurred_at), (&events[0].payload, events[0].occurred_at));
    let page = store.list_events(sample.scope, &EventQuery { limit: 1, ..EventQuery::default() }).await;
    let cursor = page.expect("a page").next_cursor;
    let foreign = EventQuery { cursor: cursor.clone(), ..EventQuery::default() };
    assert!(matches!(store.list_events(other.scope, &foreign).await, Err(StoreError::Cursor)));
    let filter = EventFilter { event_type: waiting(), ..none() };
    let narrowed = EventQuery { filter, cursor, ..EventQuery::default() };
    assert!(matches!(store.list_events(sample.scope, &narrowed).await, Err(StoreError::Cursor)));
}

/// With its speed of the last hour, also where nothing is left to do.
pub async fn a_workspace_is_told_its_own_lag(store: &impl Store) {
    let sample = seeded(store).await;
    let other = seeded_as(store, "other", 2).await;
    applied(store, other.opening([emit(&other, other.ids().budget())])).await;
    assert!(store.lag_in(sample.scope).await.expect("a lag").is_empty());
    applied(store, sample.opening([emit(&sample, sample.ids().budget())])).await;
    let lags = store.lag_in(sample.scope).await.expect("a lag");
    assert_eq!(lags.iter().map(|lag| (lag.pending, lag.p95)).collect::<Vec<_>>(), [(1, None)]);
    let claimed = claim(store, worker(&sample), LEASE).await;
    store.done("live", &claimed).await.expect("an answer");
    let lags = store.lag_in(sample.scope).await.expect("a lag");
    let told: Vec<_> = lags.iter().map(|lag| (lag.consumer.as_str(), lag.pending, lag.leased, lag.dead)).collect();
    assert_eq!(told, [("live", 0, 0, 0)]);
    assert!(lags[0].p95.is_some_and(|p95| p95 < LEASE), "{:?}", lags[0].p95);
}

async fn purged_events(store: &impl Store, sample: &Sample, before: DateTime<Utc>) -> u64 {
    let (scope, open_day) = (sample.scope, before.date_naive());
    let query = DueQuery { scope, class: RetentionClass::Events, before, open_day };
    let due = store.list_due(&query, 100).await.expect("a list");
    let ids = due.into_iter().map(|due| due.id).collect();
    let purging = Purging { query, ids, decided: Vec::new(), purge_id: sample.ids().retention_report() };
    let purged = store.purge(&purging).await.expect("an answer");
    purged.get(&Purged::Events).copied().unwrap_or_default()
}

/// With what was done about them, but for those that somebody still waits for.
pub async fn old_events_go(store: &impl Store) {
    let sample = seeded(store).await;
    for _ in 0..4 {
        applied(store, sample.opening([emit(&sample, sample.ids().budget())])).await;
    }
    given_up(store, &sample).await;
    let claimed = store.claim("live", worker(&sample), 2, LEASE).await.expect("a claim");
    store.done("live", &claimed[..1]).await.expect("an answer");
    assert_eq!(purged_events(store, &sample, noon()).await, 0, "what is from noon is not from before it");
    assert_eq!(purged_events(store, &sample, noon() + LEASE).await, 2);
    assert_eq!(purged_events(store, &sample, noon() + LEASE).await, 0);
    let left = store.list_events(sample.scope, &EventQuery::default()).await.expect("a page");
    assert_eq!((left.items.len(), dead(store, &sample).await.len()), (2, 0));
}
