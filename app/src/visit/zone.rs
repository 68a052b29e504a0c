//! A time zone as far as a page needs it: its offsets over the years people look at. The server knows the zone database; the
//! browser gets these few numbers with the page.

use chrono::{DateTime, NaiveDateTime, TimeDelta, Utc};
use serde::{Deserialize, Serialize};

/// A time zone.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Zone {
    /// Its IANA name.
    pub name: String,
    /// From which second of Unix time which offset counts, in seconds east of UTC; the first one counts before as well.
    pub offsets: Vec<(i64, i32)>,
}

impl Default for Zone {
    fn default() -> Self {
        Self { name: "UTC".to_owned(), offsets: Vec::new() }
    }
}

impl Zone {
    /// Seconds east of UTC at a moment.
    #[must_use]
    pub fn offset_at(&self, at: DateTime<Utc>) -> i32 {
        let after = self.offsets.partition_point(|(from, _)| *from <= at.timestamp());
        let index = after.saturating_sub(1);
        self.offsets.get(index).map_or(0, |(_, offset)| *offset)
    }

    /// The moment at which the clock on the wall shows this; the first one, where it shows it twice.
    #[must_use]
    pub fn moment_of(&self, wall: NaiveDateTime) -> DateTime<Utc> {
        let wall = wall.and_utc();
        // At the end of all time nothing is added.
        let later = |by: TimeDelta| wall.checked_add_signed(by).unwrap_or(wall);
        let with = |offset: i32| later(TimeDelta::seconds((-offset).into()));
        // A day before and after, so that a turn of the clock lies between them.
        let [before, after] = [-1, 1].map(|days| self.offset_at(later(TimeDelta::days(days))));
        if self.offset_at(with(before)) == before { with(before) } else { with(after) }
    }

    /// What the clock on the wall shows at a moment: `2026-11-30T09:54`.
    #[must_use]
    pub fn wall(&self, at: DateTime<Utc>) -> String {
        let offset = TimeDelta::seconds(self.offset_at(at).into());
        at.checked_add_signed(offset).unwrap_or(at).format("%Y-%m-%dT%H:%M").to_string()
    }
}

#[cfg(feature = "ssr")]
mod load {
    use chrono::{DateTime, Datelike as _, NaiveDate, NaiveTime, Offset as _, TimeZone as _};
    use chrono_tz::Tz;

    use super::Zone;

    /// Runs are not older, and nobody plans later.
    const YEARS: std::ops::Range<i32> = 2020..2046;

    impl Zone {
        /// The zone of an IANA name, if there is one.
        #[must_use]
        pub fn load(name: &str) -> Option<Self> {
            let zone = name.parse::<Tz>().ok()?;
            let months = YEARS.flat_map(|year| (1..=12).map(move |month| first_of(year, month)));
            let mut offsets: Vec<(i64, i32)> = Vec::new();
            let mut before = i64::MIN;
            for month in months {
                let offset = offset(zone, month);
                match offsets.last() {
                    None => offsets.push((month, offset)),
                    Some((_, last)) if *last != offset => offsets.push((turn(zone, before, month), offset)),
                    Some(_) => {}
                }
                before = month;
            }
            Some(Self { name: zone.name().to_owned(), offsets })
        }
    }

    /// Unix time of the start of a month.
    fn first_of(year: i32, month: u32) -> i64 {
        let first = NaiveDate::from_ymd_opt(year, month, 1).unwrap_or_default();
        debug_assert_eq!(first.year(), year, "every year has every month");
        first.and_time(NaiveTime::MIN).and_utc().timestamp()
    }

    fn offset(zone: Tz, at: i64) -> i32 {
        let moment = DateTime::from_timestamp(at, 0).unwrap_or_default().naive_utc();
        zone.offset_from_utc_datetime(&moment).fix().local_minus_utc()
    }

    /// The first second, after `low` and not after `high`, that has the offset of `high`.
    fn turn(zone: Tz, mut low: i64, mut high: i64) -> i64 {
        let after = offset(zone, high);
        while high - low > 1 {
            let middle = low + (high - low) / 2;
            if offset(zone, middle) == after { high = middle } else { low = middle }
        }
        high
    }
}

#[cfg(all(test, feature = "ssr"))]
mod tests {
    use super::*;

    #[test]
    fn offsets_turn_at_the_right_second() {
        let berlin = Zone::load("Europe/Berlin").expect("a zone");
        let at = |text: &str| berlin.offset_at(text.parse().expect("a moment"));
        assert_eq!(at("2026-03-29T00:59:59Z"), 3600);
        assert_eq!(at("2026-03-29T01:00:00Z"), 7200);
        assert_eq!(at("2026-10-25T00:59:59Z"), 7200);
        assert_eq!(at("2026-10-25T01:00:00Z"), 3600);
    }

    #[test]
    fn the_clock_on_the_wall_is_read_back_to_its_moment() {
        let berlin = Zone::load("Europe/Berlin").expect("a zone");
        for (wall, moment) in [
            ("2026-01-28T12:00:00", "2026-01-28T11:00:00Z"),
            ("2026-03-29T01:59:59", "2026-03-29T00:59:59Z"),
            ("2026-03-29T03:00:00", "2026-03-29T01:00:00Z"),
            ("2026-07-01T00:00:00", "2026-06-30T22:00:00Z"),
            ("2026-10-25T02:30:00", "2026-10-25T00:30:00Z"),
            ("2026-10-25T03:00:00", "2026-10-25T02:00:00Z"),
        ] {
            assert_eq!(berlin.moment_of(wall.parse().expect("a time")).to_rfc3339(), moment.replace('Z', "+00:00"));
        }
        // What the clock skips is read as before the turn or after it, never a day off.
        let skipped = berlin.moment_of("2026-03-29T02:30:00".parse().expect("a time"));
        assert_eq!(skipped, "2026-03-29T00:30:00Z".parse::<DateTime<Utc>>().expect("a moment"));
    }

    #[test]
    fn a_zone_without_turns_has_one_offset_and_an_unknown_one_is_none() {
        let kolkata = Zone::load("Asia/Kolkata").expect("a zone");
        assert_eq!((kolkata.offsets.len(), kolkata.offset_at(DateTime::UNIX_EPOCH)), (1, 19_800));
        assert_eq!(Zone::load("Mars/Olympus"), None);
        assert_eq!(Zone::default().offset_at(DateTime::UNIX_EPOCH), 0);
    }
}
