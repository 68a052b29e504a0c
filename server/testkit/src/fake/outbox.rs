//! Deliveries of events.

use std::collections::{BTreeMap, HashSet};
use std::time::Duration;

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use kernel::ledger::Fence;
use kernel::port::{Delivery, Lag, Outbox, StoreError};
use types::id::TenantId;

use super::store::{Delivering, DeliveryStatus, FakeStore, Rows};

#[async_trait]
impl Outbox for FakeStore {
    async fn claim(
        &self,
        consumer: &str,
        _by: Fence,
        limit: u32,
        lease: Duration,
    ) -> Result<Vec<Delivery>, StoreError> {
        let mut rows = self.rows();
        let now = rows.now();
        Ok(rows.claim(consumer, limit as usize, now, now + lease))
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
        _error: &str,
        retry_in: Option<Duration>,
    ) -> Result<(), StoreError> {
        self.rows().finish(consumer, delivery, |delivering, now| match retry_in {
            Some(wait) => {
                delivering.status = DeliveryStatus::Pending;
                delivering.due_at = now + wait;
            }
            None => delivering.status = DeliveryStatus::Dead,
        });
        Ok(())
    }

    async fn lag(&self) -> Result<Vec<Lag>, StoreError> {
        Ok(self.rows().lag())
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

impl Rows {
    fn claim(&mut self, consumer: &str, limit: usize, now: DateTime<Utc>, until: DateTime<Utc>) -> Vec<Delivery> {
        let mut busy: HashSet<(TenantId, String)> = HashSet::new();
        let mut claimed = Vec::new();
        for stored in &mut self.events {
            let Some(delivering) = stored.deliveries.get_mut(consumer) else { continue };
            let unfinished = matches!(delivering.status, DeliveryStatus::Pending | DeliveryStatus::Leased);
            let first = unfinished && busy.insert((stored.scope.tenant_id, stored.event.subject.clone()));
            if !first || delivering.due_at > now || claimed.len() == limit {
                continue;
            }
            delivering.status = DeliveryStatus::Leased;
            delivering.attempts += 1;
            delivering.epoch += 1;
            delivering.due_at = until;
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
            });
        }
        claimed
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

    fn lag(&self) -> Vec<Lag> {
        let now = self.now();
        let mut lags: BTreeMap<&str, Lag> = BTreeMap::new();
        for stored in &self.events {
            for (consumer, delivering) in &stored.deliveries {
                if delivering.status == DeliveryStatus::Done {
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
                    DeliveryStatus::Dead | DeliveryStatus::Done => lag.dead += 1,
                }
            }
        }
        lags.into_values().collect()
    }
}
