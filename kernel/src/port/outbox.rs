//! Deliveries of outbox events: claimed, tried, done, tried again later, or dead.

use std::time::Duration;

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use serde_json::Value;
use types::id::EventId;
use types::outbox::{DeadLetter, DeadLetterQuery, DeliveryId, EventQuery, OutboxEvent};
use types::page::Page;

use super::StoreError;
use crate::context::Scope;
use crate::ledger::Fence;

/// One claimed delivery.
#[derive(Clone, Debug, PartialEq)]
pub struct Delivery {
    /// The event.
    pub event_id: EventId,
    /// Where it happened.
    pub scope: Scope,
    /// Past-tense dotted name.
    pub event_type: String,
    /// What it is about.
    pub subject: String,
    /// Its number within the subject.
    pub subject_seq: u64,
    /// What happened.
    pub payload: Value,
    /// When.
    pub occurred_at: DateTime<Utc>,
    /// 1 for the first try.
    pub attempt: u32,
    /// The claim's fence: an older claim's answer is refused.
    pub epoch: u64,
    /// Whether an earlier event of the subject was given up and never arrived.
    pub after_dead: bool,
}

/// How far a consumer is behind.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Lag {
    /// The consumer.
    pub consumer: String,
    /// Waiting.
    pub pending: u64,
    /// Being tried.
    pub leased: u64,
    /// Given up.
    pub dead: u64,
    /// Age of the oldest waiting one.
    pub oldest: Option<Duration>,
    /// 95th percentile of the time from commit to delivery in the last hour; of one workspace alone.
    pub p95: Option<Duration>,
}

/// A delivery that somebody asks for by its id.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundDelivery {
    /// Which one.
    pub id: DeliveryId,
    /// Whether it was given up, and nobody decided about it yet.
    pub is_dead: bool,
    /// Grows with every claim and redrive.
    pub epoch: u64,
}

/// Hands deliveries out, in order within a subject, to one worker at a time.
#[async_trait]
pub trait Outbox: Send + Sync {
    /// Claims up to `limit` due deliveries of a consumer for the lease.
    async fn claim(&self, consumer: &str, by: Fence, limit: u32, lease: Duration) -> Result<Vec<Delivery>, StoreError>;
    /// Claimed deliveries are done, all in one transaction. A stale claim changes nothing.
    async fn done(&self, consumer: &str, deliveries: &[Delivery]) -> Result<(), StoreError>;
    /// A claimed delivery failed: due again after `retry_in`, or dead when `None`.
    async fn failed(
        &self,
        consumer: &str,
        delivery: &Delivery,
        error: &str,
        retry_in: Option<Duration>,
    ) -> Result<(), StoreError>;
    /// How far every consumer is behind that has something to do or gave something up.
    async fn lag(&self) -> Result<Vec<Lag>, StoreError>;
    /// The same in one workspace, those included that delivered in the last hour.
    async fn lag_in(&self, scope: Scope) -> Result<Vec<Lag>, StoreError>;
    /// One page of a workspace's events, newest first.
    async fn list_events(&self, scope: Scope, query: &EventQuery) -> Result<Page<OutboxEvent>, StoreError>;
    /// One page of what was given up in a workspace, deliveries and tasks, last given up first; at most 1,000. There is none
    /// of another kind.
    async fn list_dead(&self, scope: Scope, query: &DeadLetterQuery) -> Result<Page<DeadLetter>, StoreError>;
    /// Those of these deliveries that there are in the workspace, in no order.
    async fn find_deliveries(&self, scope: Scope, ids: &[DeliveryId]) -> Result<Vec<FoundDelivery>, StoreError>;
    /// Deletes done deliveries older than the age, at most 1,000; returns how many.
    async fn prune(&self, older_than: Duration) -> Result<u64, StoreError>;
}
