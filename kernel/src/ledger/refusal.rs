//! Why a batch is not applied, alone and without any trace.

use super::{Claim, Counter, CounterKey};

/// A precondition of the batch did not hold.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// A run or step is not where the operation needs it.
    #[error("the {what} is `{present}`")]
    State {
        /// `run` or `step`.
        what: &'static str,
        /// Its present state.
        present: String,
    },
    /// A counter does not fit.
    #[error("counter `{key}` does not fit")]
    Limit {
        /// Which one.
        key: CounterKey,
        /// Where it stands.
        counter: Counter,
        /// What was asked of it.
        needed: i64,
        /// What it may reach.
        limit: i64,
    },
    /// A hold was settled or released before.
    #[error("the hold is closed")]
    Closed,
    /// The cost was booked before.
    #[error("`{source_ref}` was booked before")]
    Duplicate {
        /// Which one.
        source_ref: String,
    },
    /// The row changed since it was read.
    #[error("the {table} has version {current}")]
    Version {
        /// Its table.
        table: &'static str,
        /// Its present version; 0 when there is none.
        current: u64,
    },
    /// A caller's key is taken: somebody is at it, it is done, or it stands for another request.
    #[error("the key is taken and `{}`", .0.status)]
    Claimed(Box<Claim>),
    /// Another row holds the name.
    #[error("`{constraint}` is violated")]
    Unique {
        /// The constraint's name: `<table>_<columns>_key`.
        constraint: String,
    },
    /// Somebody else may do the task by now, or nobody any more.
    #[error("the task is at epoch {current}")]
    Stale {
        /// Its present epoch.
        current: u64,
    },
    /// Access rules changed since the decision.
    #[error("decided under a stale epoch, now {current}")]
    AuthEpoch {
        /// The present epoch.
        current: u64,
    },
    /// The process was declared dead.
    #[error("the process is fenced")]
    Fenced,
    /// The batch speaks of something that is not there.
    #[error("no such {what}")]
    Missing {
        /// `run`, `step`, `hold` …
        what: &'static str,
    },
    /// The batch itself is malformed: a defect of its builder.
    #[error("malformed batch: {what}")]
    Invalid {
        /// What is wrong with it.
        what: &'static str,
    },
}

/// Why a commit did not succeed.
#[derive(Clone, Debug, thiserror::Error)]
pub enum LedgerError {
    /// Refused, nothing changed.
    #[error(transparent)]
    Refused(Refusal),
    /// The queue is full, nothing changed.
    #[error("the ledger's queue is full")]
    Overloaded,
    /// The store cannot be reached, nothing changed.
    #[error("the ledger's store cannot be reached: {0}")]
    Unavailable(String),
    /// The disk is full, nothing changed.
    #[error("the ledger's disk is full")]
    StorageFull,
    /// Something unforeseen, nothing changed.
    #[error("the ledger failed: {0}")]
    Internal(String),
}

impl From<Refusal> for LedgerError {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(refusal)
    }
}

/// The request field behind a unique constraint: `providers_workspace_id_slug_key` → `slug`.
pub fn unique_field(constraint: &str) -> &'static str {
    const FIELDS: &[(&str, &str)] = &[
        ("slug", "slug"),
        ("email_key", "email"),
        ("model_id", "model_id"),
        ("name", "name"),
        ("valid_from", "valid_from"),
    ];
    FIELDS.iter().find(|(column, _)| constraint.contains(column)).map_or("id", |(_, field)| field)
}
