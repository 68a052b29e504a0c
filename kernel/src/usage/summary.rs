//! How the runs of a window went, in buckets, in groups, and against the window before.

use std::collections::BTreeMap;

use chrono::{DateTime, Datelike, TimeDelta, Utc};
use types::usage::{BucketSize, Dashboard, RunBucket, RunSlice, RunSummary, SummaryQuery};

use super::UsageReports;
use super::figures::{RunSums, percent};
use super::filter;
use super::reports::authorize;
use crate::check::Checks;
use crate::context::OpContext;
use crate::error::Result;
use crate::ledger::truncated;

/// Most buckets of one answer.
const MOST_BUCKETS: i64 = 1_000;
/// Rows of minutes are kept this long.
pub const MINUTES_KEPT: TimeDelta = TimeDelta::days(7);
/// Rows of hours are kept this long.
pub const HOURS_KEPT: TimeDelta = TimeDelta::days(90);
/// The window that is shown unless another one is asked for.
const WINDOW: TimeDelta = TimeDelta::hours(24);
/// In which runs start.
const YEARS: std::ops::RangeInclusive<i32> = 1970..=9999;

impl UsageReports {
    /// How the runs of a window went.
    pub async fn find_run_summary(&self, ctx: &OpContext, query: &SummaryQuery) -> Result<RunSummary> {
        authorize(ctx)?;
        let bucket = query.bucket.unwrap_or(BucketSize::Hour);
        let (from, to) = window(ctx.now, query, bucket)?;
        let seconds = bucket.seconds();
        let sums = self.counters.list_run_sums(ctx.scope, (from, to), seconds, query.group_by).await?;
        let mut total = RunSums::default();
        let mut buckets: BTreeMap<DateTime<Utc>, RunSums> = BTreeMap::new();
        let mut groups: BTreeMap<String, RunSums> = BTreeMap::new();
        for sum in sums {
            total.add(sum.measure, sum.n);
            buckets.entry(sum.bucket).or_default().add(sum.measure, sum.n);
            if let Some(key) = sum.key {
                groups.entry(key).or_default().add(sum.measure, sum.n);
            }
        }
        let length = TimeDelta::seconds(seconds);
        let starts = std::iter::successors(Some(from), |start| Some(*start + length)).take_while(|start| *start < to);
        let bars = starts.map(|start| RunBucket {
            start,
            figures: buckets.get(&start).map(RunSums::figures).unwrap_or_default(),
            runs: filter::runs(start, start + length, []),
        });
        let slice = |(key, sums): (String, RunSums)| RunSlice {
            figures: sums.figures(),
            runs: filter::runs(from, to, query.group_by.map(|by| (filter::of_runs(by), key.clone()))),
            key,
        };
        let previous = match query.compare {
            Some(_) => Some(self.total(ctx, (from - (to - from), from), seconds).await?.figures()),
            None => None,
        };
        Ok(RunSummary {
            from,
            to,
            bucket,
            approx: true,
            total: total.figures(),
            previous,
            buckets: bars.collect(),
            groups: groups.into_iter().map(slice).collect(),
            runs: filter::runs(from, to, []),
        })
    }

    /// How it stands: the last 24 hours, against the 24 before.
    pub async fn find_dashboard(&self, ctx: &OpContext) -> Result<Dashboard> {
        authorize(ctx)?;
        let minute = BucketSize::Minute.seconds();
        let to = raised(ctx.now, minute);
        let from = to - WINDOW;
        let now = self.total(ctx, (from, to), BucketSize::Hour.seconds()).await?.figures();
        let previous = self.total(ctx, (from - WINDOW, from), BucketSize::Hour.seconds()).await?.figures();
        Ok(Dashboard {
            from,
            to,
            approx: true,
            failure_rate: percent(now.failed, now.runs),
            previous_failure_rate: percent(previous.failed, previous.runs),
            now,
            previous,
            runs: filter::runs(from, to, []),
        })
    }

    pub(super) async fn total(
        &self,
        ctx: &OpContext,
        window: (DateTime<Utc>, DateTime<Utc>),
        seconds: i64,
    ) -> Result<RunSums> {
        let mut total = RunSums::default();
        for sum in self.counters.list_run_sums(ctx.scope, window, seconds, None).await? {
            total.add(sum.measure, sum.n);
        }
        Ok(total)
    }
}

/// The window in whole buckets.
fn window(now: DateTime<Utc>, query: &SummaryQuery, bucket: BucketSize) -> Result<(DateTime<Utc>, DateTime<Utc>)> {
    let seconds = bucket.seconds();
    let to = query.to.unwrap_or(now);
    let from = query.from.unwrap_or(to.checked_sub_signed(WINDOW).unwrap_or(to));
    let mut checks = Checks::default();
    checks.require(from < to, "to", "must be after `from`");
    let buckets = (to - from).num_seconds() / seconds;
    let fits = buckets < MOST_BUCKETS && YEARS.contains(&from.year()) && YEARS.contains(&to.year());
    checks.require(fits, "from", format!("must lie less than {MOST_BUCKETS} buckets before `to`, take longer ones"));
    let kept = match bucket {
        BucketSize::Minute => {
            Some((MINUTES_KEPT, "must be `hour` or `day` for so early a time: minutes are kept for 7 days"))
        }
        BucketSize::Hour => Some((HOURS_KEPT, "must be `day` for so early a time: hours are kept for 90 days")),
        BucketSize::Day => None,
    };
    if let Some((kept, message)) = kept {
        let first = if query.compare.is_some() && fits { from - (to - from) } else { from };
        checks.require(first >= now - kept, "bucket", message);
    }
    checks.done()?;
    Ok((truncated(from, seconds), raised(to, seconds)))
}

/// The first border of so many seconds at a time or after it.
pub(super) fn raised(at: DateTime<Utc>, seconds: i64) -> DateTime<Utc> {
    let start = truncated(at, seconds);
    if start == at { at } else { start + TimeDelta::seconds(seconds) }
}
