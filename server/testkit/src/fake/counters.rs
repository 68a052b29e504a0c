//! Counters of usage: what batches added, and the same counted from the rows.

use std::collections::BTreeMap;

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use kernel::context::Scope;
use kernel::ledger::{DAY, Dimensions, HOUR, MINUTE, RunCountKey, Tally, UsageKey, truncated};
use kernel::port::{Counters, Difference, Recount, RunSum, StoreError, UsageSum};
use types::usage::{RunDimension, UsageDimension};

use super::store::{FakeStore, Rows};

/// What is kept of them.
#[derive(Default)]
pub(super) struct Kept {
    pub(super) tally: Tally,
    /// Up to when rows of minutes, and rows of hours, were joined.
    joined: (DateTime<Utc>, DateTime<Utc>),
    filled: bool,
}

#[async_trait]
impl Counters for FakeStore {
    async fn list_usage(
        &self,
        scope: Scope,
        (from, to): (DateTime<Utc>, DateTime<Utc>),
        by: Option<UsageDimension>,
        limit: u64,
    ) -> Result<Vec<UsageSum>, StoreError> {
        let rows = self.rows();
        let mut sums: BTreeMap<_, BTreeMap<_, i64>> = BTreeMap::new();
        for (key, measures) in &rows.counters.tally.usage {
            let within = key.scope == scope || scope.is_of_tenant() && key.scope.tenant_id == scope.tenant_id;
            if within && !key.sandbox && (from..to).contains(&key.day) {
                let sum = sums.entry((key.day, by.and_then(|by| value(key, by)), key.currency)).or_default();
                for (measure, n) in measures.iter().filter(|(_, n)| **n != 0) {
                    *sum.entry(*measure).or_default() += n;
                }
            }
        }
        let sum = |((day, key, currency), measures)| UsageSum { day, key, currency, measures };
        Ok(sums.into_iter().map(sum).take(usize::try_from(limit).unwrap_or(usize::MAX)).collect())
    }

    async fn list_run_sums(
        &self,
        scope: Scope,
        (from, to): (DateTime<Utc>, DateTime<Utc>),
        seconds: i64,
        by: Option<RunDimension>,
    ) -> Result<Vec<RunSum>, StoreError> {
        let rows = self.rows();
        let mut sums: BTreeMap<_, i64> = BTreeMap::new();
        for (key, n) in &rows.counters.tally.runs {
            if key.scope == scope && (from..to).contains(&key.starts_at) {
                let of = by.map(|by| match by {
                    RunDimension::Mode => key.mode.to_string(),
                    RunDimension::Source => key.source.to_string(),
                    RunDimension::Entry => key.entry.to_string(),
                });
                *sums.entry((truncated(key.starts_at, seconds), of, key.measure)).or_default() += n;
            }
        }
        Ok(sums.into_iter().map(|((bucket, key, measure), n)| RunSum { bucket, key, measure, n }).collect())
    }

    async fn recount(&self, recount: Recount) -> Result<Vec<Difference>, StoreError> {
        let mut rows = self.rows();
        let mut counted = rows.recount();
        for (key, measures) in &rows.counters.tally.usage {
            let kept = measures.iter().filter(|(measure, _)| !measure.is_in_rows()).map(|(measure, n)| (*measure, *n));
            counted.usage.entry(key.clone()).or_default().extend(kept);
        }
        let joined = rows.counters.joined;
        join(&mut counted.runs, joined);
        join(&mut rows.counters.tally.runs, joined);
        let differences = differences(&rows.counters.tally, &counted);
        if recount != Recount::Look {
            rows.counters.tally = counted;
            rows.counters.filled = true;
        }
        Ok(differences)
    }

    async fn is_filled(&self) -> Result<bool, StoreError> {
        Ok(self.rows().counters.filled)
    }

    async fn roll_up(&self, hours: DateTime<Utc>, days: DateTime<Utc>) -> Result<(), StoreError> {
        let mut rows = self.rows();
        let kept = &mut rows.counters;
        kept.joined = (kept.joined.0.max(truncated(hours, HOUR)), kept.joined.1.max(truncated(days, DAY)));
        join(&mut kept.tally.runs, kept.joined);
        Ok(())
    }
}

fn value(key: &UsageKey, by: UsageDimension) -> Option<String> {
    match by {
        UsageDimension::Entry => Some(key.entry.to_string()),
        UsageDimension::ApiKey => key.api_key_id.map(|id| id.to_string()),
        UsageDimension::Caller => Some(key.caller_id.clone()),
        UsageDimension::Provider => key.provider().map(str::to_owned),
        UsageDimension::Model => key.model.clone(),
        UsageDimension::Operation => key.operation.clone(),
        UsageDimension::Workspace => Some(key.scope.workspace_id.to_string()),
    }
}

fn join(runs: &mut BTreeMap<RunCountKey, i64>, (hours, days): (DateTime<Utc>, DateTime<Utc>)) {
    for (key, n) in std::mem::take(runs) {
        let seconds = match key.starts_at {
            at if at < days => DAY,
            at if at < hours => HOUR,
            _ => MINUTE,
        };
        let seconds = seconds.max(key.seconds);
        let key = RunCountKey { seconds, starts_at: truncated(key.starts_at, seconds), ..key };
        *runs.entry(key).or_default() += n;
    }
}

fn differences(kept: &Tally, counted: &Tally) -> Vec<Difference> {
    let mut both: BTreeMap<(&'static str, String, String), (i64, i64)> = BTreeMap::new();
    for (tally, is_kept) in [(kept, true), (counted, false)] {
        let usage = tally.usage.iter().flat_map(|(key, measures)| {
            measures
                .iter()
                .map(move |(measure, n)| (("usage_daily", format!("{key:?}"), measure.as_str().to_owned()), *n))
        });
        let runs = tally.runs.iter().map(|(key, n)| (("run_counts", format!("{key:?}"), key.measure.to_string()), *n));
        for (name, n) in usage.chain(runs) {
            let (counter, rows) = both.entry(name).or_default();
            *if is_kept { counter } else { rows } += n;
        }
    }
    let differing = both.into_iter().filter(|(_, (counter, rows))| counter != rows);
    differing
        .map(|((table, key, measure), (counter, rows))| Difference { table, key, measure, counter, rows })
        .collect()
}

impl Rows {
    fn recount(&self) -> Tally {
        let mut tally = Tally::default();
        for stored in self.runs.values() {
            let Some(run) = self.run(stored.run.id) else { continue };
            let dimensions = Dimensions::of(&stored.run);
            let steps = self.state.runs.get(&run.id).map_or(0, |(_, state)| state.steps);
            tally.run_opened(stored.scope, &dimensions);
            if let Some(duration_ms) = run.duration_ms {
                tally.run_ended(stored.scope, &dimensions, run.status, steps, duration_ms);
            }
            tally.refused(stored.scope, &dimensions, run.refusals);
        }
        for stored in self.steps.values() {
            let (Some(step), Some(run)) = (self.step(stored.step.id), self.runs.get(&stored.step.run_id)) else {
                continue;
            };
            let dimensions = Dimensions::of(&run.run);
            tally.step_opened(stored.scope, &dimensions, step.step_type);
            if let Some(latency_ms) = step.latency_ms {
                tally.step_closed(stored.scope, &dimensions, step.step_type, step.status, latency_ms, step.ttft_ms);
            }
        }
        for (scope, cost) in &self.costs {
            if let Some(run) = self.runs.get(&cost.run_id) {
                tally.charged(*scope, &Dimensions::of(&run.run), cost.into());
            }
        }
        tally
    }
}
