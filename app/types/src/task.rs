//! Tasks as readers see them: work that outlives its request, tried until it is done or given up.

use std::fmt;
use std::str::FromStr;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::id::{ArtifactId, ProcessId, RunId, TaskId, UserId};
use crate::run::{Caller, Failure, Term};
use crate::word::words;

words! {
    /// Where a task stands.
    pub enum TaskStatus {
        /// Waits for a worker.
        Queued = "queued",
        /// A worker is at it.
        Running = "running",
        /// Waits for input.
        WaitingInput = "waiting_input",
        /// Waits for an approval.
        WaitingApproval = "waiting_approval",
        /// An attempt failed; it waits for the next one.
        RetryWait = "retry_wait",
        /// Done.
        Succeeded = "succeeded",
        /// Given up: a dead letter.
        Failed = "failed",
        /// Ended by a person, or with its run.
        Canceled = "canceled",
    }
}

impl TaskStatus {
    /// Whether nobody works on it any more; a failed one may be redriven.
    pub const fn is_over(self) -> bool {
        matches!(self, Self::Succeeded | Self::Failed | Self::Canceled)
    }

    /// Whether the state machine allows the move.
    pub const fn may_become(self, next: Self) -> bool {
        use TaskStatus as S;
        match self {
            S::Queued => matches!(next, S::Running | S::Canceled),
            S::Running => !matches!(next, S::Running),
            S::RetryWait | S::WaitingInput | S::WaitingApproval => {
                matches!(next, S::Queued | S::Canceled | S::Failed)
            }
            S::Failed => matches!(next, S::Queued),
            S::Succeeded | S::Canceled => false,
        }
    }
}

/// What a task is about.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct TaskSubject {
    /// What kind of thing: `workspace` …
    pub kind: String,
    /// Its id.
    pub id: String,
}

/// How far a task is.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct TaskProgress {
    /// So many parts are done.
    pub done: u64,
    /// Of so many; null while nobody knows.
    pub total: Option<u64>,
    /// What it is at, at most 200 characters; never content.
    pub text: Option<String>,
}

/// A task.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Task {
    /// The task's id.
    pub id: TaskId,
    /// What work it is: `content.scrub` …
    pub task_type: String,
    /// Where it stands.
    pub status: TaskStatus,
    /// Grows whenever somebody else may do it from then on: an older claim writes nothing any more.
    pub epoch: u64,
    /// How often it was tried since it was opened or redriven.
    pub attempts: u32,
    /// After so many it is given up.
    pub max_attempts: u32,
    /// How often somebody had it tried again after it was given up.
    pub redrives: u32,
    /// When it may be tried, by the database's clock.
    pub available_at: DateTime<Utc>,
    /// What it is about.
    pub subject: TaskSubject,
    /// Who had it done.
    pub caller: Caller,
    /// The person answered for.
    pub user_id: Option<UserId>,
    /// The run it works for; it ends with it.
    pub run_id: Option<RunId>,
    /// What it is to do: ids, words and numbers.
    pub params: Value,
    /// Content it works on.
    pub input_artifact_id: Option<ArtifactId>,
    /// Content it made.
    pub output_artifact_id: Option<ArtifactId>,
    /// How far it is; null before it says so.
    pub progress: Option<TaskProgress>,
    /// The process that is at it.
    pub lease_owner: Option<ProcessId>,
    /// Until when that process may be silent.
    pub lease_until: Option<DateTime<Utc>>,
    /// Why the last attempt failed.
    pub last_error: Option<Failure>,
    /// Why it was let go after it was given up.
    pub discard_reason: Option<String>,
    /// When it was opened, by the database's clock.
    pub created_at: DateTime<Utc>,
    /// When it last changed.
    pub changed_at: DateTime<Utc>,
    /// When it was over.
    pub finished_at: Option<DateTime<Utc>>,
}

