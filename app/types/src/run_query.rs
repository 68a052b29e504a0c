//! What readers ask of a list of runs, and what they get. Named through [`run`](crate::run).

use std::collections::BTreeMap;
use std::fmt::{self, Display};
use std::str::FromStr;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::feedback::Rating;
use crate::id::{ApiKeyId, RequestId, RunId};
use crate::money::{Amount, Currency};
use crate::run::{Entry, Mode, Run, RunStatus, Source};
use crate::word::words;

/// A value of a filter that is asked for or, written with a leading `!`, left out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Term<T> {
    /// What has this value.
    Is(T),
    /// What has another value, or none.
    Not(T),
}

impl<T> Term<T> {
    /// The value, if it is asked for.
    pub const fn wanted(&self) -> Option<&T> {
        match self {
            Self::Is(value) => Some(value),
            Self::Not(_) => None,
        }
    }

    /// The value, if it is left out.
    pub const fn unwanted(&self) -> Option<&T> {
        match self {
            Self::Is(_) => None,
            Self::Not(value) => Some(value),
        }
    }

    /// Whether something passes a filter: it has any of the values asked for, if some are, and none of those left out.
    pub fn pass(terms: &[Self], has: impl Fn(&T) -> bool) -> bool {
        let mut wanted = terms.iter().filter_map(Self::wanted).peekable();
        let mut unwanted = terms.iter().filter_map(Self::unwanted);
        (wanted.peek().is_none() || wanted.any(&has)) && !unwanted.any(has)
    }
}

impl<T> From<T> for Term<T> {
    fn from(value: T) -> Self {
        Self::Is(value)
    }
}

impl<T: Display> Display for Term<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Is(value) => value.fmt(f),
            Self::Not(value) => write!(f, "!{value}"),
        }
    }
}

impl<T: FromStr> FromStr for Term<T> {
    type Err = T::Err;

    fn from_str(text: &str) -> Result<Self, T::Err> {
        match text.strip_prefix('!') {
            Some(text) => text.parse().map(Self::Not),
            None => text.parse().map(Self::Is),
        }
    }
}

impl<T: Display> Serialize for Term<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de, T: FromStr<Err: Display>> Deserialize<'de> for Term<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = std::borrow::Cow::<'de, str>::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

/// Filters of a runs list: several values of one filter mean *or*, different filters mean *and*.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct RunFilter {
    /// These runs alone.
    pub id: Vec<RunId>,
    /// Of these states.
    pub status: Vec<Term<RunStatus>>,
    /// Of these modes.
    pub mode: Vec<Term<Mode>>,
    /// Through these doors.
    pub entry: Vec<Term<Entry>>,
    /// From these sources.
    pub source: Vec<Term<Source>>,
    /// By these callers.
    pub caller_id: Vec<Term<String>>,
    /// With these keys.
    pub api_key_id: Vec<Term<ApiKeyId>>,
    /// Of these models, as callers named them.
    pub model_ref: Vec<Term<String>>,
    /// With these error codes.
    pub error_code: Vec<Term<String>>,
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
    /// A model of these accounts asked for.
    pub provider: Vec<Term<String>>,
    /// For each key any of these values.
    pub label: BTreeMap<String, Vec<String>>,
    /// Any of these marks.
    pub has: Vec<RunMark>,
    /// Of which somebody says any of these.
    pub feedback: Vec<Rating>,
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
    /// Text in ids, model, error, labels, previews, in any case; 3–200 characters.
    pub q: Option<String>,
}

impl RunFilter {
    /// Most values of one filter; all labels together are one.
    pub const MOST_VALUES: usize = 100;

    /// How many values each filter that takes several has.
    pub fn counts(&self) -> [(&'static str, usize); 17] {
        [
            ("id", self.id.len()),
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
            ("feedback", self.feedback.len()),
            ("sandbox", self.sandbox.len()),
        ]
    }
}

/// What became of asking several runs to end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct CanceledRuns {
    /// So many are about to end, or have.
    pub canceling: u64,
    /// So many were over before they could be asked.
    pub over: u64,
    /// So many the caller may not cancel.
    pub refused: u64,
}

/// How many runs each choice of a filter would show: those that have it and match every other filter.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunFacets {
    /// By state.
    pub status: BTreeMap<RunStatus, u64>,
    /// By mode.
    pub mode: BTreeMap<Mode, u64>,
    /// By door.
    pub entry: BTreeMap<Entry, u64>,
    /// By model, as callers named it: those with the most runs.
    pub model_ref: BTreeMap<String, u64>,
    /// By key.
    pub api_key_id: BTreeMap<ApiKeyId, u64>,
    /// How many match every filter.
    pub total: u64,
    /// Whether there may be more of each than were counted.
    pub is_lower_bound: bool,
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
        /// Somebody said whether it was good.
        Feedback = "feedback",
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_term_is_written_as_it_is_read() {
        for text in ["failed", "!failed"] {
            let term: Term<RunStatus> = text.parse().expect("a term");
            let json = serde_json::to_string(&term).expect("a string");
            assert_eq!((term.to_string().as_str(), json), (text, format!("\"{text}\"")));
            assert_eq!(serde_json::from_str::<Term<RunStatus>>(&format!("\"{text}\"")).expect("a term"), term);
        }
        for wrong in ["", "!", "!!failed", "!done"] {
            assert!(wrong.parse::<Term<RunStatus>>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn what_is_asked_for_passes_unless_it_is_left_out() {
        let passing = |terms: &[&str]| {
            let terms: Vec<Term<String>> = terms.iter().map(|term| term.parse().expect("a term")).collect();
            let values = [None, Some("a"), Some("b"), Some("c")];
            let passing = values.into_iter().filter(|value| Term::pass(&terms, |has| value == &Some(has.as_str())));
            passing.collect::<Vec<_>>()
        };
        assert_eq!(passing(&[]), [None, Some("a"), Some("b"), Some("c")]);
        assert_eq!(passing(&["a", "b"]), [Some("a"), Some("b")]);
        assert_eq!(passing(&["!a", "!b"]), [None, Some("c")]);
        assert_eq!(passing(&["a", "b", "!b"]), [Some("a")]);
    }
}
