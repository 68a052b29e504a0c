//! Runs, steps, holds and commits, counted where they are written.

use std::collections::HashMap;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use kernel::ledger::{Batch, Lane, LedgerError, Op, Refusal};
use kernel::port::{self, Committed};
use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::{Histogram, exponential_buckets};
use types::id::{HoldId, RunId, StepId};
use types::run::{Mode, StepType};

use super::Metrics;
use super::catalog::Catalog;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct RunLabels {
    mode: &'static str,
    status: &'static str,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct StepLabels {
    r#type: &'static str,
    status: &'static str,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct QueueLabels {
    queue: &'static str,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct KindLabels {
    kind: &'static str,
}

/// What this process opened and did not close yet.
#[derive(Debug, Default)]
struct Open {
    runs: HashMap<RunId, (Mode, DateTime<Utc>)>,
    steps: HashMap<StepId, StepType>,
    holds: HashMap<HoldId, ()>,
}

/// Runs, steps, holds and commits.
#[derive(Debug)]
pub(crate) struct Ledger {
    runs: Family<RunLabels, Counter>,
    active: Gauge,
    duration: Histogram,
    steps: Family<StepLabels, Counter>,
    holds: Gauge,
    commit: Histogram,
    batches: Histogram,
    queue: Family<QueueLabels, Gauge>,
    refusals: Family<KindLabels, Counter>,
    retries: Counter,
    deferred: Gauge,
    stuck: Gauge,
    open: Mutex<Open>,
}

impl Ledger {
    pub(super) fn new(catalog: &mut Catalog) -> Self {
        Self {
            runs: catalog.add("soit_runs_total", &["mode", "status"], "Runs that ended", Family::default()),
            active: catalog.add("soit_active_runs", &[], "Runs this process has open", Gauge::default()),
            duration: catalog.add(
                "soit_run_duration_seconds",
                &[],
                "Time from a run's admission to its end",
                Histogram::new(exponential_buckets(0.001, 2.0, 22)),
            ),
            steps: catalog.add("soit_steps_total", &["type", "status"], "Steps that closed", Family::default()),
            holds: catalog.add("soit_holds_open", &[], "Holds this process has open", Gauge::default()),
            commit: catalog.add(
                "soit_ledger_commit_seconds",
                &[],
                "Time of one transaction of the ledger",
                Histogram::new(exponential_buckets(0.000_1, 2.0, 16)),
            ),
            batches: catalog.add(
                "soit_ledger_batches_per_commit",
                &[],
                "Batches that shared one transaction",
                Histogram::new(exponential_buckets(1.0, 2.0, 9)),
            ),
            queue: catalog.add(
                "soit_ledger_queue_batches",
                &["queue"],
                "Batches waiting for or in a transaction",
                Family::default(),
            ),
            refusals: catalog.add(
                "soit_ledger_refusals_total",
                &["kind"],
                "Batches that were not applied",
                Family::default(),
            ),
            retries: catalog.add("soit_ledger_retries_total", &[], "Transactions tried again", Counter::default()),
            deferred: catalog.add(
                "soit_settles_deferred",
                &[],
                "Calls answered before their end is durable",
                Gauge::default(),
            ),
            stuck: catalog.add(
                "soit_settles_stuck",
                &[],
                "Calls whose end the store cannot write: tried each minute, or reaped once their process is gone",
                Gauge::default(),
            ),
            open: Mutex::default(),
        }
    }

    /// How many transactions the store tried again since it opened.
    pub(crate) fn retried(&self, total: u64) {
        self.retries.inner().store(total, Ordering::Relaxed);
    }

    /// How many calls are answered and not settled yet.
    pub(crate) fn deferred(&self, calls: usize) {
        self.deferred.set(i64::try_from(calls).unwrap_or(i64::MAX));
    }

    /// How many calls the store cannot settle.
    pub(crate) fn stuck(&self, calls: usize) {
        self.stuck.set(i64::try_from(calls).unwrap_or(i64::MAX));
    }

    /// One transaction was committed.
    pub(crate) fn committed(&self, batches: usize, took: Duration) {
        self.commit.observe(took.as_secs_f64());
        self.batches.observe(f64::from(u32::try_from(batches).unwrap_or(u32::MAX)));
    }

    fn applied(&self, events: Vec<Event>) {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        for event in events {
            self.apply(&mut open, event);
        }
        let gauge = |length: usize| i64::try_from(length).unwrap_or(i64::MAX);
        self.active.set(gauge(open.runs.len()));
        self.holds.set(gauge(open.holds.len()));
    }

