//! What times and holds may be, purely.

use chrono::{DateTime, TimeDelta, Utc};
use types::id::{ServicePrincipalId, UserId};
use types::retention::{HoldFilter, Keep, KeptFor, RetentionBounds, RetentionClass};

use crate::check::Checks;
use crate::error::Result;

/// Most days; more is for good.
const MOST_DAYS: u32 = 36_500;
/// Most runs that one hold names.
const MOST_RUNS: usize = 1_000;
/// Most characters of a reason.
pub(super) const MOST_REASON: usize = 2_000;

/// Whether the times may be set in a workspace of a tenant with these bounds. Every wrong one is named.
pub(super) fn check(kept: &KeptFor, bounds: &RetentionBounds) -> Result<()> {
    let mut checks = Checks::default();
    for class in RetentionClass::ALL {
        let (keep, field) = (kept.of(*class), class.as_str());
        let least = class.least_days();
        checks.require(keep >= Keep::Days(least), field, format!("must be at least {least} days, or `keep`"));
        let fits = keep == Keep::Forever || keep <= Keep::Days(MOST_DAYS);
        checks.require(fits, field, format!("must be at most {MOST_DAYS} days, or `keep`"));
        if let Some(floor) = bounds.floor.get(class) {
            let message = format!("must be at least {floor} days, or `keep`: the tenant demands it");
            checks.require(keep >= Keep::Days(*floor), field, message);
        }
        if let Some(ceiling) = bounds.ceiling.get(class) {
            let message = format!("must be at most {ceiling} days: the tenant demands it");
            checks.require(keep <= Keep::Days(*ceiling), field, message);
        }
    }
    let (content, runs) = (kept.content, kept.runs);
    checks.require(runs >= content, "runs", format!("must be at least as long as `content`, which is {content}"));
    checks.done()
}

/// What counts. Bounds that were set later bind, too; where they contradict each other, what is kept longer counts: nothing goes
/// that somebody may want.
pub(super) fn effective(set: &KeptFor, bounds: &RetentionBounds) -> KeptFor {
    let bound = |kept: KeptFor, class: &RetentionClass| {
        let ceiling = bounds.ceiling.get(class).map_or(Keep::Forever, |days| Keep::Days(*days));
        let floor = Keep::Days(bounds.floor.get(class).copied().unwrap_or_default().max(class.least_days()));
        kept.with(*class, kept.of(*class).min(ceiling).max(floor))
    };
    let kept = RetentionClass::ALL.iter().fold(*set, bound);
    kept.with(RetentionClass::Runs, kept.runs.max(kept.content))
}

/// From before which time something goes, where it ever does.
pub(super) fn before(keep: Keep, now: DateTime<Utc>) -> Option<DateTime<Utc>> {
    keep.days().and_then(|days| now.checked_sub_signed(TimeDelta::days(i64::from(days))))
}

/// Whether a filter says which runs are to be held.
pub(super) fn check_filter(filter: &HoldFilter, checks: &mut Checks) {
    let named = "must name at least one of `run_ids`, `caller_id`, `from` and `to`: a hold on everything begins `from` the past";
    checks.require(!filter.is_empty(), "filter", named);
    let few = filter.run_ids.len() <= MOST_RUNS;
    checks.require(few, "filter.run_ids", format!("takes at most {MOST_RUNS} runs, say a time for more"));
    if let Some(caller_id) = &filter.caller_id {
        let is_somebody = caller_id.parse::<UserId>().is_ok() || caller_id.parse::<ServicePrincipalId>().is_ok();
        checks.require(is_somebody, "filter.caller_id", "must be the id of a person or a service principal");
    }
    if let Some((from, to)) = filter.from.zip(filter.to) {
        checks.require(from < to, "filter.to", "must lie behind `from`");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(kept: KeptFor, bounds: &RetentionBounds) -> Vec<String> {
        let problem = check(&kept, bounds).expect_err("a wrong time").problem();
        problem.errors.iter().map(|error| error.field.clone()).collect()
    }

    #[test]
    fn every_bound_names_its_field() {
        let (kept, bounds) = (KeptFor::default(), RetentionBounds::default());
        assert!(check(&kept, &bounds).is_ok());
        for class in RetentionClass::ALL {
            let days = Keep::Days(class.least_days());
            // Runs stay as long as their content.
            let least = kept.with(RetentionClass::Content, Keep::Days(1)).with(*class, days);
            assert!(check(&least, &bounds).is_ok(), "{class}");
            let less = least.with(*class, Keep::Days(class.least_days() - 1));
            assert!(refused(less, &bounds).contains(&class.to_string()), "{class}");
            let more = kept.with(RetentionClass::Content, Keep::Days(1)).with(*class, Keep::Days(MOST_DAYS + 1));
            assert!(refused(more, &bounds).contains(&class.to_string()), "{class}");
        }
        let shorter = kept.with(RetentionClass::Content, Keep::Days(30)).with(RetentionClass::Runs, Keep::Days(29));
        assert_eq!(refused(shorter, &bounds), ["runs"]);
        assert_eq!(
            refused(kept.with(RetentionClass::Runs, Keep::Days(30)), &bounds),
            ["runs"],
            "content is kept for good"
        );
    }

    #[test]
    fn the_tenant_binds_now_and_later() {
        let bounds = RetentionBounds {
            floor: [(RetentionClass::Content, 10)].into(),
            ceiling: [(RetentionClass::Events, 30), (RetentionClass::Runs, 60)].into(),
        };
        let kept = KeptFor::default().with(RetentionClass::Content, Keep::Days(9));
        assert_eq!(refused(kept, &bounds), ["content", "runs", "events"]);
        let counts = effective(&kept, &bounds);
        assert_eq!((counts.content, counts.runs), (Keep::Days(10), Keep::Days(60)));
        assert_eq!((counts.events, counts.costs), (Keep::Days(30), Keep::Forever));
        let kept = KeptFor::default();
        assert_eq!(effective(&kept, &bounds).runs, Keep::Forever, "runs stay as long as their content");
    }

    #[test]
    fn a_floor_beats_a_ceiling_and_least_times_beat_both() {
        let bounds = RetentionBounds {
            floor: [(RetentionClass::Audit, 500)].into(),
            ceiling: [(RetentionClass::Audit, 400), (RetentionClass::Costs, 7)].into(),
        };
        let counts = effective(&KeptFor::default(), &bounds);
        assert_eq!((counts.audit, counts.costs), (Keep::Days(500), Keep::Days(400)));
    }

    #[test]
    fn a_filter_says_something_that_can_be() {
        let fields = |filter: HoldFilter| {
            let mut checks = Checks::default();
            check_filter(&filter, &mut checks);
            checks.done().map_err(|error| error.field().map(str::to_owned))
        };
        let at = |text: &str| Some(text.parse::<DateTime<Utc>>().expect("a time"));
        let wrong = |filter| fields(filter).expect_err("a wrong filter");
        assert_eq!(wrong(HoldFilter::default()).as_deref(), Some("filter"));
        let caller_id = Some("somebody".to_owned());
        assert_eq!(wrong(HoldFilter { caller_id, ..HoldFilter::default() }).as_deref(), Some("filter.caller_id"));
        let (from, to) = (at("2026-01-02T00:00:00Z"), at("2026-01-02T00:00:00Z"));
        assert_eq!(wrong(HoldFilter { from, to, ..HoldFilter::default() }).as_deref(), Some("filter.to"));
        assert_eq!(fields(HoldFilter { from, ..HoldFilter::default() }), Ok(()));
    }
}
