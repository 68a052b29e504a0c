//! Deliveries of outbox events: claimed, tried, done, tried again later, or dead.

use std::time::Duration;

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use serde_json::Value;
use types::id::EventId;

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
    /// How far every consumer is behind.
    async fn lag(&self) -> Result<Vec<Lag>, StoreError>;
    /// Deletes done deliveries older than the age, at most 1,000; returns how many.
    async fn prune(&self, older_than: Duration) -> Result<u64, StoreError>;
}
