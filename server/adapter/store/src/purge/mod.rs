//! Purges: what is due, deleting it with the entry that covers it, and who works at it.
//!
//! A transaction begins at the end of the workspace's chain: whoever places a legal hold audits it there, so that a hold is
//! either seen or comes after. The guards of the database let go only what stands on `purge_list`, which is written and emptied
//! in that same transaction. Start at [`Store`]'s [`Purges`].

mod cover;
mod delete;
mod due;
mod held;
mod report;
mod transact;
mod wipe;

use std::time::Duration;

use async_trait::async_trait;
use kernel::context::Scope;
use kernel::port::{Due, DueQuery, Purges, Purging, StoreError};
use kernel::record::RetentionReport;
use types::id::{RetentionReportId, Uuid};
use types::retention::PurgeCounts;

pub(crate) use held::callers_held;
pub(crate) use transact::PURGED;

use crate::error::reading;
use crate::store::Store;

#[async_trait]
impl Purges for Store {
    async fn list_due(&self, query: &DueQuery, limit: u32) -> Result<Vec<Due>, StoreError> {
        due::list(&self.database().reader(), query, limit).await.map_err(reading)
    }

    async fn still_due(&self, query: &DueQuery, ids: &[Uuid]) -> Result<Vec<Uuid>, StoreError> {
        due::still(&self.database().reader(), query, ids, &[]).await.map_err(reading)
    }

    async fn purge(&self, purging: &Purging) -> Result<PurgeCounts, StoreError> {
        self.purge_due(purging).await.map_err(reading)
    }

    async fn claim_report(
        &self,
        scope: Scope,
        id: RetentionReportId,
        by: Uuid,
        lease: Duration,
    ) -> Result<Option<RetentionReport>, StoreError> {
        self.claim_pass(scope, id, by, lease).await.map_err(reading)
    }

    async fn renew_report(
        &self,
        report: &RetentionReport,
        lease: Duration,
    ) -> Result<Option<RetentionReport>, StoreError> {
        self.renew_pass(report, lease).await.map_err(reading)
    }

    async fn drop_report(&self, report: &RetentionReport) -> Result<(), StoreError> {
        self.drop_pass(report).await.map_err(reading)
    }

    async fn wipe(&self, must_be_now: bool) -> Result<(), StoreError> {
        self.wipe_files(must_be_now).await.map_err(reading)
    }
}
