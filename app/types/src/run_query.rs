//! What readers ask of a list of runs, and what they get. Named through [`run`](crate::run).

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use crate::id::{ApiKeyId, RequestId, RunId};
use crate::money::{Amount, Currency};
use crate::run::{Entry, Mode, Run, RunStatus, Source};
use crate::word::words;

/// Filters of a runs list: several values of one filter mean *or*, different filters mean *and*.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct RunFilter {
    /// Any of these states.
    pub status: Vec<RunStatus>,
    /// Any of these modes.
    pub mode: Vec<Mode>,
    /// Any of these doors.
    pub entry: Vec<Entry>,
    /// Any of these sources.
    pub source: Vec<Source>,
    /// Any of these callers.
    pub caller_id: Vec<String>,
    /// Any of these keys.
    pub api_key_id: Vec<ApiKeyId>,
    /// Any of these models, as callers named them.
    pub model_ref: Vec<String>,
    /// Any of these error codes.
    pub error_code: Vec<String>,
    /// This trace.
    pub trace_id: Option<String>,
    /// This request.
    pub request_id: Option<RequestId>,
    /// Started at or after.
    pub started_from: Option<DateTime<Utc>>,
    /// Started before.
    pub started_to: Option<DateTime<Utc>>,
    /// Any of these as the first run of the family.
    pub root_run_id: Vec<RunId>,
    /// Started by any of these.
    pub parent_run_id: Vec<RunId>,
    /// Repeating any of these.
    pub source_run_id: Vec<RunId>,
    /// A model of any of these accounts asked for.
    pub provider: Vec<String>,
    /// For each key any of these values.
    pub label: BTreeMap<String, Vec<String>>,
    /// Any of these marks.
    pub has: Vec<RunMark>,
    /// Rehearsals or not; without a word, only what is none.
    pub sandbox: Vec<bool>,
    /// At least this long.
    pub min_duration_ms: Option<u64>,
    /// At least this much, in `currency`.
    pub min_cost: Option<Amount>,
    /// At most this much, in `currency`.
    pub max_cost: Option<Amount>,
    /// In which money costs are compared and ordered; runs that cost nothing in it have no cost there.
    pub currency: Option<Currency>,
    /// Text in ids, model, error, previews; 3–200 characters.
    pub q: Option<String>,
}

impl RunFilter {
    /// Most values of one filter; all labels together are one.
    pub const MOST_VALUES: usize = 100;

    /// How many values each filter that takes several has.
    pub fn counts(&self) -> [(&'static str, usize); 15] {
        [
            ("status", self.status.len()),
            ("mode", self.mode.len()),
            ("entry", self.entry.len()),
            ("source", self.source.len()),
            ("caller_id", self.caller_id.len()),
            ("api_key_id", self.api_key_id.len()),
            ("model_ref", self.model_ref.len()),
            ("error_code", self.error_code.len()),
            ("root_run_id", self.root_run_id.len()),
            ("parent_run_id", self.parent_run_id.len()),
            ("source_run_id", self.source_run_id.len()),
            ("provider", self.provider.len()),
            ("label", self.label.values().map(|values| values.len().max(1)).sum()),
            ("has", self.has.len()),
            ("sandbox", self.sandbox.len()),
        ]
    }
}

words! {
    /// How a runs list is ordered; the word with a leading `-` in the API means descending.
    pub enum RunSort {
        /// By start.
        StartedAt = "started_at",
        /// By end.
        EndedAt = "ended_at",
        /// By duration.
        DurationMs = "duration_ms",
        /// By cost in the filter's currency.
        Cost = "cost",
    }
}
words! {
    /// What sets a run apart from others.
    pub enum RunMark {
        /// Part of its cost is estimated.
        Estimated = "estimated",
        /// A metered attempt has no price.
        Unpriced = "unpriced",
    }
}

/// What a reader asks of the runs list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunQuery {
    /// Which runs.
    pub filter: RunFilter,
    /// Ordered by.
    pub sort: RunSort,
    /// Newest, longest or last first.
    pub descending: bool,
    /// 1–200.
    pub limit: u32,
    /// Where the page before ended.
    pub cursor: Option<String>,
}

impl Default for RunQuery {
    fn default() -> Self {
        Self { filter: RunFilter::default(), sort: RunSort::StartedAt, descending: true, limit: 50, cursor: None }
    }
}

/// One page of runs, with how many match where that was asked.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct RunPage {
    /// The runs, in the order asked for.
    pub items: Vec<Run>,
    /// Pass as `cursor` with the same filters to go on; null on the last page.
    pub next_cursor: Option<String>,
    /// How many match, up to 10,000.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub total: Option<u64>,
    /// Whether more match than were counted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub total_is_lower_bound: Option<bool>,
}
