//! What batches move on the counters of usage: daily numbers by who used what, and numbers of runs by minute.
//!
//! The state machine calls it for every operation that opens or ends something, so no door can forget a counter, and who
//! counts the rows anew calls it too. All of a run belongs to the day and the minute of its admission. Start at [`Tally`].

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use types::cost::{Cost, PricingStatus};
use types::id::ApiKeyId;
use types::money::Money;
use types::run::{Caller, CallerKind, Entry, Mode, RunStatus, Source, StepStatus, StepType, Usage};

use super::measure::{Measure, RunMeasure};
use super::{NewRun, histogram};
use crate::context::Scope;

/// What the counters of a run are told apart by; fixed when it opens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dimensions {
    /// Admission.
    pub started_at: DateTime<Utc>,
    /// What kind of execution.
    pub mode: Mode,
    /// Who made soit do it.
    pub source: Source,
    /// Through which door.
    pub entry: Entry,
    /// Who asked.
    pub caller: Caller,
    /// The key used.
    pub api_key_id: Option<ApiKeyId>,
    /// The model asked for.
    pub model_ref: Option<String>,
    /// Labels, as a JSON object in the order of their keys.
    pub labels: String,
    /// Whether it is kept out of production statistics.
    pub sandbox: bool,
}

impl Dimensions {
    /// Those of a new run, with texts as the store keeps them.
    pub fn of(run: &NewRun) -> Self {
        let labels = serde_json::to_string(&run.labels).unwrap_or_default();
        Self {
            started_at: run.started_at,
            mode: run.mode,
            source: run.source,
            entry: run.entry,
            caller: run.caller.clone(),
            api_key_id: run.api_key_id,
            model_ref: run.model_ref.as_ref().map(|model| model.replace('\0', "\u{FFFD}")),
            labels: labels.replace("\\u0000", "\u{FFFD}"),
            sandbox: run.sandbox,
        }
    }
}

/// Which row of the daily numbers.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct UsageKey {
    /// Tenant and workspace.
    pub scope: Scope,
    /// Start of the UTC day of admission.
    pub day: DateTime<Utc>,
    /// Who made soit do it.
    pub source: Source,
    /// Through which door.
    pub entry: Entry,
    /// What kind of caller.
    pub caller_kind: CallerKind,
    /// Which one.
    pub caller_id: String,
    /// The key used.
    pub api_key_id: Option<ApiKeyId>,
    /// The model asked for; the account asked for is part of it.
    pub model: Option<String>,
    /// `chat`, `embedding` …; none of what was refused before it was anything.
    pub operation: Option<String>,
    /// The money of a cost; none of what has no amount.
    pub currency: Option<types::money::Currency>,
    /// Labels, as a JSON object in the order of their keys.
    pub labels: String,
    /// Whether it is kept out of production statistics.
    pub sandbox: bool,
}

impl UsageKey {
    /// The slug of the account asked for.
    pub fn provider(&self) -> Option<&str> {
        let (provider, _) = self.model.as_deref()?.strip_prefix("model:")?.split_once(':')?;
        Some(provider)
    }
}

/// Which row of the numbers of runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RunCountKey {
    /// Tenant and workspace.
    pub scope: Scope,
    /// How many seconds the row covers: 60, later 3,600, then 86,400.
    pub seconds: i64,
    /// Since when.
    pub starts_at: DateTime<Utc>,
    /// What kind of execution.
    pub mode: Mode,
    /// Who made soit do it.
    pub source: Source,
    /// Through which door.
    pub entry: Entry,
    /// What is counted.
    pub measure: RunMeasure,
}

/// A metered attempt, as far as counters know it.
#[derive(Clone, Copy, Debug)]
pub struct Charge<'a> {
    /// Admission.
    pub occurred_at: DateTime<Utc>,
    /// The model asked for.
    pub model_ref: &'a str,
    /// `chat`, `embedding` …
    pub operation: &'a str,
    /// Quantities by class.
    pub usage: &'a Usage,
    /// How sure the amount is.
    pub pricing_status: PricingStatus,
    /// None where it is unpriced.
    pub money: Option<Money>,
}

