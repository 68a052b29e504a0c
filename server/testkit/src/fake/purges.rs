//! Purges: what is due, taking it out with the entry that covers it, and who works at it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use chrono::{DateTime, TimeDelta, Utc};
use kernel::chain::{Entry, Purge};
use kernel::context::Scope;
use kernel::ledger::{Audit, ChainEnd, Place, RowKey, RunEnd, StepEnd};
use kernel::port::{Due, DueQuery, ObjectKey, Purges, Purging, StoreError};
use kernel::record::{RetentionReport, Row};
use types::id::{ArtifactId, AuditId, EventId, RetentionReportId, RunId, Uuid};
use types::retention::{PurgeCounts, Purged, RetentionClass};
use types::run::Content;

use super::store::{DeliveryStatus, FakeStore, Rows, StoredRun, rows};

#[async_trait]
impl Purges for FakeStore {
    async fn list_due(&self, query: &DueQuery, limit: u32) -> Result<Vec<Due>, StoreError> {
        let rows = self.rows();
        let mut ids = rows.due(query, &[]);
        ids.truncate(limit as usize);
        let all: BTreeSet<Uuid> = ids.iter().copied().collect();
        Ok(ids.into_iter().map(|id| Due { id, objects: rows.objects_of(query.class, id, &all) }).collect())
    }

    async fn still_due(&self, query: &DueQuery, ids: &[Uuid]) -> Result<Vec<Uuid>, StoreError> {
        Ok(self.rows().due(query, &[]).into_iter().filter(|id| ids.contains(id)).collect())
    }

    async fn purge(&self, purging: &Purging) -> Result<PurgeCounts, StoreError> {
        let mut rows = self.rows();
        let due = rows.due(&purging.query, &purging.decided);
        let ids: Vec<Uuid> = due.into_iter().filter(|id| purging.ids.contains(id)).collect();
        if ids.is_empty() {
            return Ok(PurgeCounts::new());
        }
        let (scope, class) = (purging.query.scope, purging.query.class);
        let counts = rows.take_out(class, &ids);
        if class != RetentionClass::Events {
            rows.cover(scope, class, &ids, purging.purge_id, &counts);
        }
        rows.change_report(purging.purge_id, |report| {
            for (what, number) in &counts {
                *report.purged.entry(*what).or_default() += number;
            }
        });
        Ok(counts)
    }

    async fn claim_report(
        &self,
        scope: Scope,
        id: RetentionReportId,
        by: Uuid,
        lease: Duration,
    ) -> Result<Option<RetentionReport>, StoreError> {
        let mut rows = self.rows();
        let now = rows.now();
        let open = rows!(rows, RetentionReport).find(|report| report.scope == scope && report.finished_at.is_none());
        let id = match open {
            Some(report) if report.claimed_by != by && now < report.claimed_until => return Ok(None),
            Some(report) => report.id,
            None => {
                let (purged, finished_at, version) = (PurgeCounts::new(), None, 1);
                let (started_at, claimed_by, claimed_until) = (now, by, now);
                let report =
                    RetentionReport { id, scope, started_at, finished_at, claimed_by, claimed_until, purged, version };
                rows.put_report(report);
                id
            }
        };
        Ok(rows.change_report(id, |report| lend(report, by, now, lease)))
    }

    async fn renew_report(
        &self,
        report: &RetentionReport,
        lease: Duration,
    ) -> Result<Option<RetentionReport>, StoreError> {
        let mut rows = self.rows();
        let now = rows.now();
        let is_mine = rows!(rows, RetentionReport).any(|present| {
            (present.id, present.claimed_by) == (report.id, report.claimed_by) && present.finished_at.is_none()
        });
        if !is_mine {
            return Ok(None);
        }
        Ok(rows.change_report(report.id, |present| lend(present, report.claimed_by, now, lease)))
    }

    async fn drop_report(&self, report: &RetentionReport) -> Result<(), StoreError> {
        let mut rows = self.rows();
        let key = RowKey::of(&Row::RetentionReport(report.clone()));
        if matches!(rows.records.get(&key), Some(Row::RetentionReport(present)) if present.purged.is_empty()) {
            rows.records.remove(&key);
            rows.state.rows.remove(&key);
        }
        Ok(())
    }

    async fn wipe(&self, _: bool) -> Result<(), StoreError> {
        Ok(())
    }
}

