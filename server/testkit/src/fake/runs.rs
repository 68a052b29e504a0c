//! Reading runs.

use std::cmp::{Ordering, Reverse};
use std::collections::BTreeMap;

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use kernel::context::Scope;
use kernel::ledger::{Counter, CounterKey, Fence, RunText, folded};
use kernel::port::{EventRange, RunGroup, RunTally, Runs, Standing, StoreError};
use kernel::record::Row;
use types::budget::{Budget, BudgetHold};
use types::cost::Cost;
use types::feedback::Rating;
use types::id::RunId;
use types::money::Amount;
use types::observe::Setup;
use types::page::Page;
use types::run::{Run, RunEvent, RunFilter, RunMark, RunQuery, RunSort, RunStatus, Step, Term};

use super::store::{FakeStore, Rows, rows};

#[async_trait]
impl Runs for FakeStore {
    async fn list_runs(&self, scope: Scope, query: &RunQuery) -> Result<Page<Run>, StoreError> {
        let after = query.cursor.as_ref().map(|cursor| read_cursor(scope, query, cursor)).transpose()?;
        let mut runs = self.rows().matching(scope, &query.filter);
        runs.sort_by(|left, right| compare(query, left, right));
        if let Some(after) = after {
            let position = runs.iter().position(|run| run.id == after).ok_or(StoreError::Cursor)?;
            runs.drain(..=position);
        }
        let limit = query.limit as usize;
        let more = runs.len() > limit;
        runs.truncate(limit);
        let last = runs.last().filter(|_| more).map(|run| run.id);
        Ok(Page { next_cursor: last.map(|id| write_cursor(scope, query, id)), items: runs })
    }

    async fn find_run(&self, scope: Scope, id: RunId) -> Result<Option<Run>, StoreError> {
        let rows = self.rows();
        Ok(rows.runs.get(&id).filter(|stored| stored.scope == scope).and_then(|_| rows.run(id)))
    }

    async fn find_run_and_replays(
        &self,
        scope: Scope,
        id: RunId,
        limit: u32,
    ) -> Result<Option<(Run, Vec<Run>)>, StoreError> {
        let Some(run) = self.find_run(scope, id).await? else { return Ok(None) };
        let filter = RunFilter { source_run_id: vec![id], sandbox: vec![true, false], ..RunFilter::default() };
        let query = RunQuery { filter, limit, ..RunQuery::default() };
        Ok(Some((run, self.list_runs(scope, &query).await?.items)))
    }

    async fn list_steps(&self, scope: Scope, id: RunId) -> Result<Vec<Step>, StoreError> {
        let rows = self.rows();
        let of_run = rows.steps.values().filter(|stored| stored.scope == scope && stored.step.run_id == id);
        let mut steps: Vec<Step> = of_run.filter_map(|stored| rows.step(stored.step.id)).collect();
        steps.sort_by_key(|step| step.seq);
        Ok(steps)
    }

    async fn list_costs(&self, scope: Scope, id: RunId) -> Result<Vec<Cost>, StoreError> {
        let rows = self.rows();
        let of_run = rows.costs.iter().filter(|(of, cost)| *of == scope && cost.run_id == id);
        let mut costs: Vec<Cost> = of_run.map(|(_, cost)| cost.clone()).collect();
        costs.sort_by_key(|cost| (cost.occurred_at, cost.id));
        Ok(costs)
    }

    async fn list_run_events(&self, scope: Scope, id: RunId, range: EventRange) -> Result<Vec<RunEvent>, StoreError> {
        let rows = self.rows();
        let of_run = rows.run_events.iter().filter(|(of, event)| *of == scope && event.run_id == id);
        let after = of_run.filter(|(_, event)| event.offset > range.after);
        Ok(after.take(range.limit as usize).map(|(_, event)| event.clone()).collect())
    }

    async fn runs_changed_since(&self, since: DateTime<Utc>) -> Result<Vec<(Scope, RunId)>, StoreError> {
        let rows = self.rows();
        let mut changed: Vec<_> = rows.runs.values().filter(|stored| stored.changed_at >= since).collect();
        changed.sort_by_key(|stored| stored.changed_at);
        Ok(changed.into_iter().map(|stored| (stored.scope, stored.run.id)).collect())
    }

    async fn list_changed(&self, scope: Scope, since: DateTime<Utc>, limit: u32) -> Result<Vec<RunId>, StoreError> {
        let rows = self.rows();
        let changed = rows.runs.values().filter(|stored| stored.scope == scope && stored.changed_at >= since);
        Ok(changed.map(|stored| stored.run.id).take(limit as usize).collect())
    }

