//! Which time a page looks at: a span that ends now, or two moments.

use std::fmt;
use std::str::FromStr;

use chrono::{DateTime, Duration, SecondsFormat, Utc};
use serde::{Deserialize, Serialize};

use super::Params;

/// A span that ends now.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Span {
    /// 15 minutes.
    QuarterHour,
    /// An hour.
    Hour,
    /// A day.
    #[default]
    Day,
    /// Seven days.
    Week,
    /// 30 days.
    Month,
    /// 90 days.
    Quarter,
}

impl Span {
    /// Every span, shortest first.
    pub const ALL: [Self; 6] = [Self::QuarterHour, Self::Hour, Self::Day, Self::Week, Self::Month, Self::Quarter];

    /// Its word in a URL.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::QuarterHour => "15m",
            Self::Hour => "1h",
            Self::Day => "24h",
            Self::Week => "7d",
            Self::Month => "30d",
            Self::Quarter => "90d",
        }
    }

    /// Its length.
    #[must_use]
    pub const fn length(self) -> Duration {
        Duration::minutes(match self {
            Self::QuarterHour => 15,
            Self::Hour => 60,
            Self::Day => 24 * 60,
            Self::Week => 7 * 24 * 60,
            Self::Month => 30 * 24 * 60,
            Self::Quarter => 90 * 24 * 60,
        })
    }
}

impl fmt::Display for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for Span {
    type Err = ();
    fn from_str(text: &str) -> Result<Self, ()> {
        Self::ALL.into_iter().find(|span| span.as_str() == text).ok_or(())
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

    /// Reads `range=24h` or `from=…&to=…`; names what could not be read.
    pub(crate) fn read(params: &Params, wrong: &mut Vec<&'static str>) -> Self {
        let mut moment = |name: &'static str| {
            let text = params.get(name)?;
            let read = DateTime::parse_from_rfc3339(text).ok();
            if read.is_none() {
                wrong.push(name);
            }
            read.map(|moment| moment.with_timezone(&Utc))
        };
        match (moment("from"), moment("to")) {
            (Some(from), Some(to)) if from < to => return Self::Between { from, to },
            (Some(_), Some(_)) => wrong.push("to"),
            _ => {}
        }
        let Some(text) = params.get("range") else { return Self::default() };
        text.parse().map(Self::Last).unwrap_or_else(|()| {
            wrong.push("range");
            Self::default()
        })
    }

    /// The parameters with the bounds a page was read with, so that later pages continue the same list. What the span was
    /// stays beside them.
    pub(crate) fn freeze(self, params: Params, (from, to): (DateTime<Utc>, DateTime<Utc>)) -> Params {
        let span = match self {
            Self::Last(span) => Some(span.as_str().to_owned()),
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
            Self::Last(span) => params.with("range", span.as_str()),
            Self::Between { from, to } => {
                // Whole: a cursor belongs to exactly these bounds.
                let text = |moment: DateTime<Utc>| moment.to_rfc3339_opts(SecondsFormat::AutoSi, true);
                params.with("from", &text(from)).with("to", &text(to))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(query: &str) -> (Range, Vec<&'static str>) {
        let mut wrong = Vec::new();
        (Range::read(&Params::parse(query), &mut wrong), wrong)
    }

    #[test]
    fn every_span_survives_the_url() {
        for span in Span::ALL {
            let params = Range::Last(span).write(Params::parse("q=x&range=zzz"));
            assert_eq!(read(&params.to_string()), (Range::Last(span), vec![]));
        }
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
        for (span, query) in [(Range::default(), "q=x"), (Range::Last(Span::Week), "q=x&range=7d")] {
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
