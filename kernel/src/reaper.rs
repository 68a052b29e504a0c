//! Ends what dead processes left running: their runs fail as `process_lost`, their holds are let go, and a call that was
//! out is booked at its worst case, because nobody knows what it came to. Their tasks are taken back.
//!
//! Any process may do it, several at once too: of two that end the same run the store lets one through. Start at
//! [`Reaper::pass`].

use std::sync::Arc;
use std::time::Duration;

use chrono::{DateTime, Utc};
use futures::future::{Either, join_all, select};
use serde_json::{Value, json};
use types::cost::Cost;
use types::id::{RunId, StepId};
use types::money::Money;
use types::run::{Content, EndReason, Failure, Run, RunStatus, Step, StepStatus};

use crate::error::Result;
use crate::ledger::{Batch, CounterKey, Event, LedgerError, NewRunEvent, Op, Refusal, RunEnd, SettleLine, StepEnd};
use crate::policy::budget::{self, Payer};
use crate::port::{
    Catalog, Claims, Clock, DeadClaim, DeadWork, Directory, Ids, Ledger, OpenCall, Processes, Runs, Snapshot,
    StoreError, Tasks,
};
use crate::repeat::RELEASED_FOR;
use crate::task;

/// Silence after which a process counts as dead, by the database's clock.
pub const SILENCE: Duration = Duration::from_secs(20);
/// How long the store may take to declare the dead: what it answers later was decided about another time.
const ANSWER: Duration = Duration::from_secs(5);
/// Runs ended at once; their batches share transactions.
const AT_ONCE: u32 = 100;
/// How often a run is tried whose budgets change at the same moment.
const ATTEMPTS: usize = 5;

/// What reaping needs from the world.
pub struct Ports {
    /// Finds the dead.
    pub processes: Arc<dyn Processes>,
    /// What they claimed.
    pub claims: Arc<dyn Claims>,
    /// What they were at.
    pub tasks: Arc<dyn Tasks>,
    /// Ends their runs.
    pub ledger: Arc<dyn Ledger>,
    /// Who called.
    pub runs: Arc<dyn Runs>,
    /// Quotas of keys.
    pub directory: Arc<dyn Directory>,
    /// Budgets.
    pub catalog: Arc<dyn Catalog>,
    /// Time.
    pub clock: Arc<dyn Clock>,
    /// Ids of events.
    pub ids: Arc<dyn Ids>,
}

/// What one pass ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Reaped {
    /// Runs ended.
    pub runs: u64,
    /// Calls booked at their worst case.
    pub calls: u64,
    /// Holds let go or booked.
    pub holds: u64,
    /// Callers' keys let go.
    pub keys: u64,
    /// Tasks taken back, of silent workers too.
    pub tasks: u64,
}

/// Ends what dead processes left running.
pub struct Reaper {
    ports: Ports,
}

impl Reaper {
    /// A reaper on these ports.
    pub fn new(ports: Ports) -> Self {
        Self { ports }
    }

    /// Declares the silent dead; returns how many. Only for who has heard the store all along for [`SILENCE`]: after an
    /// outage of the store everybody was silent, and most are alive.
    pub async fn bury(&self) -> Result<u64> {
        let buried = self.ports.processes.bury(SILENCE);
        match select(buried, self.ports.clock.sleep(ANSWER)).await {
            Either::Left((buried, _)) => Ok(buried?),
            Either::Right(_) => Err(StoreError::Unavailable("the store is slow to declare the dead".to_owned()).into()),
        }
    }

    /// Ends everything the dead left.
    pub async fn pass(&self) -> Result<Reaped> {
        let mut reaped = Reaped::default();
        loop {
            let work = self.ports.processes.dead_work(AT_ONCE).await?;
            let mut progress = false;
            for outcome in join_all(work.iter().map(|work| self.end(work))).await {
                if let Some(done) = outcome? {
                    progress = true;
                    reaped.runs += 1;
                    reaped.calls += done.calls;
                    reaped.holds += done.holds;
                }
            }
            if !progress {
                break;
            }
        }
        reaped.keys = self.release_keys().await?;
        let Ports { tasks, ledger, clock, ids, .. } = &self.ports;
        reaped.tasks = task::lapse(&**tasks, &**ledger, &**clock, &**ids).await?;
        Ok(reaped)
    }

