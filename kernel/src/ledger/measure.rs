//! What the counters of usage count.

use std::fmt;
use std::str::FromStr;

use types::money::Currency;
use types::run::UsageClass;

/// A number of the daily usage: a column of its table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Measure {
    /// Attempts made, those that fail included.
    Calls,
    /// Of them over.
    Ended,
    /// Of them failed.
    Failed,
    /// Of them canceled.
    Canceled,
    /// Calls refused before anything was tried; no attempts.
    Refused,
    /// Milliseconds of the attempts that are over.
    LatencyMs,
    /// Nano-units of the row's currency.
    Amount,
    /// Attempts whose amount is estimated.
    Estimated,
    /// Nano-units of them.
    EstimatedAmount,
    /// Attempts without a price.
    Unpriced,
    /// Answers given again under an `Idempotency-Key`; no attempts.
    Replayed,
    /// Answers of the cache; no attempts.
    CacheHits,
    /// A quantity of usage.
    Class(UsageClass),
}

impl Measure {
    /// Every one.
    pub fn all() -> impl Iterator<Item = Self> {
        let own = [
            Self::Calls,
            Self::Ended,
            Self::Failed,
            Self::Canceled,
            Self::Refused,
            Self::LatencyMs,
            Self::Amount,
            Self::Estimated,
            Self::EstimatedAmount,
            Self::Unpriced,
            Self::Replayed,
            Self::CacheHits,
        ];
        own.into_iter().chain(UsageClass::ALL.iter().map(|class| Self::Class(*class)))
    }

    /// Whether rows tell it as well: what is answered again leaves none.
    pub const fn is_in_rows(self) -> bool {
        !matches!(self, Self::Replayed | Self::CacheHits)
    }

    /// The name of its column.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Calls => "calls",
            Self::Ended => "ended",
            Self::Failed => "failed",
            Self::Canceled => "canceled",
            Self::Refused => "refused",
            Self::LatencyMs => "latency_ms",
            Self::Amount => "amount",
            Self::Estimated => "estimated",
            Self::EstimatedAmount => "estimated_amount",
            Self::Unpriced => "unpriced",
            Self::Replayed => "replayed",
            Self::CacheHits => "cache_hits",
            Self::Class(class) => class.as_str(),
        }
    }
}

/// A number of runs: a word in a row of its own, so that another one needs no column.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RunMeasure {
    /// Runs started.
    Runs,
    /// Of them succeeded.
    Succeeded,
    /// Of them failed, the refused included.
    Failed,
    /// Of them refused.
    Refused,
    /// Of them canceled.
    Canceled,
    /// Of them expired.
    Expired,
    /// Tokens of every class.
    Tokens,
    /// Nano-units of a currency.
    Cost(Currency),
    /// Attempts whose amount is estimated.
    Estimated,
    /// Attempts without a price.
    Unpriced,
    /// Runs over, by the class of how long they took.
    Duration(u8),
    /// Attempts with content, by the class of how long the first of it took.
    Ttft(u8),
}

impl fmt::Display for RunMeasure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Runs => f.write_str("runs"),
            Self::Succeeded => f.write_str("succeeded"),
            Self::Failed => f.write_str("failed"),
            Self::Refused => f.write_str("refused"),
            Self::Canceled => f.write_str("canceled"),
            Self::Expired => f.write_str("expired"),
            Self::Tokens => f.write_str("tokens"),
            Self::Cost(currency) => write!(f, "cost:{currency}"),
            Self::Estimated => f.write_str("estimated"),
            Self::Unpriced => f.write_str("unpriced"),
            Self::Duration(class) => write!(f, "duration:{class}"),
            Self::Ttft(class) => write!(f, "ttft:{class}"),
        }
    }
}

/// A word that no measure has.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no measure of runs")]
pub struct UnknownMeasure(String);

impl FromStr for RunMeasure {
    type Err = UnknownMeasure;

    fn from_str(text: &str) -> Result<Self, UnknownMeasure> {
        let found = match text.split_once(':') {
            None => match text {
                "runs" => Some(Self::Runs),
                "succeeded" => Some(Self::Succeeded),
                "failed" => Some(Self::Failed),
                "refused" => Some(Self::Refused),
                "canceled" => Some(Self::Canceled),
                "expired" => Some(Self::Expired),
                "tokens" => Some(Self::Tokens),
                "estimated" => Some(Self::Estimated),
                "unpriced" => Some(Self::Unpriced),
                _ => None,
            },
            Some(("cost", currency)) => currency.parse().ok().map(Self::Cost),
            Some(("duration", class)) => class.parse().ok().map(Self::Duration),
            Some(("ttft", class)) => class.parse().ok().map(Self::Ttft),
            Some(_) => None,
        };
        found.ok_or_else(|| UnknownMeasure(text.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_measure_is_read_as_it_is_written() {
        let measures = [
            RunMeasure::Runs,
            RunMeasure::Refused,
            RunMeasure::Cost(Currency::USD),
            RunMeasure::Duration(47),
            RunMeasure::Ttft(0),
            RunMeasure::Unpriced,
        ];
        for measure in measures {
            assert_eq!(measure.to_string().parse(), Ok(measure));
        }
        assert!("duration:x".parse::<RunMeasure>().is_err());
    }
}
