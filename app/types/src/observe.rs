//! Live hints and the home page's figures.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use crate::money::Money;
use crate::word::words;

words! {
    /// What a live hint is about.
    pub enum Topic {
        /// A run started, changed or ended.
        Runs = "runs",
        /// A budget moved.
        Budgets = "budgets",
        /// A task was opened, changed or is over.
        Tasks = "tasks",
    }
}

/// "Something changed here": the reader loads it anew.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Hint {
    /// What kind of thing.
    pub topic: Topic,
    /// Which one.
    pub id: String,
    /// Grows with every change of that thing.
    pub version: u64,
}

/// The figures of a time window, from server counters; never from a page of a list.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Window {
    /// Runs started.
    pub runs: u64,
    /// Of them still going.
    pub active: u64,
    /// Of them failed, refusals included.
    pub failed: u64,
    /// Of them refused before any effect.
    pub refused: u64,
    /// Charges, one entry a currency.
    pub cost: Vec<Money>,
    /// Metered attempts whose amount is estimated.
    #[serde(default)]
    pub estimated: u64,
    /// Metered attempts without a price.
    pub unpriced: u64,
    /// Median duration of ended runs, milliseconds: the longest of its class, which is a third wide.
    pub p50_ms: Option<u64>,
    /// 95th percentile of the duration of ended runs, milliseconds, in the same way.
    pub p95_ms: Option<u64>,
}

/// One bar of the outcome chart.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Bucket {
    /// Start of the bucket.
    pub start: DateTime<Utc>,
    /// Runs that succeeded.
    pub succeeded: u64,
    /// Runs that failed, without the refused.
    pub failed: u64,
    /// Runs refused.
    pub refused: u64,
    /// Runs still going.
    pub active: u64,
}

/// What the home page shows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Overview {
    /// Start of the window.
    pub from: DateTime<Utc>,
    /// End of the window.
    pub to: DateTime<Utc>,
    /// The window.
    pub now: Window,
    /// The window before it, of equal length.
    pub previous: Window,
    /// The outcome chart.
    pub buckets: Vec<Bucket>,
    /// Runs going on now, whenever they started.
    pub active: u64,
    /// Whether the set-up steps are done: provider, key, first call.
    pub setup: Setup,
}

/// The steps of the empty home page that tick themselves off.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Setup {
    /// A provider account exists.
    pub provider: bool,
    /// An API key exists.
    pub key: bool,
    /// A run exists.
    pub run: bool,
    /// A budget exists.
    pub budget: bool,
}