impl<'a> From<&'a Cost> for Charge<'a> {
    fn from(cost: &'a Cost) -> Self {
        Self {
            occurred_at: cost.occurred_at,
            model_ref: &cost.model_ref,
            operation: &cost.operation,
            usage: &cost.usage,
            pricing_status: cost.pricing_status,
            money: cost.currency.zip(cost.amount).map(|(currency, amount)| Money { currency, amount }),
        }
    }
}

/// What counters move by: added to them, never written over them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Daily numbers.
    pub usage: BTreeMap<UsageKey, BTreeMap<Measure, i64>>,
    /// Numbers of runs.
    pub runs: BTreeMap<RunCountKey, i64>,
}

impl Tally {
    /// Adds another one.
    pub fn extend(&mut self, other: Self) {
        for (key, measures) in other.usage {
            let sums = self.usage.entry(key).or_default();
            for (measure, n) in measures {
                add(sums.entry(measure).or_default(), n);
            }
        }
        for (key, n) in other.runs {
            add(self.runs.entry(key).or_default(), n);
        }
    }

    /// A run was opened.
    pub fn run_opened(&mut self, scope: Scope, run: &Dimensions) {
        self.count(scope, run, RunMeasure::Runs, 1);
    }

    /// A run ended. One that failed before anything was tried was refused.
    pub fn run_ended(&mut self, scope: Scope, run: &Dimensions, status: RunStatus, steps: u32, duration_ms: u64) {
        let measure = match status {
            RunStatus::Succeeded => RunMeasure::Succeeded,
            RunStatus::Failed => RunMeasure::Failed,
            RunStatus::Canceled => RunMeasure::Canceled,
            RunStatus::Expired => RunMeasure::Expired,
            _ => return,
        };
        self.count(scope, run, measure, 1);
        if status == RunStatus::Failed && steps == 0 {
            self.count(scope, run, RunMeasure::Refused, 1);
        }
        self.count(scope, run, RunMeasure::Duration(histogram::class(duration_ms)), 1);
    }

    /// Calls were refused, and the run stands for them.
    pub fn refused(&mut self, scope: Scope, run: &Dimensions, refusals: u32) {
        let key = key(scope, run, run.started_at, run.model_ref.as_deref(), None);
        self.measure(key, [(Measure::Refused, i64::from(refusals))]);
    }

    /// An answer was given again: nothing was tried.
    pub fn replayed(&mut self, scope: Scope, call: &Dimensions, operation: &'static str) {
        let key = key(scope, call, call.started_at, call.model_ref.as_deref(), Some(operation));
        self.measure(key, [(Measure::Replayed, 1)]);
    }

    /// A step was opened.
    pub fn step_opened(&mut self, scope: Scope, run: &Dimensions, step_type: StepType) {
        if let Some(operation) = operation(step_type) {
            let key = key(scope, run, run.started_at, run.model_ref.as_deref(), Some(operation));
            self.measure(key, [(Measure::Calls, 1)]);
        }
    }

    /// A step was closed.
    pub fn step_closed(
        &mut self,
        scope: Scope,
        run: &Dimensions,
        step_type: StepType,
        status: StepStatus,
        latency_ms: u64,
        ttft_ms: Option<u64>,
    ) {
        let Some(operation) = operation(step_type) else { return };
        let key = key(scope, run, run.started_at, run.model_ref.as_deref(), Some(operation));
        let outcome = match status {
            StepStatus::Failed | StepStatus::InDoubt => Some((Measure::Failed, 1)),
            StepStatus::Canceled => Some((Measure::Canceled, 1)),
            _ => None,
        };
        let ended = [(Measure::Ended, 1), (Measure::LatencyMs, signed(latency_ms))];
        self.measure(key, ended.into_iter().chain(outcome));
        if let Some(ttft_ms) = ttft_ms {
            self.count(scope, run, RunMeasure::Ttft(histogram::class(ttft_ms)), 1);
        }
    }

