//! Deleting what its time is over, and erasing content: the one way to take something out of the ledger.

use std::time::Duration;

use async_trait::async_trait;
use chrono::{DateTime, NaiveDate, Utc};
use types::id::{RetentionReportId, Uuid};
use types::retention::{PurgeCounts, RetentionClass};

use super::{ObjectKey, StoreError};
use crate::context::Scope;
use crate::record::RetentionReport;

/// What may go. Runs for content, runs and costs (all cost rows of a run go together); else the rows themselves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Due {
    /// Of the run, audit row or event.
    pub id: Uuid,
    /// Objects to delete before its rows: those that no row names but the ones due with it.
    pub objects: Vec<ObjectKey>,
}

/// What is due, in one workspace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DueQuery {
    /// Tenant and workspace.
    pub scope: Scope,
    /// Which class.
    pub class: RetentionClass,
    /// Runs that ended before; costs, audit rows and events from before.
    pub before: DateTime<Utc>,
    /// Objects of this day and later may still be put: runs that name one wait.
    pub open_day: NaiveDate,
}

/// One transaction of a purge.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Purging {
    /// Which class, where, from before when.
    pub query: DueQuery,
    /// What was found due, and what has no object left. What is held by now stays.
    pub ids: Vec<Uuid>,
    /// Those of them whose objects are gone already: they go, whatever holds them by now.
    pub decided: Vec<Uuid>,
    /// What the entry that covers it in the chain is called; the report of that id, where there is one, counts it.
    pub purge_id: RetentionReportId,
}

/// Purges. What a legal hold holds is never due.
#[async_trait]
pub trait Purges: Send + Sync {
    /// What is due, the oldest first, at most `limit`.
    async fn list_due(&self, query: &DueQuery, limit: u32) -> Result<Vec<Due>, StoreError>;
    /// Which of these are due still: what came to be held meanwhile is left out.
    async fn still_due(&self, query: &DueQuery, ids: &[Uuid]) -> Result<Vec<Uuid>, StoreError>;
    /// Deletes or erases, appends the entry that covers it to the chain and adds to the report, all in one transaction. A hold
    /// that was placed before is respected. Nothing is written where nothing goes.
    async fn purge(&self, purging: &Purging) -> Result<PurgeCounts, StoreError>;
    /// Begins a pass over a workspace, or goes on with one that somebody left: none while somebody else works at it.
    async fn claim_report(
        &self,
        scope: Scope,
        id: RetentionReportId,
        by: Uuid,
        lease: Duration,
    ) -> Result<Option<RetentionReport>, StoreError>;
    /// The report as it is now, the lease renewed; none where it is not the holder's any more.
    async fn renew_report(
        &self,
        report: &RetentionReport,
        lease: Duration,
    ) -> Result<Option<RetentionReport>, StoreError>;
    /// Forgets a pass in which nothing went.
    async fn drop_report(&self, report: &RetentionReport) -> Result<(), StoreError>;
    /// Makes what was erased absent from the database's files, where they keep what is overwritten. May take as long as copying
    /// them, and writers wait meanwhile: large files may be left for another time, unless it must be now.
    async fn wipe(&self, must_be_now: bool) -> Result<(), StoreError>;
}
