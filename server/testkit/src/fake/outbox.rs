//! Deliveries of events.

use std::collections::{BTreeMap, HashSet};
use std::time::Duration;

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use kernel::context::Scope;
use kernel::ledger::{Fence, Resolution, Verdict};
use kernel::port::{Delivery, FoundDelivery, Lag, Outbox, StoreError};
use types::id::{ProcessId, TenantId};
use types::outbox::{DeadLetter, DeadLetterKind, DeadLetterQuery, DeliveryId, EventFilter, EventQuery, OutboxEvent};
use types::page::Page;
use types::run::Term;

use super::page::page;
use super::store::{Delivering, DeliveryStatus, FakeStore, Rows, StoredEvent};

#[async_trait]
impl Outbox for FakeStore {
    async fn claim(&self, consumer: &str, by: Fence, limit: u32, lease: Duration) -> Result<Vec<Delivery>, StoreError> {
        let mut rows = self.rows();
        let now = rows.now();
        Ok(rows.claim(consumer, by, limit as usize, (now, now + lease)))
    }

    async fn done(&self, consumer: &str, deliveries: &[Delivery]) -> Result<(), StoreError> {
        for delivery in deliveries {
            self.rows().finish(consumer, delivery, |delivering, _| delivering.status = DeliveryStatus::Done);
        }
        Ok(())
    }

    async fn failed(
        &self,
        consumer: &str,
        delivery: &Delivery,
        error: &str,
        retry_in: Option<Duration>,
    ) -> Result<(), StoreError> {
        self.rows().finish(consumer, delivery, |delivering, now| {
            delivering.error = Some(error.to_owned());
            match retry_in {
                Some(wait) => {
                    delivering.status = DeliveryStatus::Pending;
                    delivering.due_at = now + wait;
                }
                None => delivering.status = DeliveryStatus::Dead,
            }
        });
        Ok(())
    }

    async fn lag(&self) -> Result<Vec<Lag>, StoreError> {
        Ok(self.rows().lag(|_| true))
    }

    async fn lag_in(&self, scope: Scope) -> Result<Vec<Lag>, StoreError> {
        let rows = self.rows();
        let mut lags = rows.lag(|of| of == scope);
        for (consumer, times) in rows.delivered_lately(scope) {
            let p95 = times.get((times.len() * 95).div_ceil(100) - 1).copied();
            match lags.iter_mut().find(|lag| lag.consumer == consumer) {
                Some(lag) => lag.p95 = p95,
                None => lags.push(Lag { consumer: consumer.to_owned(), p95, ..Lag::default() }),
            }
        }
        Ok(lags)
    }

    async fn list_events(&self, scope: Scope, query: &EventQuery) -> Result<Page<OutboxEvent>, StoreError> {
        let rows = self.rows();
        let here = rows.events.iter().filter(|stored| stored.scope == scope).map(event);
        let mut events: Vec<OutboxEvent> = here.filter(|event| matches(&query.filter, event)).collect();
        events.sort_by_key(|event| std::cmp::Reverse((event.occurred_at, event.id)));
        let list = format!("events {scope:?} {:?}", query.filter);
        page(events, |event| event.id.to_string(), &list, query.limit, query.cursor.as_deref())
    }

    async fn list_dead(&self, scope: Scope, query: &DeadLetterQuery) -> Result<Page<DeadLetter>, StoreError> {
        let rows = self.rows();
        let mut letters = rows.dead_letters(scope);
        letters.extend(rows.dead_tasks(scope));
        letters.retain(|letter| {
            query.filter.kind.is_none_or(|kind| kind == letter.kind)
                && query.filter.consumer.as_ref().is_none_or(|consumer| *consumer == letter.consumer)
                && query.filter.event_type.as_ref().is_none_or(|name| *name == letter.event_type)
        });
        letters.sort_by(|one, other| (other.died_at, other.kind, &other.id).cmp(&(one.died_at, one.kind, &one.id)));
        let list = format!("dead letters {scope:?} {:?}", query.filter);
        page(letters, |letter| letter.id.clone(), &list, query.limit, query.cursor.as_deref())
    }

