//! Which time a page looks at: a span that ends now, or two moments.

use std::fmt;
use std::str::FromStr;

use chrono::{DateTime, Duration, NaiveDate, NaiveDateTime, NaiveTime, SecondsFormat, Utc};
use serde::{Deserialize, Serialize};

use super::Params;
use crate::visit::Zone;

/// A span that ends now, in whole minutes; up to 90 days.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Span(u32);

/// Minutes of an hour and of a day.
const HOUR: u32 = 60;
const DAY: u32 = 24 * HOUR;

impl Span {
    /// An hour.
    pub const HOUR: Self = Self(HOUR);
    /// A day.
    pub const DAY: Self = Self(DAY);
    /// Seven days.
    pub const WEEK: Self = Self(7 * DAY);
    /// 30 days.
    pub const MONTH: Self = Self(30 * DAY);
    /// 90 days, the longest.
    pub const QUARTER: Self = Self(90 * DAY);
    /// The spans that are offered, shortest first.
    pub const ALL: [Self; 6] = [Self(15), Self::HOUR, Self::DAY, Self::WEEK, Self::MONTH, Self::QUARTER];

    /// Its length.
    #[must_use]
    pub fn length(self) -> Duration {
        Duration::minutes(self.0.into())
    }

    /// Its number and unit: `15` and `m`, `24` and `h`, `7` and `d`.
    #[must_use]
    pub const fn parts(self) -> (u32, char) {
        match self.0 {
            minutes if minutes > DAY && minutes.is_multiple_of(DAY) => (minutes / DAY, 'd'),
            minutes if minutes.is_multiple_of(HOUR) => (minutes / HOUR, 'h'),
            minutes => (minutes, 'm'),
        }
    }
}

impl Default for Span {
    fn default() -> Self {
        Self::DAY
    }
}

/// Its word in a URL: `15m`, `24h`, `7d`.
impl fmt::Display for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (number, unit) = self.parts();
        write!(f, "{number}{unit}")
    }
}

impl From<Span> for String {
    fn from(span: Span) -> Self {
        span.to_string()
    }
}

impl TryFrom<String> for Span {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        text.parse().map_err(|()| "must be a span like `3h`, up to 90 days")
    }
}

/// Reads what people type as well: `last 3 h`, `90 minutes`, `2 weeks`.
impl FromStr for Span {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let text = text.trim().to_lowercase();
        let text = ["last", "最近"].into_iter().find_map(|word| text.strip_prefix(word)).unwrap_or(&text).trim();
        let end = text.find(|letter: char| !letter.is_ascii_digit()).ok_or(())?;
        let (number, unit) = text.split_at(end);
        let minutes = match unit.trim() {
            "m" | "min" | "mins" | "minute" | "minutes" | "分钟" => 1,
            "h" | "hr" | "hrs" | "hour" | "hours" | "小时" => HOUR,
            "d" | "day" | "days" | "天" => DAY,
            "w" | "week" | "weeks" | "周" => 7 * DAY,
            _ => return Err(()),
        };
        let minutes = number.parse::<u32>().ok().and_then(|number| number.checked_mul(minutes)).ok_or(())?;
        if (1..=Self::QUARTER.0).contains(&minutes) { Ok(Self(minutes)) } else { Err(()) }
    }
}

/// Which time a page looks at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Range {
    /// A span that ends now.
    Last(Span),
    /// From one moment to another.
    Between {
        /// Included.
        from: DateTime<Utc>,
        /// Not included.
        to: DateTime<Utc>,
    },
}

impl Default for Range {
    fn default() -> Self {
        Self::Last(Span::default())
    }
}