/// A type of task as a filter names it: `[a-z][a-z0-9_.]*`, at most 64.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct TaskType(String);

/// No type of task is written so.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("is no type of task, which is like `content.scrub`")]
pub struct InvalidTaskType;

impl TaskType {
    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for TaskType {
    type Error = InvalidTaskType;

    fn try_from(text: String) -> Result<Self, InvalidTaskType> {
        let letters = |letter: char| letter.is_ascii_lowercase() || letter.is_ascii_digit() || "_.".contains(letter);
        let fits = text.len() <= 64 && text.starts_with(|first: char| first.is_ascii_lowercase());
        if fits && text.chars().all(letters) { Ok(Self(text)) } else { Err(InvalidTaskType) }
    }
}

impl From<TaskType> for String {
    fn from(task_type: TaskType) -> Self {
        task_type.0
    }
}

impl FromStr for TaskType {
    type Err = InvalidTaskType;

    fn from_str(text: &str) -> Result<Self, InvalidTaskType> {
        text.to_owned().try_into()
    }
}

impl fmt::Display for TaskType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Filters of a tasks list: several values of one filter mean *or*, different filters mean *and*.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct TaskFilter {
    /// Of these states.
    pub status: Vec<Term<TaskStatus>>,
    /// Of these types.
    pub task_type: Vec<Term<TaskType>>,
    /// Working for any of these runs.
    pub run_id: Vec<RunId>,
    /// About any of these things.
    pub subject_id: Vec<Term<String>>,
}

impl TaskFilter {
    /// Most values of one filter.
    pub const MOST_VALUES: usize = 100;

    /// How many values each filter has.
    pub fn counts(&self) -> [(&'static str, usize); 4] {
        [
            ("status", self.status.len()),
            ("task_type", self.task_type.len()),
            ("run_id", self.run_id.len()),
            ("subject_id", self.subject_id.len()),
        ]
    }

    /// Whether every task passes.
    pub fn is_empty(&self) -> bool {
        self.counts().iter().all(|(_, count)| *count == 0)
    }
}

/// What a reader asks of the tasks, which come newest first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TaskQuery {
    /// Which tasks.
    pub filter: TaskFilter,
    /// 1–200.
    pub limit: u32,
    /// Where the page before ended.
    pub cursor: Option<String>,
}

impl Default for TaskQuery {
    fn default() -> Self {
        Self { filter: TaskFilter::default(), limit: 50, cursor: None }
    }
}

/// Erases content of before a moment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ScrubContent {
    /// Content of runs that started before it, and what they kept; not in the future.
    pub before: DateTime<Utc>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_state_machine_has_the_moves_of_its_table_and_no_other() {
        use TaskStatus::{Canceled, Failed, Queued, RetryWait, Running, Succeeded, WaitingApproval, WaitingInput};
        let table: [(TaskStatus, &[TaskStatus]); 8] = [
            (Queued, &[Running, Canceled]),
            (Running, &[Succeeded, Failed, RetryWait, Queued, WaitingInput, WaitingApproval, Canceled]),
            (RetryWait, &[Queued, Canceled, Failed]),
            (WaitingInput, &[Queued, Canceled, Failed]),
            (WaitingApproval, &[Queued, Canceled, Failed]),
            (Failed, &[Queued]),
            (Succeeded, &[]),
            (Canceled, &[]),
        ];
        for (from, allowed) in table {
            for to in TaskStatus::ALL {
                assert_eq!(from.may_become(*to), allowed.contains(to), "{from} → {to}");
            }
        }
    }

    #[test]
    fn a_type_of_task_has_a_form() {
        assert_eq!("content.scrub".parse::<TaskType>().map(|it| it.to_string()), Ok("content.scrub".to_owned()));
        for wrong in ["", "Content", ".x", "a b", "1x", &"a".repeat(65)] {
            assert!(wrong.parse::<TaskType>().is_err(), "{wrong}");
        }
    }
}
