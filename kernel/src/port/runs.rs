//! Reading runs and what belongs to them.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use types::budget::{Budget, BudgetHold};
use types::cost::Cost;
use types::id::{ApiKeyId, RunId};
use types::observe::Setup;
use types::page::Page;
use types::run::{Entry, Mode, Run, RunEvent, RunFilter, RunQuery, RunStatus, Step};

use crate::context::Scope;
use crate::ledger::{Counter, CounterKey, Fence};

/// Why a read did not succeed.
#[derive(Clone, Debug, thiserror::Error)]
pub enum StoreError {
    /// The cursor was altered or belongs to another list.
    #[error("the cursor does not belong to this list")]
    Cursor,
    /// The store cannot be reached.
    #[error("the store cannot be reached: {0}")]
    Unavailable(String),
    /// Something unforeseen.
    #[error("the store failed: {0}")]
    Internal(String),
}

impl From<StoreError> for crate::Error {
    fn from(error: StoreError) -> Self {
        use types::problem::Code;
        match error {
            StoreError::Cursor => {
                Self::new(Code::InvalidCursor, "the cursor was altered or belongs to another list; start without one")
            }
            StoreError::Unavailable(_) => {
                Self::new(Code::LedgerUnavailable, "the store cannot be reached").with_retry_after(1).with_source(error)
            }
            StoreError::Internal(_) => Self::internal(error),
        }
    }
}

/// Which stored events of a run.
#[derive(Clone, Copy, Debug)]
pub struct EventRange {
    /// Offsets above this.
    pub after: u64,
    /// At most so many, 1–1000.
    pub limit: u32,
}

/// Runs that are alike in what the list is narrowed by most.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunGroup {
    /// Where they stand.
    pub status: RunStatus,
    /// What kind of execution.
    pub mode: Mode,
    /// Through which door.
    pub entry: Entry,
    /// Which model, as callers named it.
    pub model_ref: Option<String>,
    /// With which key.
    pub api_key_id: Option<ApiKeyId>,
    /// How many.
    pub runs: u64,
}

/// Runs that match, counted in groups.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunTally {
    /// The groups, in no order.
    pub groups: Vec<RunGroup>,
    /// Whether every run of the filter's time was looked at.
    pub is_whole: bool,
}

/// How a workspace stands now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Standing {
    /// Runs going on, rehearsals left out.
    pub active: u64,
    /// What is there already of what a new workspace needs.
    pub setup: Setup,
}

/// Reads runs. What lies outside the scope is not there.
#[async_trait]
pub trait Runs: Send + Sync {
    /// One page of runs.
    async fn list_runs(&self, scope: Scope, query: &RunQuery) -> Result<Page<Run>, StoreError>;
    /// One run.
    async fn find_run(&self, scope: Scope, id: RunId) -> Result<Option<Run>, StoreError>;
    /// One run, and the newest that came out of it, sandboxed ones included; at most `limit`.
    async fn find_run_and_replays(
        &self,
        scope: Scope,
        id: RunId,
        limit: u32,
    ) -> Result<Option<(Run, Vec<Run>)>, StoreError>;
    /// Its steps by sequence.
    async fn list_steps(&self, scope: Scope, id: RunId) -> Result<Vec<Step>, StoreError>;
    /// Its cost rows, oldest first.
    async fn list_costs(&self, scope: Scope, id: RunId) -> Result<Vec<Cost>, StoreError>;
    /// Its stored events by offset.
    async fn list_run_events(&self, scope: Scope, id: RunId, range: EventRange) -> Result<Vec<RunEvent>, StoreError>;
    /// Runs changed since a moment, for processes that tail the store: scope and id, newest last.
    async fn runs_changed_since(&self, since: DateTime<Utc>) -> Result<Vec<(Scope, RunId)>, StoreError>;
    /// Runs of the scope that changed at that moment or since, up to so many, in no order.
    async fn list_changed(&self, scope: Scope, since: DateTime<Utc>, limit: u32) -> Result<Vec<RunId>, StoreError>;
    /// Runs of a process that were asked to end and have not ended.
    async fn list_canceling(&self, owner: Fence) -> Result<Vec<RunId>, StoreError>;
    /// How the workspace stands now.
    async fn standing(&self, scope: Scope) -> Result<Standing, StoreError>;
    /// Where counters stand; absent ones stand at zero.
    async fn counters(&self, scope: Scope, keys: &[CounterKey]) -> Result<Vec<Counter>, StoreError>;
    /// How many runs match, counted no further than `up_to`.
    async fn count_runs(&self, scope: Scope, filter: &RunFilter, up_to: u32) -> Result<u64, StoreError>;
    /// How many runs match, in groups. Only the `newest` of the filter's time are looked at, whether they match or not, and
    /// those that started together with the last of them: the work has a bound however many runs there are. At least 1.
    async fn tally_runs(&self, scope: Scope, filter: &RunFilter, newest: u32) -> Result<RunTally, StoreError>;
    /// What a budget's counter of the period that holds `at` lacks: the sum of the matching cost rows (currency, period of
    /// admission, key or member) minus the counter's value, both read at one moment.
    async fn uncounted(&self, scope: Scope, budget: &Budget, at: DateTime<Utc>) -> Result<i64, StoreError>;
    /// Open holds on a counter, oldest first, at most 200.
    async fn list_open_holds(&self, scope: Scope, key: &CounterKey) -> Result<Vec<BudgetHold>, StoreError>;
}