impl Range {
    /// The names it is written with.
    pub(crate) const NAMES: &'static [&'static str] = &["range", "from", "to"];

    /// Start and end, when it is `now`.
    #[must_use]
    pub fn bounds(self, now: DateTime<Utc>) -> (DateTime<Utc>, DateTime<Utc>) {
        match self {
            Self::Last(span) => (now - span.length(), now),
            Self::Between { from, to } => (from, to),
        }
    }

    /// Reads `range=24h`, a `range` of two moments or one day as people type them, or `from=…&to=…`; names what could not be
    /// read. Days and times without an offset are the zone's.
    pub(crate) fn read(params: &Params, zone: &Zone, wrong: &mut Vec<&'static str>) -> Self {
        let mut moment = |name: &'static str| {
            let text = params.get(name)?;
            let read = moment_of(text, zone);
            if read.is_none() {
                wrong.push(name);
            }
            read
        };
        match (moment("from"), moment("to")) {
            (Some(from), Some(to)) if from < to => return Self::Between { from, to },
            (Some(_), Some(_)) => wrong.push("to"),
            _ => {}
        }
        let Some(text) = params.get("range") else { return Self::default() };
        text.parse().ok().map(Self::Last).or_else(|| between(text, zone)).unwrap_or_else(|| {
            wrong.push("range");
            Self::default()
        })
    }

    /// The parameters with the bounds a page was read with, so that later pages continue the same list. What the span was
    /// stays beside them.
    pub(crate) fn freeze(self, params: Params, (from, to): (DateTime<Utc>, DateTime<Utc>)) -> Params {
        let span = match self {
            Self::Last(span) => Some(span.to_string()),
            // Of a page after the first one.
            Self::Between { .. } => params.get("range").map(str::to_owned),
        };
        let frozen = Self::Between { from, to }.write(params);
        match span {
            Some(span) => frozen.with("range", &span),
            None => frozen,
        }
    }

    /// The parameters without the bounds that [`Self::freeze`] added.
    pub(crate) fn thaw(params: Params) -> Params {
        match params.get("range").and_then(|text| text.parse().ok()) {
            Some(span) => Self::Last(span).write(params),
            None => params,
        }
    }

    /// Writes itself over whatever range the parameters had.
    pub(crate) fn write(self, params: Params) -> Params {
        let params = params.without(Self::NAMES);
        match self {
            Self::Last(span) if span == Span::default() => params,
            Self::Last(span) => params.with("range", &span.to_string()),
            Self::Between { from, to } => {
                // Whole: a cursor belongs to exactly these bounds.
                let text = |moment: DateTime<Utc>| moment.to_rfc3339_opts(SecondsFormat::AutoSi, true);
                params.with("from", &text(from)).with("to", &text(to))
            }
        }
    }
}

/// `2026-01-01T09:30Z/2026-01-02`, or one day.
fn between(text: &str, zone: &Zone) -> Option<Range> {
    let (from, to) = match text.split_once('/') {
        Some((from, to)) => (moment_of(from, zone)?, moment_of(to, zone)?),
        None => {
            let day = day_of(text)?;
            (start_of(day, zone), start_of(day.succ_opt()?, zone))
        }
    };
    (from < to).then_some(Range::Between { from, to })
}

/// A moment with its offset; a time, or the beginning of a day, in the zone.
fn moment_of(text: &str, zone: &Zone) -> Option<DateTime<Utc>> {
    let text = text.trim();
    let whole = DateTime::parse_from_rfc3339(text).map(|moment| moment.with_timezone(&Utc)).ok();
    // People leave the seconds out.
    let minute = || DateTime::parse_from_str(text, "%Y-%m-%dT%H:%M%#z").map(|moment| moment.with_timezone(&Utc)).ok();
    whole.or_else(minute).or_else(|| time_of(text, zone)).or_else(|| Some(start_of(day_of(text)?, zone)))
}

/// A time without an offset.
fn time_of(text: &str, zone: &Zone) -> Option<DateTime<Utc>> {
    let text = text.replace(' ', "T");
    let read = |format: &str| NaiveDateTime::parse_from_str(&text, format).ok();
    Some(zone.moment_of(read("%Y-%m-%dT%H:%M").or_else(|| read("%Y-%m-%dT%H:%M:%S%.f"))?))
}

fn day_of(text: &str) -> Option<NaiveDate> {
    text.trim().parse().ok()
}

