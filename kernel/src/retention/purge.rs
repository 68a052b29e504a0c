//! The purge: every workspace, class by class, what is over by now.
//!
//! One process works at a workspace at a time, under a lease; what a dead one left is gone on with. Parts are small, so that
//! nobody who calls waits for them, and each is whole: a process that dies between two leaves nothing half done.

use std::sync::Arc;
use std::time::Duration;

use serde_json::json;
use types::id::Uuid;
use types::retention::{PurgeCounts, RetentionClass};

use super::erase::{ErasePorts, due_query, purge_part, wipe};
use super::rules::{before, effective};
use crate::context::Scope;
use crate::error::Result;
use crate::ledger::{Batch, Event, Op};
use crate::port::{DueQuery, KeptRules, Ledger, ObjectError, Retentions};
use crate::record::{RetentionReport, Row};

/// Workspaces read at once.
const WORKSPACES: u32 = 100;
/// Records that go in one pass over a workspace; the next one follows.
const A_PASS: u32 = 1_000;
/// How long a workspace is somebody's without a sign of life.
const LEASE: Duration = Duration::from_secs(60);
/// Between two parts, so that whoever waits comes first.
const BREATH: Duration = Duration::from_millis(20);

/// What purging needs from the world.
#[derive(Clone)]
pub struct PurgePorts {
    /// Reading how long what is kept.
    pub retentions: Arc<dyn Retentions>,
    /// Taking it out.
    pub erase: ErasePorts,
    /// Telling of it.
    pub ledger: Arc<dyn Ledger>,
}

/// Purges. May run in several processes at once.
pub struct Purger {
    ports: PurgePorts,
    /// Whose claims are its own.
    by: Uuid,
}

/// What a pass over all workspaces did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Swept {
    /// What went.
    pub purged: PurgeCounts,
    /// Workspaces with more that is over: pass again.
    pub behind: u64,
    /// Workspaces where something stayed that should have gone.
    pub failed: u64,
}

/// What a pass over one workspace came to.
#[derive(Default)]
struct Outcome {
    purged: PurgeCounts,
    is_behind: bool,
    failure: Option<ObjectError>,
}

impl std::fmt::Debug for Purger {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Purger").finish_non_exhaustive()
    }
}

impl Purger {
    /// A purger on these ports.
    pub fn new(ports: PurgePorts) -> Self {
        let by = ports.erase.ids.uuid();
        Self { ports, by }
    }

    /// One pass over all workspaces, as long as it may go on. One that cannot be purged does not keep others from it.
    pub async fn pass(&self, goes_on: impl Fn() -> bool + Sync) -> Result<Swept> {
        let mut swept = Swept::default();
        let mut after = None;
        loop {
            let workspaces = self.ports.retentions.list_retentions(after, WORKSPACES).await?;
            let Some((last, _)) = workspaces.last() else { return Ok(swept) };
            after = Some(last.workspace_id);
            for (scope, rules) in &workspaces {
                if !goes_on() {
                    return Ok(swept);
                }
                match self.purge_workspace(*scope, rules, &goes_on).await {
                    Ok(outcome) => {
                        swept.behind += u64::from(outcome.is_behind);
                        swept.failed += u64::from(outcome.failure.is_some());
                        add(&mut swept.purged, &outcome.purged);
                    }
                    Err(error) => {
                        swept.failed += 1;
                        tracing::warn!(workspace.id = %scope.workspace_id, error = ?error, "a workspace cannot be purged");
                    }
                }
            }
        }
    }

    /// Makes what went absent from the files of the database. Writers wait meanwhile: call it when nothing is behind.
    pub async fn wipe(&self) -> Result<()> {
        wipe(&self.ports.erase, false).await
    }

    async fn purge_workspace(
        &self,
        scope: Scope,
        rules: &KeptRules,
        goes_on: &(impl Fn() -> bool + Sync),
    ) -> Result<Outcome> {
        let queries = self.queries(scope, rules);
        if !self.has_work(scope, &queries).await? {
            return Ok(Outcome::default());
        }
        let erase = &self.ports.erase;
        let id = erase.ids.retention_report();
        let Some(report) = erase.purges.claim_report(scope, id, self.by, LEASE).await? else {
            return Ok(Outcome::default());
        };
        let outcome = self.purge_classes(&report, &queries, goes_on).await?;
        self.finish(&report).await?;
        Ok(outcome)
    }

    /// What is asked for, class by class.
    fn queries(&self, scope: Scope, rules: &KeptRules) -> Vec<DueQuery> {
        let set = rules.set.as_ref().map(|set| set.kept_for).unwrap_or_default();
        let kept = effective(&set, &rules.bounds);
        let now = self.ports.erase.clock.now();
        let query = |class: &RetentionClass| {
            before(kept.of(*class), now).map(|before| due_query(&self.ports.erase, scope, *class, before))
        };
        RetentionClass::ALL.iter().filter_map(query).collect()
    }

    /// Whether anything is due, or somebody left a pass in the middle.
    async fn has_work(&self, scope: Scope, queries: &[DueQuery]) -> Result<bool> {
        for query in queries {
            if !self.ports.erase.purges.list_due(query, 1).await?.is_empty() {
                return Ok(true);
            }
        }
        let last = self.ports.retentions.list_retention_reports(scope, None, 1).await?;
        Ok(last.iter().any(|report| report.finished_at.is_none()))
    }

    async fn purge_classes(
        &self,
        report: &RetentionReport,
        queries: &[DueQuery],
        goes_on: &(impl Fn() -> bool + Sync),
    ) -> Result<Outcome> {
        let erase = &self.ports.erase;
        let mut outcome = Outcome::default();
        let mut left = A_PASS;
        for query in queries {
            loop {
                let is_mine = erase.purges.renew_report(report, LEASE).await?.is_some();
                if left == 0 || !is_mine || !goes_on() {
                    outcome.is_behind = left == 0;
                    return Ok(outcome);
                }
                let part = purge_part(erase, query, left, report.id).await?;
                left = left.saturating_sub(part.found);
                let is_idle = part.purged.is_empty();
                add(&mut outcome.purged, &part.purged);
                let is_stuck = is_idle || part.failure.is_some();
                outcome.failure = outcome.failure.or(part.failure);
                // What could not go would only be found again.
                if is_stuck {
                    break;
                }
                erase.clock.sleep(BREATH).await;
            }
        }
        Ok(outcome)
    }

    /// Ends the pass and tells of it, if anything went.
    async fn finish(&self, report: &RetentionReport) -> Result<()> {
        let erase = &self.ports.erase;
        let Some(last) = erase.purges.renew_report(report, LEASE).await? else { return Ok(()) };
        if last.purged.is_empty() {
            return Ok(erase.purges.drop_report(&last).await?);
        }
        let now = erase.clock.now();
        let told = json!({ "report_id": last.id, "purged": last.purged });
        let event = Event::new(&*erase.ids, "retention.purged", last.scope.workspace_id, told, now);
        let scope = last.scope;
        let finished = RetentionReport { finished_at: Some(now), version: last.version + 1, ..last };
        let ops = [Op::RowPut(Arc::new(Row::RetentionReport(finished))), event.into()];
        self.ports.ledger.commit(Batch::closing(scope).with(ops)).await?;
        Ok(())
    }
}

fn add(sums: &mut PurgeCounts, more: &PurgeCounts) {
    for (what, number) in more {
        let sum = sums.entry(*what).or_default();
        *sum = sum.saturating_add(*number);
    }
}