    /// A metered attempt was booked.
    pub fn charged(&mut self, scope: Scope, run: &Dimensions, charge: Charge<'_>) {
        let is_estimated = charge.pricing_status == PricingStatus::Estimated;
        let mut key = key(scope, run, charge.occurred_at, Some(charge.model_ref), Some(charge.operation));
        key.currency = charge.money.map(|money| money.currency);
        let quantities = charge.usage.0.iter().map(|(class, quantity)| (Measure::Class(*class), signed(*quantity)));
        self.measure(key.clone(), quantities);
        self.count(scope, run, RunMeasure::Tokens, signed(charge.usage.tokens()));
        match charge.money {
            Some(money) => {
                let nanos = money.amount.nanos();
                self.measure(key.clone(), [(Measure::Amount, nanos)]);
                self.count(scope, run, RunMeasure::Cost(money.currency), nanos);
                if is_estimated {
                    self.measure(key, [(Measure::Estimated, 1), (Measure::EstimatedAmount, nanos)]);
                    self.count(scope, run, RunMeasure::Estimated, 1);
                }
            }
            None => {
                self.measure(key, [(Measure::Unpriced, 1)]);
                self.count(scope, run, RunMeasure::Unpriced, 1);
            }
        }
    }

    fn measure(&mut self, key: UsageKey, moved: impl IntoIterator<Item = (Measure, i64)>) {
        let mut moved = moved.into_iter().filter(|(_, n)| *n != 0).peekable();
        if moved.peek().is_none() {
            return;
        }
        let sums = self.usage.entry(key).or_default();
        for (measure, n) in moved {
            add(sums.entry(measure).or_default(), n);
        }
    }

    fn count(&mut self, scope: Scope, run: &Dimensions, measure: RunMeasure, n: i64) {
        if run.sandbox || n == 0 {
            return;
        }
        let key = RunCountKey {
            scope,
            seconds: MINUTE,
            starts_at: truncated(run.started_at, MINUTE),
            mode: run.mode,
            source: run.source,
            entry: run.entry,
            measure,
        };
        add(self.runs.entry(key).or_default(), n);
    }
}

/// What a fresh row covers.
pub const MINUTE: i64 = 60;
/// What an older row covers.
pub const HOUR: i64 = 3_600;
/// What an old row covers.
pub const DAY: i64 = 86_400;

/// The start of the UTC minute, hour or day that holds a time.
pub fn truncated(at: DateTime<Utc>, seconds: i64) -> DateTime<Utc> {
    DateTime::from_timestamp(at.timestamp().div_euclid(seconds.max(1)) * seconds, 0).unwrap_or(at)
}

fn key(
    scope: Scope,
    run: &Dimensions,
    admitted_at: DateTime<Utc>,
    model: Option<&str>,
    operation: Option<&str>,
) -> UsageKey {
    UsageKey {
        scope,
        day: truncated(admitted_at, DAY),
        source: run.source,
        entry: run.entry,
        caller_kind: run.caller.kind,
        caller_id: run.caller.id.clone(),
        api_key_id: run.api_key_id,
        model: model.map(str::to_owned),
        operation: operation.map(str::to_owned),
        currency: None,
        labels: run.labels.clone(),
        sandbox: run.sandbox,
    }
}

/// The word of cost rows for what a step does; none where it is nothing that is called.
const fn operation(step_type: StepType) -> Option<&'static str> {
    match step_type {
        StepType::ModelCall => Some("chat"),
        StepType::Embedding => Some("embedding"),
        StepType::Image => Some("image"),
        StepType::Rerank => Some("rerank"),
        StepType::ToolCall => Some("tool"),
        _ => None,
    }
}

fn signed(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

fn add(sum: &mut i64, n: i64) {
    *sum = sum.saturating_add(n);
}