    async fn list_canceling(&self, owner: Fence) -> Result<Vec<RunId>, StoreError> {
        let rows = self.rows();
        let is_canceling =
            |id: &RunId| rows.state.runs.get(id).is_some_and(|(_, run)| run.status == RunStatus::Canceling);
        let owned = rows.runs.values().filter(|stored| stored.run.owner == Some(owner)).map(|stored| stored.run.id);
        Ok(owned.filter(is_canceling).collect())
    }

    async fn standing(&self, scope: Scope) -> Result<Standing, StoreError> {
        let rows = self.rows();
        let runs = rows.matching(scope, &RunFilter::default());
        let active = runs.iter().filter(|run| !run.status.is_final()).count() as u64;
        Ok(Standing { active, setup: rows.setup(scope) })
    }

    async fn counters(&self, scope: Scope, keys: &[CounterKey]) -> Result<Vec<Counter>, StoreError> {
        let rows = self.rows();
        let find = |key: &CounterKey| rows.state.counters.get(&(scope.tenant_id, key.clone())).copied();
        Ok(keys.iter().map(|key| find(key).unwrap_or_default()).collect())
    }

    async fn count_runs(&self, scope: Scope, filter: &RunFilter, up_to: u32) -> Result<u64, StoreError> {
        Ok(self.rows().matching(scope, filter).len().min(up_to as usize) as u64)
    }

    async fn tally_runs(&self, scope: Scope, filter: &RunFilter, newest: u32) -> Result<RunTally, StoreError> {
        Ok(self.rows().tally(scope, filter, newest))
    }

    async fn uncounted(&self, scope: Scope, budget: &Budget, at: DateTime<Utc>) -> Result<i64, StoreError> {
        Ok(self.rows().uncounted(scope, budget, at))
    }

    async fn list_open_holds(&self, scope: Scope, key: &CounterKey) -> Result<Vec<BudgetHold>, StoreError> {
        Ok(self.rows().open_holds(scope, key))
    }
}

/// The list a cursor belongs to, in clear: the fake has no secrets.
fn list_of(scope: Scope, query: &RunQuery) -> String {
    let query = RunQuery { cursor: None, limit: 1, ..query.clone() };
    format!("{} {query:?}", scope.workspace_id)
}

fn write_cursor(scope: Scope, query: &RunQuery, id: RunId) -> String {
    format!("{id} {}", list_of(scope, query))
}

fn read_cursor(scope: Scope, query: &RunQuery, cursor: &str) -> Result<RunId, StoreError> {
    let (id, list) = cursor.split_once(' ').ok_or(StoreError::Cursor)?;
    if list != list_of(scope, query) {
        return Err(StoreError::Cursor);
    }
    id.parse().map_err(|_| StoreError::Cursor)
}

/// What has no value comes last in both directions.
fn compare(query: &RunQuery, left: &Run, right: &Run) -> Ordering {
    let value = |run: &Run| match query.sort {
        RunSort::StartedAt => Some(run.started_at.timestamp_micros()),
        RunSort::EndedAt => run.ended_at.map(|at| at.timestamp_micros()),
        RunSort::DurationMs => run.duration_ms.and_then(|millis| i64::try_from(millis).ok()),
        RunSort::Cost => cost(&query.filter, run).map(Amount::nanos),
    };
    let (left_value, right_value) = (value(left), value(right));
    let order = (left_value, left.id).cmp(&(right_value, right.id));
    let order = if query.descending { order.reverse() } else { order };
    left_value.is_none().cmp(&right_value.is_none()).then(order)
}

impl Rows {
    fn matching(&self, scope: Scope, filter: &RunFilter) -> Vec<Run> {
        let of_scope = self.runs.values().filter(|stored| stored.scope == scope);
        let runs = of_scope.filter_map(|stored| self.run(stored.run.id)).filter(|run| matches(filter, run));
        runs.filter(|run| self.is_marked(filter, run)).collect()
    }

    /// Whether a run has one of the marks and of the ratings asked for.
    fn is_marked(&self, filter: &RunFilter, run: &Run) -> bool {
        let is_rated = |ratings: &[Rating]| {
            let of_run = rows!(self, Feedback).filter(|said| said.run_id == run.id);
            of_run.into_iter().any(|said| ratings.contains(&said.rating))
        };
        let has = |mark: &RunMark| match mark {
            RunMark::Estimated => run.totals.estimated,
            RunMark::Unpriced => run.totals.unpriced > 0,
            RunMark::Feedback => is_rated(Rating::ALL),
        };
        (filter.has.is_empty() || filter.has.iter().any(has))
            && (filter.feedback.is_empty() || is_rated(&filter.feedback))
    }

