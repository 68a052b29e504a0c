//! Counters: budgets, quotas and daily numbers are rows that move in the batch that moves them, never sums.

use std::fmt;

use chrono::{DateTime, Datelike, Days, TimeZone, Utc};
use types::budget::Period;
use types::id::{ApiKeyId, BudgetId};
use types::money::Currency;

/// What a counter counts; unique in its tenant.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
#[serde(transparent)]
pub struct CounterKey(String);

impl CounterKey {
    /// A budget's spending in the period that holds `at`.
    pub fn budget(id: BudgetId, period: Period, at: DateTime<Utc>) -> Self {
        match period_start(period, at) {
            Some(start) => Self(format!("budget:{id}:{}", start.format("%Y-%m-%d"))),
            None => Self(format!("budget:{id}:total")),
        }
    }

    /// A key's calls of the UTC day of `at`.
    pub fn key_requests(id: ApiKeyId, at: DateTime<Utc>) -> Self {
        Self(format!("requests:{id}:{}", at.format("%Y-%m-%d")))
    }

    /// A key's tokens of the UTC day of `at`.
    pub fn key_tokens(id: ApiKeyId, at: DateTime<Utc>) -> Self {
        Self(format!("tokens:{id}:{}", at.format("%Y-%m-%d")))
    }

    /// What a key's calls of the UTC month of `at` cost in a currency.
    pub fn key_spend(id: ApiKeyId, currency: Currency, at: DateTime<Utc>) -> Self {
        Self(format!("spend:{id}:{currency}:{}", at.format("%Y-%m")))
    }

    /// A counter as the store names it.
    pub fn from_text(text: String) -> Self {
        Self(text)
    }

    /// The text in the store.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for CounterKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Where a counter stands. `value` is booked, `held` may still be booked or given back.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counter {
    /// Booked.
    pub value: i64,
    /// Held by running calls.
    pub held: i64,
}

impl Counter {
    /// Whether `more` still fits under `limit`; reaching it exactly is allowed.
    pub fn fits(self, more: i64, limit: i64) -> bool {
        i128::from(self.value) + i128::from(self.held) + i128::from(more) <= i128::from(limit)
    }
}

/// Start of the UTC period that holds `at`; none for `total`.
pub fn period_start(period: Period, at: DateTime<Utc>) -> Option<DateTime<Utc>> {
    let day = at.date_naive();
    let first = match period {
        Period::Day => day,
        Period::Week => day.checked_sub_days(Days::new(u64::from(day.weekday().num_days_from_monday())))?,
        Period::Month => day.with_day(1)?,
        Period::Total => return None,
    };
    Some(Utc.from_utc_datetime(&first.and_hms_opt(0, 0, 0)?))
}

/// End of the UTC period that holds `at`: when its counter starts anew; none for `total`.
pub fn period_end(period: Period, at: DateTime<Utc>) -> Option<DateTime<Utc>> {
    let start = period_start(period, at)?.date_naive();
    let next = match period {
        Period::Day => start.checked_add_days(Days::new(1))?,
        Period::Week => start.checked_add_days(Days::new(7))?,
        Period::Month => start.checked_add_months(chrono::Months::new(1))?,
        Period::Total => return None,
    };
    Some(Utc.from_utc_datetime(&next.and_hms_opt(0, 0, 0)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> DateTime<Utc> {
        text.parse().expect("a time")
    }

    #[test]
    fn periods_are_utc_and_weeks_start_on_monday() {
        let now = at("2026-03-01T23:59:59Z"); // a Sunday
        assert_eq!(period_start(Period::Day, now), Some(at("2026-03-01T00:00:00Z")));
        assert_eq!(period_start(Period::Week, now), Some(at("2026-02-23T00:00:00Z")));
        assert_eq!(period_end(Period::Week, now), Some(at("2026-03-02T00:00:00Z")));
        assert_eq!(period_end(Period::Month, now), Some(at("2026-04-01T00:00:00Z")));
        assert_eq!(period_start(Period::Total, now), None);
    }

    #[test]
    fn reaching_a_limit_exactly_is_allowed() {
        let counter = Counter { value: 3, held: 2 };
        assert!(counter.fits(5, 10));
        assert!(!counter.fits(6, 10));
        assert!(!Counter { value: i64::MAX, held: 1 }.fits(0, i64::MAX));
    }
}
