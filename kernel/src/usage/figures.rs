//! Sums of counters as figures.

use std::collections::BTreeMap;

use types::budget::Percent;
use types::money::{Amount, Currency, Money};
use types::run::Usage;
use types::usage::RunFigures;

use crate::ledger::{Measure, RunMeasure, percentile};

/// Numbers of runs while they are added up.
#[derive(Clone, Debug, Default)]
pub(super) struct RunSums(BTreeMap<RunMeasure, i64>);

impl RunSums {
    pub(super) fn add(&mut self, measure: RunMeasure, n: i64) {
        let sum = self.0.entry(measure).or_default();
        *sum = sum.saturating_add(n);
    }

    fn get(&self, measure: RunMeasure) -> u64 {
        count(self.0.get(&measure).copied().unwrap_or_default())
    }

    pub(super) fn figures(&self) -> RunFigures {
        let (mut durations, mut ttfts, mut cost) = (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
        for (measure, n) in &self.0 {
            match measure {
                RunMeasure::Duration(class) => {
                    durations.insert(*class, *n);
                }
                RunMeasure::Ttft(class) => {
                    ttfts.insert(*class, *n);
                }
                RunMeasure::Cost(currency) => {
                    cost.insert(*currency, *n);
                }
                _ => {}
            }
        }
        let [succeeded, failed] = [RunMeasure::Succeeded, RunMeasure::Failed].map(|measure| self.get(measure));
        let [canceled, expired] = [RunMeasure::Canceled, RunMeasure::Expired].map(|measure| self.get(measure));
        let (runs, ended) = (self.get(RunMeasure::Runs), succeeded + failed + canceled + expired);
        RunFigures {
            runs,
            active: runs.saturating_sub(ended),
            succeeded,
            failed,
            refused: self.get(RunMeasure::Refused),
            canceled,
            expired,
            success_rate: percent(succeeded, ended),
            p50_ms: percentile(&durations, 50),
            p95_ms: percentile(&durations, 95),
            p99_ms: percentile(&durations, 99),
            ttft_p50_ms: percentile(&ttfts, 50),
            ttft_p95_ms: percentile(&ttfts, 95),
            ttft_p99_ms: percentile(&ttfts, 99),
            tokens: self.get(RunMeasure::Tokens),
            cost: moneys(cost),
            estimated: self.get(RunMeasure::Estimated),
            unpriced: self.get(RunMeasure::Unpriced),
        }
    }
}

/// Numbers of usage while they are added up.
#[derive(Clone, Debug, Default)]
pub(super) struct UsageSums {
    measures: BTreeMap<Measure, i64>,
    cost: BTreeMap<Currency, i64>,
    estimated_cost: BTreeMap<Currency, i64>,
}

impl UsageSums {
    pub(super) fn add(&mut self, currency: Option<Currency>, measures: &BTreeMap<Measure, i64>) {
        for (measure, n) in measures {
            let sum = match (measure, currency) {
                (Measure::Amount, Some(currency)) => self.cost.entry(currency).or_default(),
                (Measure::EstimatedAmount, Some(currency)) => self.estimated_cost.entry(currency).or_default(),
                _ => self.measures.entry(*measure).or_default(),
            };
            *sum = sum.saturating_add(*n);
        }
    }

    pub(super) fn get(&self, measure: Measure) -> u64 {
        count(self.measures.get(&measure).copied().unwrap_or_default())
    }

    pub(super) fn usage(&self) -> Usage {
        let mut usage = Usage::default();
        for (measure, n) in &self.measures {
            if let Measure::Class(class) = measure {
                usage.set(*class, count(*n));
            }
        }
        usage
    }

    pub(super) fn cost(&self) -> Vec<Money> {
        moneys(self.cost.clone())
    }

    pub(super) fn estimated_cost(&self) -> Vec<Money> {
        moneys(self.estimated_cost.clone())
    }

    pub(super) fn mean_latency_ms(&self) -> Option<u64> {
        self.get(Measure::LatencyMs).checked_div(self.get(Measure::Ended))
    }
}

fn moneys(sums: BTreeMap<Currency, i64>) -> Vec<Money> {
    sums.into_iter().map(|(currency, nanos)| Money { currency, amount: Amount::from_nanos(nanos) }).collect()
}

/// A part of a whole with two decimals, rounded down; none of nothing.
pub(super) fn percent(part: u64, whole: u64) -> Option<Percent> {
    let hundredths = (u128::from(part) * 10_000).checked_div(u128::from(whole))?;
    Some(Percent { hundredths: i64::try_from(hundredths).unwrap_or(i64::MAX) })
}

fn count(n: i64) -> u64 {
    u64::try_from(n).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_the_sums_of_their_measures() {
        let mut sums = RunSums::default();
        for (measure, n) in [
            (RunMeasure::Runs, 5),
            (RunMeasure::Succeeded, 1),
            (RunMeasure::Failed, 2),
            (RunMeasure::Refused, 1),
            (RunMeasure::Duration(3), 3),
            (RunMeasure::Cost(Currency::USD), 40),
            (RunMeasure::Cost(Currency::USD), 2),
        ] {
            sums.add(measure, n);
        }
        let figures = sums.figures();
        assert_eq!((figures.active, figures.failed, figures.refused, figures.p95_ms), (2, 2, 1, Some(4)));
        assert_eq!(figures.success_rate, Some(Percent { hundredths: 3_333 }));
        assert_eq!(figures.cost, [Money { currency: Currency::USD, amount: Amount::from_nanos(42) }]);
        assert_eq!((figures.ttft_p50_ms, percent(0, 0)), (None, None));
    }
}
