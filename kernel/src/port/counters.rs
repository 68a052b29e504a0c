//! The counters of usage: read in sums, checked against the rows they count, made coarser with age.

use std::collections::BTreeMap;

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use types::money::Currency;
use types::usage::{RunDimension, UsageDimension};

use super::StoreError;
use crate::context::Scope;
use crate::ledger::{Measure, RunMeasure};

/// Numbers of one day, value of a dimension, and money.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UsageSum {
    /// Start of the UTC day.
    pub day: DateTime<Utc>,
    /// What its calls have in common; none where they have no such thing, or nothing was asked for.
    pub key: Option<String>,
    /// The money of `Measure::Amount`.
    pub currency: Option<Currency>,
    /// The numbers; what is not there is zero.
    pub measures: BTreeMap<Measure, i64>,
}

/// One number of runs of a bucket and a value of a dimension.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunSum {
    /// Start of the bucket.
    pub bucket: DateTime<Utc>,
    /// What the runs have in common, if something was asked for.
    pub key: Option<String>,
    /// What is counted.
    pub measure: RunMeasure,
    /// How many.
    pub n: i64,
}

/// What becomes of counters that are not what their rows add up to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Recount {
    /// They are told.
    Look,
    /// They are told, and what is lacking is added.
    Fix,
    /// The same for the counters of usage alone: what was counted by nobody before there were any.
    Fill,
}

/// A counter that is not what its rows add up to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// Its table.
    pub table: &'static str,
    /// Which row.
    pub key: String,
    /// Which number of it.
    pub measure: String,
    /// What it says.
    pub counter: i64,
    /// What the rows add up to.
    pub rows: i64,
}

/// Reads the counters of usage. They move in the batches of the ledger alone.
#[async_trait]
pub trait Counters: Send + Sync {
    /// Usage of the days from one on and before another, rehearsals left out: at most so many sums, by day.
    async fn list_usage(
        &self,
        scope: Scope,
        days: (DateTime<Utc>, DateTime<Utc>),
        by: Option<UsageDimension>,
        limit: u64,
    ) -> Result<Vec<UsageSum>, StoreError>;
    /// Runs admitted from a time on and before another, in buckets of so many seconds.
    async fn list_run_sums(
        &self,
        scope: Scope,
        window: (DateTime<Utc>, DateTime<Utc>),
        seconds: i64,
        by: Option<RunDimension>,
    ) -> Result<Vec<RunSum>, StoreError>;
    /// Recounts everything from the rows of one moment and tells what differs. Others may go on writing meanwhile: a batch
    /// moves rows and counters by the same, so a difference stays true.
    async fn recount(&self, recount: Recount) -> Result<Vec<Difference>, StoreError>;
    /// Whether what was there before the counters is counted.
    async fn is_filled(&self) -> Result<bool, StoreError>;
    /// Joins rows of minutes before the first time to hours, and rows of hours before the second to days. Sums stay.
    async fn roll_up(&self, hours: DateTime<Utc>, days: DateTime<Utc>) -> Result<(), StoreError>;
}
