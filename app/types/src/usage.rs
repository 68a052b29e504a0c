//! What was used, and how runs went: figures from counters.

use chrono::{DateTime, NaiveDate, Utc};
use serde::{Deserialize, Serialize};

use crate::budget::Percent;
use crate::money::Money;
use crate::run::Usage;
use crate::word::words;

words! {
    /// What daily usage is told apart by.
    pub enum UsageDimension {
        /// Through which door.
        Entry = "entry",
        /// With which key.
        ApiKey = "api_key",
        /// Who asked.
        Caller = "caller",
        /// The account asked for.
        Provider = "provider",
        /// The model asked for.
        Model = "model",
        /// What was called for: `chat`, `embedding` …
        Operation = "operation",
        /// In which workspace: of a tenant's usage.
        Workspace = "workspace",
    }
}
words! {
    /// What runs are told apart by.
    pub enum RunDimension {
        /// What kind of execution.
        Mode = "mode",
        /// Who made soit do it.
        Source = "source",
        /// Through which door.
        Entry = "entry",
    }
}
words! {
    /// How long a bucket is.
    pub enum BucketSize {
        /// A minute.
        Minute = "minute",
        /// An hour.
        Hour = "hour",
        /// A UTC day.
        Day = "day",
    }
}
words! {
    /// With what a window is compared.
    pub enum Compare {
        /// The window of equal length before it.
        Previous = "previous",
    }
}

impl BucketSize {
    /// Its length.
    pub const fn seconds(self) -> i64 {
        match self {
            Self::Minute => 60,
            Self::Hour => 3_600,
            Self::Day => 86_400,
        }
    }
}

/// Which window of runs, in which buckets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, utoipa::IntoParams)]
#[serde(default, deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct SummaryQuery {
    /// Started at or after; default 24 hours before `to`. Lowered to the start of its bucket.
    pub from: Option<DateTime<Utc>>,
    /// Started before; default now. Raised to the end of its bucket.
    pub to: Option<DateTime<Utc>>,
    /// `minute` (the last 7 days), `hour` (the last 90 days) or `day`; default `hour`. At most 1,000 of them.
    pub bucket: Option<BucketSize>,
    /// `mode`, `source` or `entry`.
    pub group_by: Option<RunDimension>,
    /// `previous`: the window of equal length before it.
    pub compare: Option<Compare>,
}

/// Which days, told apart by what.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, utoipa::IntoParams)]
#[serde(default, deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct UsageQuery {
    /// The first UTC day, such as `2026-01-15`; default 29 days before the last one.
    pub from: Option<NaiveDate>,
    /// The UTC day after the last one; default tomorrow.
    pub to: Option<NaiveDate>,
    /// `entry`, `api_key`, `caller`, `provider`, `model`, `operation` or, of a tenant's usage, `workspace`.
    pub group_by: Option<UsageDimension>,
}

/// Which days.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, utoipa::IntoParams)]
#[serde(default, deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct DayQuery {
    /// The first UTC day, such as `2026-01-15`; default 29 days before the last one.
    pub from: Option<NaiveDate>,
    /// The UTC day after the last one; default tomorrow.
    pub to: Option<NaiveDate>,
}

/// How runs went, rehearsals left out. Times are those of classes a third wide: never less than they were.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct RunFigures {
    /// Runs started.
    pub runs: u64,
    /// Of them not over.
    pub active: u64,
    /// Of them succeeded.
    pub succeeded: u64,
    /// Of them failed, the refused included.
    pub failed: u64,
    /// Of them refused before anything was tried.
    pub refused: u64,
    /// Of them canceled.
    pub canceled: u64,
    /// Of them expired.
    pub expired: u64,
    /// Succeeded ones of those that are over, in percent; null where none is.
    pub success_rate: Option<Percent>,
    /// Median duration of runs that are over, milliseconds.
    pub p50_ms: Option<u64>,
    /// 95th percentile of it.
    pub p95_ms: Option<u64>,
    /// 99th percentile of it.
    pub p99_ms: Option<u64>,
    /// Median time to the first content of an attempt, milliseconds.
    pub ttft_p50_ms: Option<u64>,
    /// 95th percentile of it.
    pub ttft_p95_ms: Option<u64>,
    /// 99th percentile of it.
    pub ttft_p99_ms: Option<u64>,
    /// Tokens of every class.
    pub tokens: u64,
    /// Charges, one entry a currency.
    pub cost: Vec<Money>,
    /// Metered attempts whose amount is estimated.
    pub estimated: u64,
    /// Metered attempts without a price: in no cost.
    pub unpriced: u64,
}

