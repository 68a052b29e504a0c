//! Moments, in the reader's zone.

use chrono::{DateTime, Datelike, NaiveDateTime, SecondsFormat, TimeDelta, Timelike, Utc};

use crate::prefs::Lang;
use crate::visit::Zone;

/// A moment and the offset it is shown with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stamp {
    at: DateTime<Utc>,
    offset_s: i32,
}

impl Stamp {
    pub(crate) fn new(at: DateTime<Utc>, zone: &Zone) -> Self {
        Self { at, offset_s: zone.offset_at(at) }
    }

    /// Seconds on the clock on the wall, since its 1970.
    pub(crate) fn wall_seconds(self) -> i64 {
        self.local().and_utc().timestamp()
    }

    /// The clock on the wall.
    fn local(self) -> NaiveDateTime {
        self.at.naive_utc() + TimeDelta::seconds(i64::from(self.offset_s))
    }
}

/// For `<time datetime>`.
pub(crate) fn iso(at: DateTime<Utc>) -> String {
    at.to_rfc3339_opts(SecondsFormat::Millis, true)
}

/// Everything: `2026-01-28 12:04:11`.
pub(crate) fn date_time(stamp: Stamp) -> String {
    stamp.local().format("%Y-%m-%d %H:%M:%S").to_string()
}

/// Whether two moments lie on one day of the reader.
fn same_day(one: Stamp, other: Stamp) -> bool {
    one.local().date() == other.local().date()
}

/// As short as it can be told apart from `now`: `12:04:11` today, `28 Jan 12:04` this year, `2025-01-28` before.
pub(crate) fn day_time(stamp: Stamp, now: Stamp, lang: Lang) -> String {
    let (local, today) = (stamp.local(), now.local());
    if same_day(stamp, now) {
        return local.format("%H:%M:%S").to_string();
    }
    if local.year() != today.year() {
        return local.format("%Y-%m-%d").to_string();
    }
    match lang {
        Lang::En => local.format("%-d %b %H:%M").to_string(),
        Lang::ZhCn => local.format("%-m月%-d日 %H:%M").to_string(),
    }
}

/// A tick of an axis: the hour within two days, else the day.
pub(crate) fn within_day(stamp: Stamp, span: TimeDelta, lang: Lang) -> String {
    let local = stamp.local();
    if span <= TimeDelta::hours(48) {
        return format!("{:02}:{:02}", local.hour(), local.minute());
    }
    match lang {
        Lang::En => local.format("%-d %b").to_string(),
        Lang::ZhCn => local.format("%-m月%-d日").to_string(),
    }
}

/// `now`, `3 min ago`, `in 4 h`, `5 d ago`.
pub(crate) fn relative(at: DateTime<Utc>, now: DateTime<Utc>, lang: Lang) -> String {
    let seconds = (now - at).num_seconds();
    let size = seconds.unsigned_abs();
    let (number, unit) = match size {
        0..5 => {
            return match lang {
                Lang::En => "now".to_owned(),
                Lang::ZhCn => "刚刚".to_owned(),
            };
        }
        5..60 => (size, ["s", "秒"]),
        60..3600 => (size / 60, ["min", "分钟"]),
        3600..86_400 => (size / 3600, ["h", "小时"]),
        _ => (size / 86_400, ["d", "天"]),
    };
    let [english, chinese] = unit;
    match (lang, seconds > 0) {
        (Lang::En, true) => format!("{number} {english} ago"),
        (Lang::En, false) => format!("in {number} {english}"),
        (Lang::ZhCn, true) => format!("{number} {chinese}前"),
        (Lang::ZhCn, false) => format!("{number} {chinese}后"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stamp(text: &str, offset_s: i32) -> Stamp {
        Stamp { at: text.parse().expect("a moment"), offset_s }
    }

    #[test]
    fn a_moment_is_as_short_as_it_can_be_told_apart() {
        let now = stamp("2026-01-28T22:30:00Z", 0);
        for (at, english, chinese) in [
            ("2026-01-28T12:04:11Z", "12:04:11", "12:04:11"),
            ("2026-01-03T12:04:11Z", "3 Jan 12:04", "1月3日 12:04"),
            ("2025-12-31T12:04:11Z", "2025-12-31", "2025-12-31"),
        ] {
            assert_eq!(day_time(stamp(at, 0), now, Lang::En), english);
            assert_eq!(day_time(stamp(at, 0), now, Lang::ZhCn), chinese);
        }
    }

    #[test]
    fn the_day_is_the_readers_day() {
        // Half past six in the morning of the 29th in Shanghai.
        let now = stamp("2026-01-28T22:30:00Z", 28_800);
        assert_eq!(day_time(stamp("2026-01-28T16:00:01Z", 28_800), now, Lang::En), "00:00:01");
        assert_eq!(day_time(stamp("2026-01-28T15:59:59Z", 28_800), now, Lang::En), "28 Jan 23:59");
        assert_eq!(date_time(stamp("2026-01-28T16:00:01Z", 28_800)), "2026-01-29 00:00:01");
    }

    #[test]
    fn relative_times_are_whole_units() {
        let now: DateTime<Utc> = "2026-01-28T12:00:00Z".parse().expect("a moment");
        for (seconds, english) in [
            (0, "now"),
            (4, "now"),
            (59, "59 s ago"),
            (185, "3 min ago"),
            (7200, "2 h ago"),
            (-14_400, "in 4 h"),
            (432_000, "5 d ago"),
        ] {
            assert_eq!(relative(now - TimeDelta::seconds(seconds), now, Lang::En), english);
        }
        assert_eq!(relative(now - TimeDelta::seconds(185), now, Lang::ZhCn), "3 分钟前");
    }
}