fn lend(report: &mut RetentionReport, by: Uuid, now: DateTime<Utc>, lease: Duration) {
    report.claimed_by = by;
    report.claimed_until = now + TimeDelta::from_std(lease).unwrap_or(TimeDelta::MAX);
}

fn without_text(content: &Content) -> Content {
    Content { preview: None, ..content.clone() }
}

impl Rows {
    /// What is due, the oldest first.
    fn due(&self, query: &DueQuery, decided: &[Uuid]) -> Vec<Uuid> {
        let scope = query.scope;
        let mut due: Vec<(DateTime<Utc>, Uuid)> = match query.class {
            RetentionClass::Content => self
                .ended(query, decided)
                .filter(|(_, run)| self.has_content(run))
                .map(|(at, run)| (at, run.run.id.as_uuid()))
                .collect(),
            RetentionClass::Runs => {
                let has_children = |id: RunId| self.runs.values().any(|child| child.run.parent_run_id == Some(id));
                let ended = self.ended(query, decided).filter(|(_, run)| !has_children(run.run.id));
                ended.map(|(at, run)| (at, run.run.id.as_uuid())).collect()
            }
            RetentionClass::Costs => {
                let of_here = self.costs.iter().filter(|(of, _)| *of == scope);
                let mut latest: BTreeMap<RunId, DateTime<Utc>> = BTreeMap::new();
                for (_, cost) in of_here {
                    let last = latest.entry(cost.run_id).or_insert(cost.occurred_at);
                    *last = (*last).max(cost.occurred_at);
                }
                let goes_on = |id: &RunId| self.state.runs.get(id).is_some_and(|(_, run)| run.end.is_none());
                let old = latest.into_iter().filter(|(id, at)| *at < query.before && !goes_on(id));
                old.filter(|(id, at)| !self.part_is_held(scope, Some(*id), None, *at))
                    .map(|(id, at)| (at, id.as_uuid()))
                    .collect()
            }
            RetentionClass::Audit => {
                let old = self.audit.iter().filter(|(of, row, _)| *of == scope && row.occurred_at < query.before);
                let free = |row: &Audit| {
                    decided.contains(&row.id.as_uuid())
                        || !self.part_is_held(scope, row.run_id, Some(&row.actor.id), row.occurred_at)
                };
                old.filter(|(_, row, _)| free(row)).map(|(_, row, _)| (row.occurred_at, row.id.as_uuid())).collect()
            }
            RetentionClass::Events => {
                let waits =
                    |status: &DeliveryStatus| matches!(status, DeliveryStatus::Pending | DeliveryStatus::Leased);
                let old = self
                    .events
                    .iter()
                    .filter(|stored| stored.scope == scope && stored.event.occurred_at < query.before);
                old.filter(|stored| !stored.deliveries.values().any(|delivery| waits(&delivery.status)))
                    .filter(|stored| !self.part_is_held(scope, stored.event.run_id, None, stored.event.occurred_at))
                    .map(|stored| (stored.event.occurred_at, stored.event.id.as_uuid()))
                    .collect()
            }
        };
        due.sort();
        due.into_iter().map(|(_, id)| id).collect()
    }

