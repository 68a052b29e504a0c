//! The figures of the home page: a window of runs against the one before it, from counters alone.
//!
//! Counters are by minute for a week, by hour for 90 days, then by day. A window is widened to whole ones of what is left of its
//! time, so that no run is counted by halves; the answer says which window that is.

use std::collections::BTreeMap;

use chrono::{DateTime, TimeDelta, Utc};
use types::observe::{Bucket, Overview, Window};

use super::UsageReports;
use super::figures::RunSums;
use super::reports::authorize;
use super::summary::{HOURS_KEPT, MINUTES_KEPT, raised};
use crate::check::Checks;
use crate::context::OpContext;
use crate::error::Result;
use crate::ledger::{DAY, HOUR, MINUTE, truncated};
use crate::port::Standing;

/// Longest window, days.
const LONGEST_WINDOW: i64 = 400;

impl UsageReports {
    /// The figures of the home page for a window and the one before it.
    pub async fn find_overview(&self, ctx: &OpContext, from: DateTime<Utc>, to: DateTime<Utc>) -> Result<Overview> {
        authorize(ctx)?;
        let mut checks = Checks::default();
        checks.require(from < to, "to", "must be after `from`");
        let fits = (to - from).num_days() <= LONGEST_WINDOW;
        checks.require(fits, "from", format!("must lie at most {LONGEST_WINDOW} days before `to`"));
        checks.done()?;
        let unit = finest(ctx.now, from - (to - from));
        let (from, to) = (truncated(from, unit), raised(to, unit));
        let seconds = bucket_seconds(from, to).max(unit);
        let mut total = RunSums::default();
        let mut bars: BTreeMap<DateTime<Utc>, RunSums> = BTreeMap::new();
        for sum in self.counters.list_run_sums(ctx.scope, (from, to), seconds, None).await? {
            total.add(sum.measure, sum.n);
            bars.entry(sum.bucket).or_default().add(sum.measure, sum.n);
        }
        let previous = self.total(ctx, (from - (to - from), from), seconds).await?;
        let Standing { active, setup } = self.runs.standing(ctx.scope).await?;
        let bar = |start| bucket(start, bars.get(&truncated(start, seconds)));
        Ok(Overview {
            from,
            to,
            now: window(&total),
            previous: window(&previous),
            buckets: starts(from, to, seconds).map(bar).collect(),
            active,
            setup,
        })
    }
}

fn window(sums: &RunSums) -> Window {
    let figures = sums.figures();
    Window {
        runs: figures.runs,
        active: figures.active,
        failed: figures.failed,
        refused: figures.refused,
        cost: figures.cost,
        estimated: figures.estimated,
        unpriced: figures.unpriced,
        p50_ms: figures.p50_ms,
        p95_ms: figures.p95_ms,
    }
}

fn bucket(start: DateTime<Utc>, sums: Option<&RunSums>) -> Bucket {
    let figures = sums.map(RunSums::figures).unwrap_or_default();
    Bucket {
        start,
        succeeded: figures.succeeded,
        failed: figures.failed.saturating_sub(figures.refused),
        refused: figures.refused,
        active: figures.active,
    }
}

/// The seconds of the rows that are there for all times since `earliest`: what is about to be joined counts as joined.
fn finest(now: DateTime<Utc>, earliest: DateTime<Utc>) -> i64 {
    if earliest < now - HOURS_KEPT + TimeDelta::seconds(DAY) {
        DAY
    } else if earliest < now - MINUTES_KEPT + TimeDelta::seconds(HOUR) {
        HOUR
    } else {
        MINUTE
    }
}

/// How long the bars of an outcome chart are: so that at most 61 of them cover the window.
fn bucket_seconds(from: DateTime<Utc>, to: DateTime<Utc>) -> i64 {
    let sizes = [60, 300, 900, 1_800, 3_600, 10_800, 21_600, DAY / 2, DAY, 7 * DAY, 30 * DAY, 365 * DAY];
    let least = (to - from).num_seconds() / 60;
    sizes.into_iter().find(|size| *size >= least).unwrap_or(365 * DAY)
}

/// Where the bars start: without gaps, on whole multiples of their length, the first one where the window does.
fn starts(from: DateTime<Utc>, to: DateTime<Utc>, seconds: i64) -> impl Iterator<Item = DateTime<Utc>> {
    let first = from.timestamp().div_euclid(seconds);
    let starts = (first..).map(move |bar| DateTime::from_timestamp(bar * seconds, 0).unwrap_or(to).max(from));
    starts.take_while(move |start| *start < to)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> DateTime<Utc> {
        text.parse().expect("a time")
    }

    #[test]
    fn bars_cover_the_window_without_gaps() {
        let (from, to) = (at("2026-03-01T10:17:00Z"), at("2026-03-02T10:17:00Z"));
        let seconds = bucket_seconds(from, to);
        let starts: Vec<DateTime<Utc>> = starts(from, to, seconds).collect();
        assert_eq!((seconds, starts.len()), (1_800, 49));
        assert_eq!(starts[..2], [from, at("2026-03-01T10:30:00Z")]);
        assert!(starts.iter().skip(1).all(|start| start.timestamp() % 1_800 == 0));
        assert_eq!(starts[48], at("2026-03-02T10:00:00Z"));
    }

    #[test]
    fn an_empty_window_has_no_bars() {
        let now = at("2026-03-01T00:00:00Z");
        assert_eq!(starts(now, now, bucket_seconds(now, now)).count(), 0);
    }

    #[test]
    fn every_bar_holds_whole_rows_of_what_is_left_of_its_time() {
        let now = at("2026-03-01T10:17:05Z");
        for (days, unit) in [(1, MINUTE), (3, MINUTE), (7, HOUR), (30, HOUR), (45, DAY), (90, DAY), (400, DAY)] {
            let (from, to) = (now - TimeDelta::days(days), now);
            assert_eq!(finest(now, from - (to - from)), unit, "{days} days");
            let seconds = bucket_seconds(truncated(from, unit), raised(to, unit)).max(unit);
            assert_eq!(seconds % unit, 0, "{days} days");
        }
        assert_eq!(finest(now, now - MINUTES_KEPT), HOUR, "a minute that may be joined at this moment");
    }
}
