//! Rates per minute: shared where a shared store is configured, else per process.

use async_trait::async_trait;
use chrono::{DateTime, Utc};

use crate::context::Scope;

/// Whether one more call fits the minute.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LimitDecision {
    /// Whether it may go on.
    pub allowed: bool,
    /// Calls left of the limit.
    pub remaining: u32,
    /// When the whole limit is free again (allowed) or the next call fits (refused).
    pub resets_at: DateTime<Utc>,
}

/// Counts calls a minute.
#[async_trait]
pub trait Limits: Send + Sync {
    /// Takes one call of the limit of `key`, a name within its workspace (GCRA, burst = limit), or says when one fits. `Err`
    /// when it cannot be known.
    async fn take(&self, scope: Scope, key: &str, per_minute: u32) -> Result<LimitDecision, crate::Error>;
}