    fn ended<'a>(
        &'a self,
        query: &'a DueQuery,
        decided: &'a [Uuid],
    ) -> impl Iterator<Item = (DateTime<Utc>, &'a StoredRun)> {
        let ended = self.runs.values().filter(|run| run.scope == query.scope).filter_map(|run| {
            let (_, state) = self.state.runs.get(&run.run.id)?;
            Some((state.end.as_ref()?.ended_at, run))
        });
        let open = query.open_day;
        let names_open = move |id: RunId| {
            self.artifacts.values().any(|stored| {
                let Place::Object(key) = &stored.artifact.place else { return false };
                stored.artifact.run_id == Some(id) && key.day().is_some_and(|day| day >= open)
            })
        };
        ended.filter(|(at, _)| *at < query.before).filter(move |(_, run)| {
            let id = run.run.id;
            let is_free = decided.contains(&id.as_uuid()) || !self.run_is_held(run);
            is_free && !names_open(id)
        })
    }

    fn has_content(&self, run: &StoredRun) -> bool {
        let id = run.run.id;
        let shows = self.run(id).is_some_and(|run| run.input.preview.is_some() || run.output.preview.is_some());
        shows || run.run.salt.is_some() || rows!(self, Feedback).any(|said| said.run_id == id && said.comment.is_some())
    }

    fn run_is_held(&self, run: &StoredRun) -> bool {
        let caller = run.run.caller.id.as_str();
        rows!(self, LegalHold)
            .any(|hold| hold.scope == run.scope && hold.holds(Some(run.run.id), Some(caller), run.run.started_at))
    }

    fn part_is_held(&self, scope: Scope, run_id: Option<RunId>, caller: Option<&str>, at: DateTime<Utc>) -> bool {
        run_id.and_then(|id| self.runs.get(&id)).is_some_and(|run| self.run_is_held(run))
            || rows!(self, LegalHold).any(|hold| hold.scope == scope && hold.holds(run_id, caller, at))
    }

    fn details_of(&self, id: Uuid) -> Option<ArtifactId> {
        let (_, row, _) = self.audit.iter().find(|(_, row, _)| row.id.as_uuid() == id)?;
        kernel::artifact::named_by(&row.payload)
    }

    /// Artifacts that go with a record.
    fn artifacts_of(&self, class: RetentionClass, id: Uuid) -> Vec<ArtifactId> {
        match class {
            RetentionClass::Content | RetentionClass::Runs => {
                let theirs =
                    self.artifacts.values().filter(|stored| stored.artifact.run_id == Some(RunId::from_uuid(id)));
                theirs.map(|stored| stored.artifact.id).collect()
            }
            RetentionClass::Audit => self.details_of(id).into_iter().collect(),
            RetentionClass::Costs | RetentionClass::Events => Vec::new(),
        }
    }

    fn objects_of(&self, class: RetentionClass, id: Uuid, all: &BTreeSet<Uuid>) -> Vec<ObjectKey> {
        let going: BTreeSet<ArtifactId> = all.iter().flat_map(|id| self.artifacts_of(class, *id)).collect();
        let object = |id: &ArtifactId| match &self.artifacts.get(id)?.artifact.place {
            Place::Object(key) => Some(key.clone()),
            Place::Inline(_) => None,
        };
        let shared: BTreeSet<ObjectKey> =
            self.artifacts.keys().filter(|id| !going.contains(id)).filter_map(object).collect();
        let own = self.artifacts_of(class, id);
        own.iter().filter_map(object).filter(|key| !shared.contains(key)).collect()
    }

    fn take_out(&mut self, class: RetentionClass, ids: &[Uuid]) -> PurgeCounts {
        let mut counts = PurgeCounts::new();
        let mut count = |what, number: usize| {
            if number > 0 {
                *counts.entry(what).or_default() += number as u64;
            }
        };
        let going: BTreeSet<ArtifactId> = ids.iter().flat_map(|id| self.artifacts_of(class, *id)).collect();
        let bytes: u64 = going.iter().filter_map(|id| self.artifacts.get(id)).map(|stored| stored.artifact.size).sum();
        self.artifacts.retain(|id, _| !going.contains(id));
        count(Purged::Artifacts, going.len());
        count(Purged::Bytes, usize::try_from(bytes).unwrap_or(usize::MAX));
        let of_run = |id: RunId| ids.contains(&id.as_uuid());
        match class {
            RetentionClass::Content => {
                count(Purged::Content, ids.len());
                count(Purged::Comments, self.erase_texts(&of_run));
            }
            RetentionClass::Runs => {
                let said: Vec<RowKey> = rows!(self, Feedback)
                    .filter(|said| of_run(said.run_id))
                    .map(|said| RowKey::of(&Row::Feedback(said.clone())))
                    .collect();
                said.iter().for_each(|key| drop((self.records.remove(key), self.state.rows.remove(key))));
                count(Purged::Comments, said.len());
                let before = (self.run_events.len(), self.steps.len(), self.runs.len());
                self.run_events.retain(|(_, event)| !of_run(event.run_id));
                self.holds.retain(|_, hold| !of_run(hold.hold.run_id));
                self.state.holds.retain(|_, hold| !of_run(hold.run_id));
                self.tasks.retain(|_, stored| !stored.task.run_id.is_some_and(of_run));
                self.state.tasks.retain(|_, (_, task)| !task.run_id.is_some_and(of_run));
                self.steps.retain(|_, step| !of_run(step.step.run_id));
                self.state.steps.retain(|_, step| !of_run(step.run_id));
                self.runs.retain(|id, _| !of_run(*id));
                self.state.runs.retain(|id, _| !of_run(*id));
                count(Purged::RunEvents, before.0 - self.run_events.len());
                count(Purged::Steps, before.1 - self.steps.len());
                count(Purged::Runs, before.2 - self.runs.len());
            }
            RetentionClass::Costs => {
                let before = self.costs.len();
                self.costs.retain(|(_, cost)| !of_run(cost.run_id));
                count(Purged::Costs, before - self.costs.len());
            }
            RetentionClass::Audit => {
                self.audit.retain(|(_, row, _)| !ids.contains(&row.id.as_uuid()));
                count(Purged::Audit, ids.len());
            }
            RetentionClass::Events => {
                self.events.retain(|stored| !ids.contains(&stored.event.id.as_uuid()));
                count(Purged::Events, ids.len());
            }
        }
        counts
    }

    /// Erases texts and salts; how many comments there were.
    fn erase_texts(&mut self, of_run: &impl Fn(RunId) -> bool) -> usize {
        for stored in self.runs.values_mut().filter(|stored| of_run(stored.run.id)) {
            stored.run.input = without_text(&stored.run.input);
            stored.run.salt = None;
        }
        for (_, state) in self.state.runs.iter_mut().filter(|(id, _)| of_run(**id)).map(|(_, state)| state) {
            let end = state.end.take();
            state.end = end.map(|end| Arc::new(RunEnd { output: without_text(&end.output), ..(*end).clone() }));
        }
        for stored in self.steps.values_mut().filter(|stored| of_run(stored.step.run_id)) {
            stored.step.input = without_text(&stored.step.input);
        }
        for state in self.state.steps.values_mut().filter(|state| of_run(state.run_id)) {
            let end = state.end.take();
            state.end = end.map(|end| Arc::new(StepEnd { output: without_text(&end.output), ..(*end).clone() }));
        }
        let mut comments = 0;
        let Self { records, state, .. } = self;
        for (key, row) in records.iter_mut() {
            let Row::Feedback(said) = row else { continue };
            if of_run(said.run_id) && said.comment.take().is_some() {
                said.version += 1;
                state.rows.insert(key.clone(), said.version);
                comments += 1;
            }
        }
        comments
    }

    /// Appends the entry that covers what went.
    fn cover(
        &mut self,
        scope: Scope,
        class: RetentionClass,
        ids: &[Uuid],
        purge_id: RetentionReportId,
        counts: &PurgeCounts,
    ) {
        let named = |id: &Uuid| match class {
            RetentionClass::Content | RetentionClass::Runs | RetentionClass::Costs => RunId::from_uuid(*id).to_string(),
            RetentionClass::Audit => AuditId::from_uuid(*id).to_string(),
            RetentionClass::Events => EventId::from_uuid(*id).to_string(),
        };
        let named: Vec<String> = ids.iter().map(named).collect();
        let end = self.state.chains.get(&scope).copied().unwrap_or_default();
        let entries = self.entries.iter().filter(|(of, entry, _)| *of == scope && named.contains(&entry.subject_id));
        let entries: Vec<u64> = entries.map(|(_, entry, _)| entry.seq).collect();
        let purge = Purge::new(purge_id, class, named, entries, counts.clone());
        let entry = Entry::of_purge(end.seq + 1, end.hash, &purge);
        self.state.chains.insert(scope, ChainEnd { seq: entry.seq, hash: entry.hash });
        let at = self.now();
        self.entries.push((scope, entry, at));
    }

    fn put_report(&mut self, report: RetentionReport) {
        let row = Row::RetentionReport(report);
        let key = RowKey::of(&row);
        self.state.rows.insert(key.clone(), row.version());
        self.records.insert(key, row);
    }

    fn change_report(
        &mut self,
        id: RetentionReportId,
        change: impl FnOnce(&mut RetentionReport),
    ) -> Option<RetentionReport> {
        let found = rows!(self, RetentionReport).find(|report| report.id == id && report.finished_at.is_none());
        let mut report = found.cloned()?;
        change(&mut report);
        report.version += 1;
        self.put_report(report.clone());
        Some(report)
    }
}
