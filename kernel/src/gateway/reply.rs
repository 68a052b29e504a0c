//! What a door gets back: an answer or a refusal, with the facts its headers tell.

use chrono::{DateTime, Utc};
use types::id::RunId;
use types::money::Money;

use super::pipe::Frames;
use crate::Error;

/// How far a limit is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Standing {
    /// What is allowed.
    pub limit: u64,
    /// What is left.
    pub remaining: u64,
    /// When all of it is free again.
    pub resets_at: DateTime<Utc>,
    /// When this was so.
    pub seen_at: DateTime<Utc>,
}

/// The tightest limits of the caller; none where there is no limit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Standings {
    /// Of requests.
    pub requests: Option<Standing>,
    /// Of tokens.
    pub tokens: Option<Standing>,
}

impl Standings {
    /// Keeps the tighter of the limits of requests.
    pub(super) fn note_requests(&mut self, other: Standing) {
        if self.requests.is_none_or(|present| other.remaining < present.remaining) {
            self.requests = Some(other);
        }
    }
}

/// What is known of a call once it is answered.
#[derive(Clone, Debug)]
pub struct Facts {
    /// The run.
    pub run_id: RunId,
    /// Who answers.
    pub model_ref: String,
    /// Attempts so far.
    pub attempts: u32,
    /// The caller's limits.
    pub standings: Standings,
    /// Whether it was answered before and is answered again.
    pub is_replayed: bool,
}

/// A whole answer.
#[derive(Debug)]
pub struct Whole {
    /// What headers tell.
    pub facts: Facts,
    /// The body's JSON text.
    pub body: String,
    /// What it cost, where it is priced.
    pub cost: Option<Money>,
    /// Whether the settlement is still on its way to the disk.
    pub is_deferred: bool,
}

/// A streamed answer whose content has begun.
#[derive(Debug)]
pub struct Streamed {
    /// What headers tell.
    pub facts: Facts,
    /// Its frames; the door writes the end mark behind the last one.
    pub frames: Frames,
}

/// An answer.
#[derive(Debug)]
pub enum Reply {
    /// A whole one.
    Whole(Whole),
    /// A stream.
    Stream(Streamed),
}

/// A refusal or failure; the error names the run where there is one.
#[derive(Clone, Debug)]
pub struct Refused {
    /// Why.
    pub error: Error,
    /// The caller's limits, as far as they were looked at.
    pub standings: Standings,
    /// Attempts made, where the call got so far.
    pub attempts: Option<u32>,
}

impl From<Error> for Refused {
    fn from(error: Error) -> Self {
        Self { error, standings: Standings::default(), attempts: None }
    }
}
