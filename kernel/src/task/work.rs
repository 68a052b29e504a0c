//! What a type of task does.

use async_trait::async_trait;
use types::id::ArtifactId;
use types::run::Failure;
use types::task::Task;

use super::progress::Progress;
use crate::context::Scope;
use crate::error::Error;
use crate::ledger::Op;
use crate::port::StoreError;

/// Does tasks of one type. May be stopped at any point and begun anew, on another process too: what it does twice does no harm.
#[async_trait]
pub trait TaskWork: Send + Sync {
    /// The type, one of [`TYPES`](super::TYPES).
    fn task_type(&self) -> &'static str;
    /// Does a task that was taken. Dropped when it is canceled, when somebody else has it, or when the process ends.
    async fn run(&self, claimed: &Claimed, progress: &Progress) -> Result<Outcome, TaskError>;
}

/// A task that is this worker's.
#[derive(Clone, Debug)]
pub struct Claimed {
    /// Where.
    pub scope: Scope,
    /// The task, as it was taken.
    pub task: Task,
}

/// What doing it came to.
#[derive(Clone, Debug)]
pub enum Outcome {
    /// Done.
    Done {
        /// Content it made, kept already.
        output: Option<ArtifactId>,
        /// What is written with the end, all or nothing.
        ops: Vec<Op>,
    },
    /// Nothing can be done before there is input.
    WaitsForInput,
    /// Nothing can be done before somebody decides.
    WaitsForApproval,
}

/// Why it was not done. Never holds content.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{code}: {message}")]
pub struct TaskError {
    /// A problem code.
    pub code: String,
    /// What happened and what to do.
    pub message: String,
    /// Whether another attempt may succeed.
    pub is_retryable: bool,
}

/// The code of work that ends because its task is somebody else's, or nobody's.
const LOST: &str = "task_lost";

impl TaskError {
    /// The task is not this worker's any more.
    pub(super) fn lost(message: String) -> Self {
        Self { code: LOST.to_owned(), message, is_retryable: false }
    }

    /// Whether it ended for that reason.
    pub(super) fn is_lost(&self) -> bool {
        self.code == LOST
    }

    /// As a task keeps it.
    pub(super) fn failure(&self) -> Failure {
        Failure { code: self.code.clone(), message: self.message.chars().take(2_000).collect(), step_id: None }
    }
}

impl From<Error> for TaskError {
    fn from(error: Error) -> Self {
        if error.code().status() >= 500 {
            tracing::warn!(error = &error as &dyn std::error::Error, "work of a task failed");
        }
        let is_retryable = error.code().is_retryable();
        Self { code: error.code().to_string(), message: error.detail().to_owned(), is_retryable }
    }
}

impl From<StoreError> for TaskError {
    fn from(error: StoreError) -> Self {
        Error::from(error).into()
    }
}