    fn tally(&self, scope: Scope, filter: &RunFilter, newest: u32) -> RunTally {
        let (started_from, started_to) = (filter.started_from, filter.started_to);
        let of_time = RunFilter { started_from, started_to, sandbox: vec![true, false], ..RunFilter::default() };
        let mut runs = self.matching(scope, &of_time);
        runs.sort_by_key(|run| Reverse(run.started_at));
        let last = runs.get(newest.saturating_sub(1) as usize).map(|run| run.started_at);
        runs.retain(|run| last.is_none_or(|last| run.started_at >= last) && matches(filter, run));
        let mut groups = BTreeMap::<_, u64>::new();
        for run in runs {
            *groups.entry((run.status, run.mode, run.entry, run.model_ref, run.api_key_id)).or_default() += 1;
        }
        let group = |((status, mode, entry, model_ref, api_key_id), runs)| RunGroup {
            status,
            mode,
            entry,
            model_ref,
            api_key_id,
            runs,
        };
        RunTally { groups: groups.into_iter().map(group).collect(), is_whole: last.is_none() }
    }

    fn setup(&self, scope: Scope) -> Setup {
        let has = |what: &dyn Fn(&Row) -> bool| self.records.values().any(what);
        Setup {
            provider: has(&|row| matches!(row, Row::Provider { scope: of, archived: false, .. } if *of == scope)),
            key: has(&|row| matches!(row, Row::ApiKey(key) if key.scope == scope)),
            run: self.runs.values().any(|stored| stored.scope == scope),
            budget: has(&|row| matches!(row, Row::Budget { scope: of, archived: false, .. } if *of == scope)),
        }
    }
}

fn matches(filter: &RunFilter, run: &Run) -> bool {
    fn any<T: PartialEq>(wanted: &[T], value: Option<&T>) -> bool {
        wanted.is_empty() || value.is_some_and(|value| wanted.contains(value))
    }
    Term::pass(&filter.status, |status| *status == run.status)
        && Term::pass(&filter.mode, |mode| *mode == run.mode)
        && Term::pass(&filter.entry, |entry| *entry == run.entry)
        && Term::pass(&filter.source, |source| *source == run.source)
        && Term::pass(&filter.caller_id, |id| *id == run.caller.id)
        && Term::pass(&filter.api_key_id, |id| run.api_key_id == Some(*id))
        && Term::pass(&filter.model_ref, |model| run.model_ref.as_ref() == Some(model))
        && Term::pass(&filter.error_code, |code| run.error.as_ref().is_some_and(|error| error.code == *code))
        && Term::pass(&filter.provider, |slug| is_of(run, slug))
        && filter.trace_id.as_ref().is_none_or(|id| *id == run.trace_id)
        && filter.request_id.is_none_or(|id| run.request_id == Some(id))
        && filter.started_from.is_none_or(|from| run.started_at >= from)
        && filter.started_to.is_none_or(|to| run.started_at < to)
        && filter.min_duration_ms.is_none_or(|least| run.duration_ms.is_some_and(|millis| millis >= least))
        && any(&filter.root_run_id, Some(&run.root_run_id))
        && any(&filter.parent_run_id, run.parent_run_id.as_ref())
        && any(&filter.source_run_id, run.source_run_id.as_ref())
        && filter.label.iter().all(|(key, values)| any(values, run.labels.get(key)))
        && (if filter.sandbox.is_empty() { !run.sandbox } else { filter.sandbox.contains(&run.sandbox) })
        && filter.min_cost.is_none_or(|least| cost(filter, run).is_some_and(|cost| cost >= least))
        && filter.max_cost.is_none_or(|most| cost(filter, run).is_some_and(|cost| cost <= most))
        && filter.q.as_ref().is_none_or(|text| holds(run, text))
}

/// In the filter's currency.
fn cost(filter: &RunFilter, run: &Run) -> Option<Amount> {
    run.totals.cost.iter().find(|sum| Some(sum.currency) == filter.currency).map(|sum| sum.amount)
}

fn is_of(run: &Run, provider: &str) -> bool {
    run.model_ref.as_ref().is_some_and(|model| model.starts_with(&format!("model:{provider}:")))
}

fn holds(run: &Run, text: &str) -> bool {
    RunText::of(run).holds(&folded(text))
}