    /// Lets the keys of the dead go, so that whoever sent them may try again.
    async fn release_keys(&self) -> Result<u64> {
        let mut released = 0;
        loop {
            let claims = self.ports.claims.dead_claims(AT_ONCE).await?;
            let expires_at = self.ports.clock.now() + RELEASED_FOR;
            let batches = claims.into_iter().map(|DeadClaim { scope, key, holder }| {
                Batch::closing(scope).with([Op::KeyRelease { key, holder, expires_at }])
            });
            let outcomes = join_all(batches.map(|batch| self.ports.ledger.commit(batch))).await;
            let count = outcomes.len();
            outcomes.into_iter().collect::<std::result::Result<Vec<_>, _>>()?;
            released += u64::try_from(count).unwrap_or(u64::MAX);
            if count < AT_ONCE as usize {
                return Ok(released);
            }
        }
    }

    /// Ends one run; `None` when somebody else was faster.
    async fn end(&self, work: &DeadWork) -> Result<Option<Reaped>> {
        for _ in 0..ATTEMPTS {
            let Some(end) = self.prepare(work).await? else { return Ok(None) };
            let mut batch = Batch::closing(work.scope).with(end.ops(work, &*self.ports.ids));
            batch.auth_epoch = end.snapshot.as_ref().map(|snapshot| snapshot.auth_epoch);
            match self.ports.ledger.commit(batch).await {
                Ok(_) => return Ok(Some(end.count(work))),
                // Budgets may have changed: the batch is made anew for those that bind now.
                Err(LedgerError::Refused(Refusal::AuthEpoch { .. })) => self.ports.catalog.forget(work.scope),
                Err(LedgerError::Refused(refusal)) => {
                    tracing::info!(run.id = %work.run_id, %refusal, "a run of a dead process was ended by somebody else");
                    return Ok(None);
                }
                Err(error) => return Err(error.into()),
            }
        }
        Ok(None)
    }

    /// Reads what the end of a run depends on.
    async fn prepare(&self, work: &DeadWork) -> Result<Option<End>> {
        let Some(run) = self.ports.runs.find_run(work.scope, work.run_id).await? else { return Ok(None) };
        let steps = self.ports.runs.list_steps(work.scope, work.run_id).await?;
        let snapshot = self.ports.catalog.snapshot(work.scope).await?;
        let key = match run.api_key_id {
            Some(id) => self.ports.directory.find_key_by_id(work.scope, id).await?,
            None => None,
        };
        let counts_tokens = key.is_some_and(|key| key.daily_token_quota.is_some());
        Ok(Some(End { run, steps, snapshot, counts_tokens, at: self.ports.clock.now() }))
    }
}

impl std::fmt::Debug for Reaper {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Reaper").finish_non_exhaustive()
    }
}

/// The end of one run, as values.
struct End {
    run: Run,
    steps: Vec<Step>,
    snapshot: Option<Arc<Snapshot>>,
    counts_tokens: bool,
    at: DateTime<Utc>,
}

impl End {
    fn ops(&self, work: &DeadWork, ids: &dyn Ids) -> Vec<Op> {
        let mut ops: Vec<Op> = work.calls.iter().flat_map(|call| self.call_ops(work.run_id, call)).collect();
        ops.extend(work.stray_holds.iter().map(|hold_id| Op::HoldRelease { hold_id: *hold_id }));
        let failure = lost(work.calls.last().map(|call| call.step_id));
        let end = RunEnd {
            ended_at: self.at,
            error: Some(failure.clone()),
            input_artifact: None,
            output: Content::default(),
            delivered: None,
            flags: Vec::new(),
        };
        ops.push(Op::RunMove { run_id: work.run_id, to: RunStatus::Failed, end: Some(Arc::new(end)) });
        let attempts = self.steps.iter().map(|step| step.attempt_no).max();
        let finished = json!({ "status": RunStatus::Failed, "code": failure.code, "attempts": attempts });
        ops.push(self.event(work.run_id, "run.finished", failure.step_id, finished));
        let payload = json!({ "run_id": work.run_id, "status": RunStatus::Failed });
        ops.push(Event::new(ids, "run.finished", work.run_id, payload, self.at).into());
        ops
    }