fn start_of(day: NaiveDate, zone: &Zone) -> DateTime<Utc> {
    zone.moment_of(day.and_time(NaiveTime::MIN))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(query: &str) -> (Range, Vec<&'static str>) {
        let mut wrong = Vec::new();
        (Range::read(&Params::parse(query), &Zone::default(), &mut wrong), wrong)
    }

    #[test]
    fn every_span_survives_the_url() {
        for span in Span::ALL {
            let params = Range::Last(span).write(Params::parse("q=x&range=zzz"));
            assert_eq!(read(&params.to_string()), (Range::Last(span), vec![]));
        }
    }

    #[test]
    fn a_span_and_a_day_are_read_as_people_type_them() {
        for (typed, word) in [
            ("last 3 h", "3h"),
            ("Last 90 minutes", "90m"),
            ("2 weeks", "14d"),
            ("24 hours", "24h"),
            ("最近 3 小时", "3h"),
        ] {
            assert_eq!(typed.parse::<Span>().map(|span| span.to_string()), Ok(word.to_owned()), "{typed}");
        }
        for wrong in ["", "h", "0 h", "91 d", "3 fortnights", "99999999999 d", "-3 h"] {
            assert!(wrong.parse::<Span>().is_err(), "{wrong}");
        }
        let range = |text: &str| Range::read(&Params::default().with("range", text), &Zone::default(), &mut Vec::new());
        let day = read("from=2026-01-01T00:00:00Z&to=2026-01-02T00:00:00Z").0;
        for typed in ["2026-01-01", "2026-01-01/2026-01-02", "2026-01-01T01:00+01:00/2026-01-02T00:00Z"] {
            assert_eq!(range(typed), day, "{typed}");
        }
        assert_eq!(read("range=2026-01-02/2026-01-01"), (Range::default(), vec!["range"]));
    }

    #[test]
    fn what_is_typed_without_an_offset_is_meant_in_the_zone() {
        // Two hours ahead, from the second on at which the clock jumps from two to three one.
        let zone = Zone { name: "Europe/Berlin".to_owned(), offsets: vec![(0, 3600), (1_774_746_000, 7200)] };
        let range = |text: &str| Range::read(&Params::default().with("range", text), &zone, &mut Vec::new());
        for (typed, meant) in [
            ("2026-01-28", "from=2026-01-27T23:00:00Z&to=2026-01-28T23:00:00Z"),
            ("2026-03-29", "from=2026-03-28T23:00:00Z&to=2026-03-29T22:00:00Z"),
            ("2026-01-28 09:30/2026-01-28T10:00:30", "from=2026-01-28T08:30:00Z&to=2026-01-28T09:00:30Z"),
            ("2026-01-28T09:30Z/2026-04-01", "from=2026-01-28T09:30:00Z&to=2026-03-31T22:00:00Z"),
        ] {
            assert_eq!(range(typed), read(meant).0, "{typed}");
        }
        let params = Params::parse("from=2026-01-28T09:30&to=2026-01-29");
        let meant = read("from=2026-01-28T08:30:00Z&to=2026-01-28T23:00:00Z").0;
        assert_eq!(Range::read(&params, &zone, &mut Vec::new()), meant);
    }

    #[test]
    fn two_moments_survive_the_url() {
        for written in [
            "from=2026-01-01T00:00:00Z&to=2026-01-02T00:00:00Z",
            "from=2026-01-01T00:00:00.123456789Z&to=2026-01-02T00:00:00.5Z",
        ] {
            let (range, wrong) = read(written);
            assert!(wrong.is_empty());
            assert_eq!(read(&range.write(Params::default()).to_string()).0, range);
        }
    }

    #[test]
    fn a_frozen_span_has_bounds_and_is_let_go_again() {
        let now: DateTime<Utc> = "2026-01-02T12:00:00.25Z".parse().expect("a moment");
        for (span, query) in [(Range::default(), "q=x"), (Range::Last(Span::WEEK), "q=x&range=7d")] {
            let frozen = span.freeze(Params::parse(query), span.bounds(now));
            let (from, to) = span.bounds(now);
            let bounds = Range::Between { from, to };
            assert_eq!(read(&frozen.to_string()).0, bounds);
            let frozen = bounds.freeze(frozen, (from, to));
            assert_eq!(read(&Range::thaw(frozen).to_string()).0, span);
        }
        let fixed = read("from=2026-01-01T00:00:00Z&to=2026-01-02T00:00:00Z").0;
        let frozen = fixed.freeze(fixed.write(Params::default()), fixed.bounds(now));
        assert_eq!(read(&Range::thaw(frozen).to_string()).0, fixed);
    }

    #[test]
    fn what_cannot_be_read_is_named_and_defaulted() {
        assert_eq!(read("range=zzz"), (Range::default(), vec!["range"]));
        assert_eq!(read("from=x&to=2026-01-02T00:00:00Z"), (Range::default(), vec!["from"]));
        assert_eq!(read("from=2026-01-02T00:00:00Z&to=2026-01-01T00:00:00Z"), (Range::default(), vec!["to"]));
    }
}