    async fn find_deliveries(&self, scope: Scope, ids: &[DeliveryId]) -> Result<Vec<FoundDelivery>, StoreError> {
        let rows = self.rows();
        let find = |id: &DeliveryId| {
            let stored = rows.events.iter().find(|stored| stored.scope == scope && stored.event.id == id.event_id)?;
            let delivering = stored.deliveries.get(id.consumer.as_str())?;
            let is_dead = delivering.status == DeliveryStatus::Dead;
            Some(FoundDelivery { id: id.clone(), is_dead, epoch: delivering.epoch })
        };
        Ok(ids.iter().filter_map(find).collect())
    }

    async fn prune(&self, older_than: Duration) -> Result<u64, StoreError> {
        let mut rows = self.rows();
        let before = rows.now() - older_than;
        let mut pruned = 0;
        for stored in &mut rows.events {
            stored.deliveries.retain(|_, delivering| {
                let old = delivering.status == DeliveryStatus::Done && delivering.due_at <= before && pruned < 1_000;
                pruned += u64::from(old);
                !old
            });
        }
        Ok(pruned)
    }
}

impl Delivering {
    fn waits(&self) -> bool {
        matches!(self.status, DeliveryStatus::Pending | DeliveryStatus::Leased)
    }
}

pub(super) fn event(stored: &StoredEvent) -> OutboxEvent {
    let event = &stored.event;
    OutboxEvent {
        id: event.id,
        event_type: event.event_type.clone(),
        subject: event.subject.clone(),
        subject_seq: stored.seq,
        run_id: event.run_id,
        payload: event.payload.clone(),
        occurred_at: event.occurred_at,
    }
}

pub(super) fn matches(filter: &EventFilter, event: &OutboxEvent) -> bool {
    Term::pass(&filter.event_type, |name| *name == event.event_type)
        && Term::pass(&filter.subject, |subject| *subject == event.subject)
        && (filter.run_id.is_empty() || event.run_id.is_some_and(|id| filter.run_id.contains(&id)))
        && filter.since.is_none_or(|since| event.occurred_at >= since)
        && filter.until.is_none_or(|until| event.occurred_at < until)
}

impl Rows {
    fn claim(
        &mut self,
        consumer: &str,
        by: Fence,
        limit: usize,
        (now, until): (DateTime<Utc>, DateTime<Utc>),
    ) -> Vec<Delivery> {
        let mut busy: HashSet<(TenantId, String)> = HashSet::new();
        let mut broken: HashSet<(TenantId, String)> = HashSet::new();
        let mut claimed = Vec::new();
        for stored in &mut self.events {
            let Some(delivering) = stored.deliveries.get_mut(consumer) else { continue };
            let subject = (stored.scope.tenant_id, stored.event.subject.clone());
            let is_after_dead = broken.contains(&subject);
            if delivering.status == DeliveryStatus::Dead {
                broken.insert(subject.clone());
            }
            let first = delivering.waits() && busy.insert(subject);
            if !first || delivering.due_at > now || claimed.len() == limit {
                continue;
            }
            delivering.status = DeliveryStatus::Leased;
            delivering.attempts += 1;
            delivering.epoch += 1;
            delivering.due_at = until;
            delivering.leased_by = Some(by.process_id);
            delivering.after_dead |= is_after_dead;
            claimed.push(Delivery {
                event_id: stored.event.id,
                scope: stored.scope,
                event_type: stored.event.event_type.clone(),
                subject: stored.event.subject.clone(),
                subject_seq: stored.seq,
                payload: stored.event.payload.clone(),
                occurred_at: stored.event.occurred_at,
                attempt: delivering.attempts,
                epoch: delivering.epoch,
                after_dead: delivering.after_dead,
            });
        }
        claimed
    }

    /// What dead processes were about to deliver is due again, and their tasks lapse.
    pub(super) fn release_work(&mut self) {
        self.end_leases();
        let now = self.now();
        let processes = &self.processes;
        let is_dead = |id: ProcessId| processes.get(&id).is_some_and(|(_, alive)| !alive);
        for delivering in self.events.iter_mut().flat_map(|stored| stored.deliveries.values_mut()) {
            if delivering.status == DeliveryStatus::Leased && delivering.leased_by.is_some_and(is_dead) {
                delivering.due_at = now;
            }
        }
    }