    fn call_ops(&self, run_id: RunId, call: &OpenCall) -> Vec<Op> {
        let cost = worst_case(call);
        let mut ops = vec![Op::StepClose(Arc::new(self.step_end(call.step_id, cost)))];
        match (&call.hold, cost) {
            (Some((hold_id, _)), Some(cost)) => {
                ops.push(Op::CostAdd(Arc::new(cost.clone())));
                ops.push(Op::HoldSettle { hold_id: *hold_id, lines: self.settle_lines(cost) });
            }
            (Some((hold_id, _)), None) => ops.push(Op::HoldRelease { hold_id: *hold_id }),
            (None, _) => {}
        }
        let closed = json!({
            "status": StepStatus::Failed,
            "code": lost(None).code,
            "usage": cost.map(|cost| &cost.usage),
            "cost": cost.and_then(money),
        });
        ops.push(self.event(run_id, "step.closed", Some(call.step_id), closed));
        ops
    }

    /// What was known at the start stays; what is booked is added.
    fn step_end(&self, step_id: StepId, cost: Option<&Cost>) -> StepEnd {
        let step = self.steps.iter().find(|step| step.id == step_id);
        let mut metrics = step.map(|step| step.metrics.clone()).unwrap_or_default();
        if let (Value::Object(metrics), Some(cost)) = (&mut metrics, cost) {
            metrics.insert("usage_basis".to_owned(), json!(cost.usage_basis));
            metrics.insert("cost".to_owned(), json!(money(cost)));
            metrics.insert("pricing_status".to_owned(), json!(cost.pricing_status));
        }
        StepEnd {
            step_id,
            status: StepStatus::Failed,
            ended_at: self.at,
            error: Some(lost(None)),
            input_artifact: None,
            output: Content::default(),
            metrics,
            ttft_ms: None,
        }
    }

    /// Every budget that binds now is booked on, held or not, as in the gateway's own settlement.
    fn settle_lines(&self, cost: &Cost) -> Vec<SettleLine> {
        let payer = Payer { api_key_id: cost.api_key_id, user_id: self.run.user_id, admitted_at: cost.occurred_at };
        let budgets = self.snapshot.as_ref().map_or(&[][..], |snapshot| &snapshot.budgets);
        let mut lines = match money(cost) {
            Some(money) => {
                budget::settle_lines(&budget::binding(budgets, &payer), &payer, money.currency, money.amount)
            }
            None => Vec::new(),
        };
        if let Some(id) = cost.api_key_id.filter(|_| self.counts_tokens) {
            let amount = i64::try_from(cost.usage.tokens()).unwrap_or(i64::MAX);
            lines.push(SettleLine { key: CounterKey::key_tokens(id, cost.occurred_at), amount });
        }
        lines
    }

    fn event(&self, run_id: RunId, event_type: &'static str, step_id: Option<StepId>, payload: Value) -> Op {
        let event = NewRunEvent { run_id, event_type, step_id, payload, occurred_at: self.at };
        Op::RunEventAppend(Arc::new(event))
    }

    fn count(&self, work: &DeadWork) -> Reaped {
        let number = |count: usize| u64::try_from(count).unwrap_or(u64::MAX);
        Reaped {
            keys: 0,
            tasks: 0,
            runs: 1,
            calls: number(work.calls.iter().filter_map(worst_case).count()),
            holds: number(work.calls.iter().filter(|call| call.hold.is_some()).count() + work.stray_holds.len()),
        }
    }
}

/// The cost row of a call that was out.
fn worst_case(call: &OpenCall) -> Option<&Cost> {
    call.hold.as_ref().filter(|_| call.sent)?.1.as_ref()
}

fn money(cost: &Cost) -> Option<Money> {
    Some(Money { currency: cost.currency?, amount: cost.amount? })
}

fn lost(step_id: Option<StepId>) -> Failure {
    Failure { code: EndReason::ProcessLost.to_string(), message: "the process that did it is gone".to_owned(), step_id }
}