    fn apply(&self, open: &mut Open, event: Event) {
        match event {
            Event::RunOpened(id, mode, at) => drop(open.runs.insert(id, (mode, at))),
            Event::RunEnded(id, status, at) => {
                // Runs of dead processes are counted by the reaper.
                let Some((mode, started)) = open.runs.remove(&id) else { return };
                self.runs.get_or_create(&RunLabels { mode: mode.as_str(), status }).inc();
                if let Ok(took) = (at - started).to_std() {
                    self.duration.observe(took.as_secs_f64());
                }
            }
            Event::StepOpened(id, kind) => drop(open.steps.insert(id, kind)),
            Event::StepClosed(id, status) => {
                let Some(kind) = open.steps.remove(&id) else { return };
                self.steps.get_or_create(&StepLabels { r#type: kind.as_str(), status }).inc();
            }
            Event::HoldPlaced(id) => drop(open.holds.insert(id, ())),
            Event::HoldClosed(id) => drop(open.holds.remove(&id)),
        }
    }

    fn refused(&self, error: &LedgerError) {
        self.refusals.get_or_create(&KindLabels { kind: kind(error) }).inc();
    }
}

/// What of a batch is counted.
#[derive(Debug)]
enum Event {
    RunOpened(RunId, Mode, DateTime<Utc>),
    RunEnded(RunId, &'static str, DateTime<Utc>),
    StepOpened(StepId, StepType),
    StepClosed(StepId, &'static str),
    HoldPlaced(HoldId),
    HoldClosed(HoldId),
}

fn event(op: &Op) -> Option<Event> {
    match op {
        Op::RunOpen(run) => Some(Event::RunOpened(run.id, run.mode, run.started_at)),
        Op::RunMove { run_id, to, end } => end.as_ref().map(|end| Event::RunEnded(*run_id, to.as_str(), end.ended_at)),
        Op::StepOpen(step) => Some(Event::StepOpened(step.id, step.step_type)),
        Op::StepClose(step) => Some(Event::StepClosed(step.step_id, step.status.as_str())),
        Op::HoldPlace(hold) => Some(Event::HoldPlaced(hold.id)),
        Op::HoldSettle { hold_id, .. } | Op::HoldRelease { hold_id } => Some(Event::HoldClosed(*hold_id)),
        _ => None,
    }
}

fn kind(error: &LedgerError) -> &'static str {
    match error {
        LedgerError::Refused(refusal) => match refusal {
            Refusal::State { .. } => "state",
            Refusal::Limit { .. } => "limit",
            Refusal::Closed => "closed",
            Refusal::Duplicate { .. } => "duplicate",
            Refusal::Version { .. } => "version",
            Refusal::Claimed(_) => "claimed",
            Refusal::Unique { .. } => "unique",
            Refusal::Stale { .. } => "stale",
            Refusal::AuthEpoch { .. } => "auth_epoch",
            Refusal::Fenced => "fenced",
            Refusal::Missing { .. } => "missing",
            Refusal::Invalid { .. } => "invalid",
        },
        LedgerError::Overloaded => "overloaded",
        LedgerError::Unavailable(_) => "unavailable",
        LedgerError::StorageFull => "storage_full",
        LedgerError::Internal(_) => "internal",
    }
}

/// A ledger that counts what goes through it.
pub struct MeteredLedger {
    inner: Arc<dyn port::Ledger>,
    metrics: Arc<Metrics>,
}

impl MeteredLedger {
    /// Counts in front of a ledger.
    pub fn new(inner: Arc<dyn port::Ledger>, metrics: Arc<Metrics>) -> Self {
        Self { inner, metrics }
    }
}

/// Counts a batch as waiting until it is answered or its caller leaves.
struct Waiting(Gauge);

impl Waiting {
    fn new(ledger: &Ledger, lane: Lane) -> Self {
        let queue = match lane {
            Lane::Opening => "opening",
            Lane::Closing => "closing",
        };
        let gauge = ledger.queue.get_or_create_owned(&QueueLabels { queue });
        gauge.inc();
        Self(gauge)
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        self.0.dec();
    }
}

#[async_trait]
impl port::Ledger for MeteredLedger {
    async fn commit(&self, batch: Batch) -> Result<Committed, LedgerError> {
        let ledger = &self.metrics.ledger;
        let events = batch.ops.iter().filter_map(event).collect();
        let sent = batch.ops.iter().any(|op| matches!(op, Op::StepOpen(step) if passed_egress(&step.decision)));
        let waiting = Waiting::new(ledger, batch.lane);
        let result = self.inner.commit(batch).await;
        drop(waiting);
        match &result {
            Ok(_) => ledger.applied(events),
            Err(error) => ledger.refused(error),
        }
        if sent && result.is_ok() {
            self.metrics.gates.let_out();
        }
        result
    }
}

/// Whether a step's recorded decision let it out of soit.
fn passed_egress(decision: &serde_json::Value) -> bool {
    let gates = decision.get("gates").and_then(serde_json::Value::as_array);
    gates.into_iter().flatten().any(|gate| {
        gate.get("gate").is_some_and(|name| name == "egress")
            && gate.get("verdict").is_some_and(|verdict| verdict == "allow")
    })
}