    fn finish(&mut self, consumer: &str, delivery: &Delivery, change: impl FnOnce(&mut Delivering, DateTime<Utc>)) {
        let now = self.now();
        let stored = self.events.iter_mut().find(|stored| stored.event.id == delivery.event_id);
        let Some(delivering) = stored.and_then(|stored| stored.deliveries.get_mut(consumer)) else { return };
        if delivering.status == DeliveryStatus::Leased && delivering.epoch == delivery.epoch {
            delivering.due_at = now;
            change(delivering, now);
        }
    }

    fn lag(&self, of: impl Fn(Scope) -> bool) -> Vec<Lag> {
        let now = self.now();
        let mut lags: BTreeMap<&str, Lag> = BTreeMap::new();
        for stored in self.events.iter().filter(|stored| of(stored.scope)) {
            for (consumer, delivering) in &stored.deliveries {
                if matches!(delivering.status, DeliveryStatus::Done | DeliveryStatus::Discarded) {
                    continue;
                }
                let lag =
                    lags.entry(consumer).or_insert_with(|| Lag { consumer: (*consumer).to_owned(), ..Lag::default() });
                match delivering.status {
                    DeliveryStatus::Pending => {
                        let age = (now - stored.emitted_at).to_std().unwrap_or_default();
                        lag.pending += 1;
                        lag.oldest = lag.oldest.max(Some(age));
                    }
                    DeliveryStatus::Leased => lag.leased += 1,
                    DeliveryStatus::Dead | DeliveryStatus::Done | DeliveryStatus::Discarded => lag.dead += 1,
                }
            }
        }
        lags.into_values().collect()
    }

    /// How long deliveries of the last hour took, in order, by consumer.
    fn delivered_lately(&self, scope: Scope) -> BTreeMap<&'static str, Vec<Duration>> {
        let since = self.now() - Duration::from_secs(3_600);
        let mut times: BTreeMap<&'static str, Vec<Duration>> = BTreeMap::new();
        for stored in self.events.iter().filter(|stored| stored.scope == scope) {
            for (consumer, delivering) in &stored.deliveries {
                if delivering.status == DeliveryStatus::Done && delivering.due_at >= since {
                    let took = (delivering.due_at - stored.emitted_at).to_std().unwrap_or_default();
                    times.entry(consumer).or_default().push(took);
                }
            }
        }
        times.values_mut().for_each(|times| times.sort_unstable());
        times
    }

    fn dead_letters(&self, scope: Scope) -> Vec<DeadLetter> {
        let here = self.events.iter().filter(|stored| stored.scope == scope);
        let deliveries = here.flat_map(|stored| stored.deliveries.iter().map(move |delivery| (stored, delivery)));
        let dead = deliveries.filter(|(_, (_, delivering))| delivering.status == DeliveryStatus::Dead);
        dead.map(|(stored, (consumer, delivering))| DeadLetter {
            kind: DeadLetterKind::Outbox,
            id: DeliveryId { event_id: stored.event.id, consumer: (*consumer).to_owned() }.to_string(),
            consumer: (*consumer).to_owned(),
            event_type: stored.event.event_type.clone(),
            subject: stored.event.subject.clone(),
            subject_seq: Some(stored.seq),
            attempts: delivering.attempts,
            redrives: delivering.redrives,
            error: delivering.error.clone(),
            occurred_at: stored.event.occurred_at,
            died_at: delivering.due_at,
        })
        .collect()
    }

    pub(super) fn resolve(&mut self, scope: Scope, resolution: &Resolution) {
        let (now, id) = (self.now(), &resolution.delivery);
        let stored = self.events.iter_mut().find(|stored| stored.scope == scope && stored.event.id == id.event_id);
        let Some(delivering) = stored.and_then(|stored| stored.deliveries.get_mut(id.consumer.as_str())) else {
            return;
        };
        if delivering.status != DeliveryStatus::Dead || delivering.epoch != resolution.epoch {
            return;
        }
        delivering.epoch += 1;
        match resolution.verdict {
            Verdict::Redrive => {
                delivering.status = DeliveryStatus::Pending;
                delivering.attempts = 0;
                delivering.redrives += 1;
                delivering.due_at = now;
            }
            Verdict::Discard(_) => delivering.status = DeliveryStatus::Discarded,
        }
    }
}