/// Runs of a part of the window.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct RunBucket {
    /// Start of the bucket.
    pub start: DateTime<Utc>,
    /// How its runs went.
    pub figures: RunFigures,
    /// The query of `GET /runs` that lists exactly these runs.
    pub runs: String,
}

/// Runs that have something in common.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct RunSlice {
    /// What they have in common.
    pub key: String,
    /// How they went.
    pub figures: RunFigures,
    /// The query of `GET /runs` that lists exactly these runs.
    pub runs: String,
}

/// How the runs of a window went.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct RunSummary {
    /// Start of the window, on a border of buckets.
    pub from: DateTime<Utc>,
    /// End of the window, on a border of buckets.
    pub to: DateTime<Utc>,
    /// How long a bucket is.
    pub bucket: BucketSize,
    /// Always true: percentiles are told from classes of times.
    pub approx: bool,
    /// The window.
    pub total: RunFigures,
    /// The window before it, if it was asked for.
    pub previous: Option<RunFigures>,
    /// Its buckets without gaps, the oldest first.
    pub buckets: Vec<RunBucket>,
    /// Its runs by what they have in common, if that was asked for.
    pub groups: Vec<RunSlice>,
    /// The query of `GET /runs` that lists exactly its runs.
    pub runs: String,
}

/// How it stands: the last 24 hours, against the 24 before.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Dashboard {
    /// Start of the window.
    pub from: DateTime<Utc>,
    /// End of the window.
    pub to: DateTime<Utc>,
    /// Always true: percentiles are told from classes of times.
    pub approx: bool,
    /// The window.
    pub now: RunFigures,
    /// Failed ones of its runs, in percent; null where there are none.
    pub failure_rate: Option<Percent>,
    /// The window before it.
    pub previous: RunFigures,
    /// Failed ones of those, in percent.
    pub previous_failure_rate: Option<Percent>,
    /// The query of `GET /runs` that lists exactly the runs of the window.
    pub runs: String,
}

/// What was used on a day, by calls that have something in common. A call is an attempt: one that is tried again counts
/// again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct UsageDay {
    /// The UTC day of admission.
    pub day: NaiveDate,
    /// What the calls have in common; null where they have no such thing, or nothing was asked for.
    pub key: Option<String>,
    /// Attempts made, those that fail included.
    pub calls: u64,
    /// Of them failed.
    pub failed: u64,
    /// Of them canceled.
    pub canceled: u64,
    /// Calls refused before anything was tried; each is counted, also where several share a run.
    pub refused: u64,
    /// Mean time of the attempts that are over, milliseconds.
    pub mean_latency_ms: Option<u64>,
    /// Tokens of every class.
    pub tokens: u64,
    /// Quantities by class.
    pub usage: Usage,
    /// Charges, one entry a currency.
    pub cost: Vec<Money>,
    /// What of the charges is estimated.
    pub estimated_cost: Vec<Money>,
    /// Attempts whose amount is estimated.
    pub estimated: u64,
    /// Attempts without a price: in no cost.
    pub unpriced: u64,
    /// Answers given again under an `Idempotency-Key`, on the day they were; no attempts.
    #[serde(default)]
    pub replayed: u64,
    /// Answers of the cache; no attempts.
    #[serde(default)]
    pub cache_hits: u64,
    /// The query of `GET /runs` that lists exactly these runs; null where no filter tells them apart.
    pub runs: Option<String>,
}

/// Usage by day.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct DailyUsage {
    /// The first day.
    pub from: NaiveDate,
    /// The day after the last one.
    pub to: NaiveDate,
    /// By day, then by what calls have in common.
    pub items: Vec<UsageDay>,
}

/// How the attempts of one operation went.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct StepFigures {
    /// `chat`, `embedding` …
    pub operation: String,
    /// Attempts made.
    pub calls: u64,
    /// Of them over.
    pub ended: u64,
    /// Of them failed.
    pub failed: u64,
    /// Of them canceled.
    pub canceled: u64,
    /// Failed ones of those that are over, in percent; null where none is.
    pub failure_rate: Option<Percent>,
    /// Mean time of those that are over, milliseconds.
    pub mean_latency_ms: Option<u64>,
    /// Tokens of every class.
    pub tokens: u64,
}

/// How steps went.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct StepMetrics {
    /// The first day.
    pub from: NaiveDate,
    /// The day after the last one.
    pub to: NaiveDate,
    /// One entry an operation.
    pub items: Vec<StepFigures>,
}
