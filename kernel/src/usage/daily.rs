//! What was used by day, and how the steps of some days went.

use std::collections::BTreeMap;

use chrono::{DateTime, Days, NaiveDate, NaiveTime, Utc};
use types::usage::{DailyUsage, DayQuery, StepFigures, StepMetrics, UsageDay, UsageDimension, UsageQuery};

use super::UsageReports;
use super::figures::{UsageSums, percent};
use super::filter;
use super::reports::authorize;
use crate::check::Checks;
use crate::context::OpContext;
use crate::error::{Error, Result};
use crate::ledger::Measure;
use crate::policy::guard;

/// Most days of one answer.
const MOST_DAYS: i64 = 400;
/// Most sums of one answer.
const MOST_SUMS: u64 = 10_000;
/// The days that are shown unless others are asked for.
const DAYS: Days = Days::new(30);

impl UsageReports {
    /// What was used by day, by calls that have something in common.
    pub async fn list_daily_usage(&self, ctx: &OpContext, query: &UsageQuery) -> Result<DailyUsage> {
        authorize(ctx)?;
        self.daily(ctx, query).await
    }

    /// The same over every workspace of the tenant of the context. Which runs they were is the workspaces' own matter.
    pub async fn list_tenant_usage(&self, ctx: &OpContext, query: &UsageQuery) -> Result<DailyUsage> {
        guard::authorize(ctx, "tenant_usage.read")?;
        let mut usage = self.daily(ctx, query).await?;
        usage.items.iter_mut().for_each(|day| day.runs = None);
        Ok(usage)
    }

    async fn daily(&self, ctx: &OpContext, query: &UsageQuery) -> Result<DailyUsage> {
        let (from, to) = days(ctx.now, query.from, query.to)?;
        let window = (midnight(from), midnight(to));
        let sums = self.counters.list_usage(ctx.scope, window, query.group_by, MOST_SUMS + 1).await?;
        if sums.len() as u64 > MOST_SUMS {
            let message = format!("must be later: these days have more than {MOST_SUMS} sums, ask for fewer");
            return Err(Error::invalid("from", message));
        }
        let mut groups: BTreeMap<(NaiveDate, Option<String>), UsageSums> = BTreeMap::new();
        for sum in sums {
            groups.entry((sum.day.date_naive(), sum.key)).or_default().add(sum.currency, &sum.measures);
        }
        let mut by_day: BTreeMap<NaiveDate, Vec<Option<String>>> = BTreeMap::new();
        for (day, key) in groups.keys() {
            by_day.entry(*day).or_default().push(key.clone());
        }
        let item = |((day, key), sums): ((NaiveDate, Option<String>), UsageSums)| {
            let all = by_day.get(&day).map(Vec::as_slice).unwrap_or_default();
            let terms = filter::terms(query.group_by, key.as_deref(), all);
            let next = day.checked_add_days(Days::new(1)).unwrap_or(day);
            let runs = terms.map(|terms| filter::runs(midnight(day), midnight(next), terms));
            shown(day, key, &sums, runs)
        };
        Ok(DailyUsage { from, to, items: groups.into_iter().map(item).collect() })
    }

    /// How the steps of some days went, by what was called for.
    pub async fn find_step_metrics(&self, ctx: &OpContext, query: &DayQuery) -> Result<StepMetrics> {
        authorize(ctx)?;
        let (from, to) = days(ctx.now, query.from, query.to)?;
        let window = (midnight(from), midnight(to));
        let by = Some(UsageDimension::Operation);
        let mut operations: BTreeMap<String, UsageSums> = BTreeMap::new();
        for sum in self.counters.list_usage(ctx.scope, window, by, MOST_SUMS).await? {
            // What was refused before it was anything had no step.
            if let Some(operation) = sum.key {
                operations.entry(operation).or_default().add(sum.currency, &sum.measures);
            }
        }
        let figures = |(operation, sums): (String, UsageSums)| StepFigures {
            operation,
            calls: sums.get(Measure::Calls),
            ended: sums.get(Measure::Ended),
            failed: sums.get(Measure::Failed),
            canceled: sums.get(Measure::Canceled),
            failure_rate: percent(sums.get(Measure::Failed), sums.get(Measure::Ended)),
            mean_latency_ms: sums.mean_latency_ms(),
            tokens: sums.usage().tokens(),
        };
        Ok(StepMetrics { from, to, items: operations.into_iter().map(figures).collect() })
    }
}

fn shown(day: NaiveDate, key: Option<String>, sums: &UsageSums, runs: Option<String>) -> UsageDay {
    let usage = sums.usage();
    UsageDay {
        day,
        key,
        calls: sums.get(Measure::Calls),
        failed: sums.get(Measure::Failed),
        canceled: sums.get(Measure::Canceled),
        refused: sums.get(Measure::Refused),
        mean_latency_ms: sums.mean_latency_ms(),
        tokens: usage.tokens(),
        usage,
        cost: sums.cost(),
        estimated_cost: sums.estimated_cost(),
        estimated: sums.get(Measure::Estimated),
        unpriced: sums.get(Measure::Unpriced),
        replayed: sums.get(Measure::Replayed),
        cache_hits: sums.get(Measure::CacheHits),
        runs,
    }
}

/// The days asked for.
fn days(now: DateTime<Utc>, from: Option<NaiveDate>, to: Option<NaiveDate>) -> Result<(NaiveDate, NaiveDate)> {
    let tomorrow = now.date_naive().checked_add_days(Days::new(1)).unwrap_or(now.date_naive());
    let to = to.unwrap_or(tomorrow);
    let from = from.unwrap_or(to.checked_sub_days(DAYS).unwrap_or(to));
    let mut checks = Checks::default();
    checks.require(from < to, "to", "must be after `from`: it is the day after the last one");
    let fits = (to - from).num_days() <= MOST_DAYS;
    checks.require(fits, "from", format!("must lie at most {MOST_DAYS} days before `to`"));
    checks.done()?;
    Ok((from, to))
}

fn midnight(day: NaiveDate) -> DateTime<Utc> {
    day.and_time(NaiveTime::MIN).and_utc()
}
