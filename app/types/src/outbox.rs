//! Outbox events as readers see them, what was given up, and how far consumers are behind.

use std::fmt;
use std::str::FromStr;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::id::{EventId, InvalidId, RunId};
use crate::run::Term;
use crate::word::words;

/// An outbox event.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct OutboxEvent {
    /// The event's id: what consumers tell repeats by.
    pub id: EventId,
    /// Past-tense dotted name: `run.finished`.
    pub event_type: String,
    /// What it is about, as an id.
    pub subject: String,
    /// Its number within the subject, without gaps.
    pub subject_seq: u64,
    /// The run it belongs to.
    pub run_id: Option<RunId>,
    /// What happened.
    pub payload: Value,
    /// When.
    pub occurred_at: DateTime<Utc>,
}

/// Filters of an events list: several values of one filter mean *or*, different filters mean *and*.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct EventFilter {
    /// Of these names.
    pub event_type: Vec<Term<String>>,
    /// About these things.
    pub subject: Vec<Term<String>>,
    /// Belonging to any of these runs.
    pub run_id: Vec<RunId>,
    /// At or after.
    pub since: Option<DateTime<Utc>>,
    /// Before.
    pub until: Option<DateTime<Utc>>,
}

impl EventFilter {
    /// Most values of one filter.
    pub const MOST_VALUES: usize = 100;

    /// How many values each filter that takes several has.
    pub fn counts(&self) -> [(&'static str, usize); 3] {
        [("event_type", self.event_type.len()), ("subject", self.subject.len()), ("run_id", self.run_id.len())]
    }
}

/// What a reader asks of the events, which come newest first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EventQuery {
    /// Which events.
    pub filter: EventFilter,
    /// 1–200.
    pub limit: u32,
    /// Where the page before ended.
    pub cursor: Option<String>,
}

impl Default for EventQuery {
    fn default() -> Self {
        Self { filter: EventFilter::default(), limit: 50, cursor: None }
    }
}

words! {
    /// What kind of work was given up.
    pub enum DeadLetterKind {
        /// A delivery of an outbox event to a consumer.
        Outbox = "outbox",
        /// A background task.
        Task = "task",
        /// An ingestion of a document.
        Ingest = "ingest",
        /// A synchronisation of a source.
        Sync = "sync",
        /// An effect nobody knows the outcome of.
        InDoubt = "in_doubt",
    }
}
words! {
    /// What became of a dead letter that was to be tried again.
    pub enum RedriveOutcome {
        /// It is tried again, from its first attempt.
        Redriven = "redriven",
        /// Work of this kind cannot be tried again.
        Unsupported = "unsupported",
        /// It is not dead, or not any more.
        NotDead = "not_dead",
        /// There is none of this id.
        NotFound = "not_found",
    }
}

/// A delivery: an event and who is to have it, written `evt_01j….live`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct DeliveryId {
    /// The event.
    pub event_id: EventId,
    /// The consumer.
    pub consumer: String,
}

impl fmt::Display for DeliveryId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.event_id, self.consumer)
    }
}

impl FromStr for DeliveryId {
    type Err = InvalidId;

    fn from_str(text: &str) -> Result<Self, InvalidId> {
        let (event_id, consumer) = text.split_once('.').unwrap_or((text, ""));
        Ok(Self { event_id: event_id.parse()?, consumer: consumer.to_owned() })
    }
}

/// Work that was given up after its last attempt.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct DeadLetter {
    /// What kind of work.
    pub kind: DeadLetterKind,
    /// Its id among those of its kind.
    pub id: String,
    /// Who was to do it: the consumer, or the type of the task.
    pub consumer: String,
    /// The event it was about; of a task, `task.failed`.
    pub event_type: String,
    /// What the event or the task is about, as an id.
    pub subject: String,
    /// The event's number within the subject; null of a task.
    pub subject_seq: Option<u64>,
    /// How often it was tried since it was last redriven.
    pub attempts: u32,
    /// How often somebody had it tried again.
    pub redrives: u32,
    /// What the last attempt said.
    pub error: Option<String>,
    /// When the event happened, or the task was opened.
    pub occurred_at: DateTime<Utc>,
    /// When it was given up.
    pub died_at: DateTime<Utc>,
}

/// Filters of the dead letters.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields, default)]
pub struct DeadLetterFilter {
    /// Of this kind; without it, of every one.
    pub kind: Option<DeadLetterKind>,
    /// Of this consumer, or type of task.
    pub consumer: Option<String>,
    /// About events of this name.
    #[serde(rename = "type")]
    pub event_type: Option<String>,
}

/// What a reader asks of the dead letters, which come newest first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeadLetterQuery {
    /// Which ones.
    pub filter: DeadLetterFilter,
    /// 1–200.
    pub limit: u32,
    /// Where the page before ended.
    pub cursor: Option<String>,
}

impl Default for DeadLetterQuery {
    fn default() -> Self {
        Self { filter: DeadLetterFilter::default(), limit: 50, cursor: None }
    }
}

/// Which dead letters are tried again: up to 1,000 of those that match, newest first.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct RedriveDeadLetters {
    /// Which ones.
    pub filter: DeadLetterFilter,
}

/// Why a dead letter is never tried again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct DiscardDeadLetter {
    /// 1–500 characters, kept with it and in the audit.
    pub reason: String,
}

/// What became of one dead letter.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct RedrivenLetter {
    /// Its kind.
    pub kind: DeadLetterKind,
    /// Its id.
    pub id: String,
    /// What became of it.
    pub outcome: RedriveOutcome,
}

/// How far a consumer is behind in a workspace.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct ConsumerLag {
    /// The consumer.
    pub consumer: String,
    /// Deliveries that wait.
    pub pending: u64,
    /// Deliveries being tried.
    pub leased: u64,
    /// Deliveries that were given up.
    pub dead: u64,
    /// Age of the oldest one that waits, milliseconds; null where none does.
    pub oldest_ms: Option<u64>,
    /// 95th percentile of the time from commit to delivery in the last hour, milliseconds; null where nothing was delivered.
    pub p95_ms: Option<u64>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_delivery_is_written_as_it_is_read() {
        let text = "evt_01jgxk3v9ze8rtx5n0w4c1m2q7.live";
        let id: DeliveryId = text.parse().expect("an id");
        assert_eq!((id.to_string().as_str(), id.consumer.as_str()), (text, "live"));
        for wrong in ["", "live", "run_01jgxk3v9ze8rtx5n0w4c1m2q7.live", "evt_.live"] {
            assert!(wrong.parse::<DeliveryId>().is_err(), "{wrong}");
        }
    }
}
