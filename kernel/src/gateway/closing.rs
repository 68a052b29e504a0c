//! What the end of an attempt writes: the closed step, its cost, the settled hold, and the end of the run.

use std::sync::Arc;

use chrono::{DateTime, Utc};
use serde_json::{Value, json};
use types::budget::Budget;
use types::cost::Cost;
use types::id::RunId;
use types::money::Money;
use types::problem::Code;
use types::replay::{Divergence, ReplayOutcome};
use types::run::{Capture, Content, EndReason, Failure, RunStatus, StepStatus};

use super::flight::{Ended, Flight, Outcome};
use super::intent::{Attempt, Call};
use super::meter::Metered;
use super::plan::signed;
use super::price::bill;
use super::refuse::failure;
use super::replay::is_kept;
use super::watch::Interrupt;
use super::{Gateway, preview, retry};
use crate::Error;
use crate::ledger::{Audit, CounterKey, Event, NewArtifact, NewRunEvent, Op, RunEnd, SettleLine, StepEnd};
use crate::policy::budget::{self, Payer};
use crate::replay::COMPARED;

/// The end of an attempt, as values.
pub(super) struct Closing {
    step: Arc<StepEnd>,
    /// The cost row, of a charged attempt.
    pub(super) cost: Option<Arc<Cost>>,
    tokens: u64,
    /// What the caller is told, unless it was answered.
    pub(super) error: Option<Error>,
    run: Arc<RunEnd>,
    run_status: RunStatus,
    audit: Option<Arc<Audit>>,
    finished: Arc<Event>,
    /// Content of the call that is kept whole.
    artifacts: Vec<Arc<NewArtifact>>,
    /// The end of the caller's key.
    claim_end: Vec<Op>,
    gives_back: bool,
    /// What a repetition came to.
    compared: Option<Arc<NewRunEvent>>,
}

impl Flight {
    /// Works out what the end of an attempt writes, and of the run where it is the last.
    pub(super) async fn closing(&mut self, ended: &Ended, is_last: bool) -> Closing {
        let now = self.gateway.ports.clock.now();
        let kept = self.keep(ended).await;
        let metered = self.meter(ended).await;
        let plan = &self.call.plan;
        let cost = metered.as_ref().map(|metered| Arc::new(self.cost(metered, ended)));
        let (status, step_failure, error) = self.verdict(ended);
        let output = preview::content(std::iter::once(ended.trace.said.text.as_str()), plan.capture);
        let output = Content { artifact_id: kept.output, ..output };
        let error = error.map(|error| error.with_run(self.call.run_id));
        let interrupt = match &ended.outcome {
            Outcome::Interrupted(interrupt) => Some(*interrupt),
            _ => ended.then,
        };
        let run_failure = interrupt.map(run_failure).or_else(|| step_failure.clone());
        let run_failure = run_failure.map(|failure| Failure { step_id: Some(self.attempt.step_id), ..failure });
        let has_left = self.client.is_gone();
        let run_status = match (interrupt, &run_failure) {
            (Some(Interrupt::Canceled), _) => RunStatus::Canceled,
            (_, Some(_)) => RunStatus::Failed,
            (_, None) => RunStatus::Succeeded,
        };
        let audit = error.as_ref().and_then(|error| self.gateway.audit(&self.call.ctx, self.call.run_id, error));
        let step = StepEnd {
            step_id: self.attempt.step_id,
            status,
            ended_at: now,
            error: step_failure,
            input_artifact: kept.input,
            output: output.clone(),
            metrics: self.metrics(ended, metered.as_ref(), cost.as_deref()),
            ttft_ms: ended.trace.ttft.map(|ttft| u64::try_from(ttft.as_millis()).unwrap_or(u64::MAX)),
        };
        let divergence = self.judged(&step, is_last);
        let flags = self.flags(metered.as_ref(), cost.as_deref(), kept.is_partial, divergence.as_ref());
        let delivered = has_left.then_some(false).or((run_status == RunStatus::Succeeded).then_some(true));
        let closing = Closing {
            compared: self.compared(divergence.as_ref(), now).map(Arc::new),
            step: Arc::new(step),
            run_status,
            tokens: metered.as_ref().map_or(0, |metered| metered.usage.tokens()),
            run: Arc::new(RunEnd {
                ended_at: now,
                error: run_failure,
                input_artifact: kept.input,
                output,
                // Nobody waits for what is replayed.
                delivered: delivered.filter(|_| self.call.origin.is_none()),
                flags,
            }),
            claim_end: self.claim_end(ended, cost.as_deref().and_then(money), now).await,
            artifacts: kept.artifacts,
            cost,
            error,
            audit: audit.map(Arc::new),
            finished: Arc::new(finished_event(&self.gateway, self.call.run_id, run_status, now)),
            gives_back: matches!(ended.outcome, Outcome::Refused(_)),
        };
        self.divergence = divergence;
        closing
    }

    /// Where the attempt, or what there is of the call at its end, is not as it is in the record it is made from.
    fn judged(&self, step: &StepEnd, is_last: bool) -> Option<Divergence> {
        let script = self.call.wish.script.as_ref()?;
        let number = self.attempt.number;
        let of_step = || script.compare(number, step, is_kept(&self.call).then_some(&self.call.salt));
        let found = self.divergence.clone().or_else(of_step);
        found.or_else(|| script.rest(number).filter(|_| is_last))
    }

    /// What a repetition came to, for whoever reads the run.
    fn compared(&self, divergence: Option<&Divergence>, at: DateTime<Utc>) -> Option<NewRunEvent> {
        self.call.wish.script.as_ref()?;
        Some(compared(self.call.run_id, divergence, at))
    }

    /// State and failure of the step, and what the caller is told.
    fn verdict(&self, ended: &Ended) -> (StepStatus, Option<Failure>, Option<Error>) {
        let failed = |error: Error| (StepStatus::Failed, Some(failure(&error)), Some(error));
        match &ended.outcome {
            Outcome::Answered(_) => (StepStatus::Succeeded, None, None),
            Outcome::Refused(error) | Outcome::Withheld(error) => failed(error.clone()),
            // What the provider says may repeat the prompt: the caller is told it, and where content is kept it stands in the
            // recording, which is erased with the rest. The record of the run holds soit's own words.
            Outcome::Failed(error) => {
                let (code, words) = retry::words(error.kind);
                (StepStatus::Failed, Some(failure(&Error::new(code, words))), Some(retry::refusal(error)))
            }
            Outcome::OverCap => {
                failed(Error::new(Code::UpstreamOverCap, "the provider did not stop at the cap of the answer"))
            }
            Outcome::Interrupted(Interrupt::Left) => {
                let failure = word(EndReason::StreamAbandoned, "the client left before the answer was complete");
                (StepStatus::Canceled, Some(failure), None)
            }
            Outcome::Interrupted(Interrupt::Canceled) => {
                let told = Error::new(Code::RunCanceled, "the run was canceled before the answer was complete");
                (StepStatus::Canceled, Some(run_failure(Interrupt::Canceled)), Some(told))
            }
            Outcome::Interrupted(Interrupt::Aborted) => {
                (StepStatus::Failed, Some(run_failure(Interrupt::Aborted)), Some(self.gateway.stopped()))
            }
        }
    }

    fn cost(&self, metered: &Metered, ended: &Ended) -> Cost {
        let plan = &self.call.plan;
        let bill = bill(plan.price.as_ref(), &metered.usage, metered.basis, plan.output.is_some());
        let mut cost = self.call.cost(&self.attempt, metered.usage.clone(), metered.basis, bill);
        cost.upstream_id.clone_from(&ended.trace.said.upstream_id);
        cost.upstream_request_id.clone_from(&ended.trace.upstream_request_id);
        if let Value::Object(snapshot) = &mut cost.snapshot {
            snapshot.insert("hold".to_owned(), json!(plan.worst.ok().map(|worst| worst.amount)));
        }
        cost
    }

    fn flags(
        &self,
        metered: Option<&Metered>,
        cost: Option<&Cost>,
        is_partial: bool,
        divergence: Option<&Divergence>,
    ) -> Vec<String> {
        let inconsistent = metered.is_some_and(|metered| metered.is_inconsistent);
        let held = self.call.plan.worst.ok().map(|worst| worst.amount);
        let exceeded = cost.and_then(|cost| cost.amount).zip(held).is_some_and(|(cost, held)| cost > held);
        let flags =
            [(inconsistent, "usage_inconsistent"), (exceeded, "hold_exceeded"), (is_partial, "content_not_kept")];
        let flags = flags.into_iter().filter(|(set, _)| *set).map(|(_, flag)| flag);
        let outcome = self.call.wish.script.as_ref().map(|_| outcome(divergence).as_str());
        let kind = self.call.origin.as_ref().map(|origin| origin.order.flag());
        flags.chain(kind).chain(outcome).map(str::to_owned).collect()
    }

    /// What is known of the attempt at its end: ids, enums and numbers.
    fn metrics(&self, ended: &Ended, metered: Option<&Metered>, cost: Option<&Cost>) -> Value {
        let trace = &ended.trace;
        let sent = match &ended.outcome {
            Outcome::Failed(error) => trace.was_sent && retry::was_sent(error.kind),
            _ => trace.was_sent,
        };
        let mut metrics = self.call.metrics(&self.attempt);
        let mut put = |name: &str, value: Value| {
            if !value.is_null() {
                metrics.insert(name.to_owned(), value);
            }
        };
        put("sent", json!(sent));
        put("gates", Value::Object(trace.gates.clone()));
        put("usage", json!(metered.map(|metered| &metered.usage)));
        put("usage_basis", json!(metered.map(|metered| metered.basis)));
        put("cost", json!(cost.and_then(money)));
        put("pricing_status", json!(cost.map(|cost| cost.pricing_status)));
        put("upstream_id", json!(trace.said.upstream_id));
        put("upstream_request_id", json!(trace.upstream_request_id));
        put("finish_reason", json!(trace.said.finish_reason));
        let keeps_text = self.call.plan.capture == Capture::Full;
        if keeps_text && metered.is_some_and(|metered| metered.is_inconsistent) {
            put("usage_reported", trace.said.usage.clone().unwrap_or_default());
        }
        Value::Object(metrics)
    }
}

impl Closing {
    /// Adds what is kept of the whole call.
    pub(super) fn keep(&mut self, artifact: Option<Arc<NewArtifact>>) {
        self.artifacts.extend(artifact);
    }

    /// What the attempt cost, where it is priced.
    pub(super) fn money(&self) -> Option<Money> {
        self.cost.as_deref().and_then(money)
    }

    /// The end of the attempt alone. Every budget that binds now is booked on, held or not.
    pub(super) fn attempt_ops(&self, call: &Call, attempt: &Attempt, budgets: &[Budget]) -> Vec<Op> {
        let hold_id = attempt.hold_id;
        let mut ops: Vec<Op> = self.artifacts.iter().map(Arc::clone).map(Op::ArtifactAdd).collect();
        ops.push(Op::StepClose(Arc::clone(&self.step)));
        match &self.cost {
            Some(cost) => {
                ops.push(Op::CostAdd(Arc::clone(cost)));
                ops.push(Op::HoldSettle { hold_id, lines: self.settle_lines(call, budgets) });
            }
            None if call.is_live() => ops.push(Op::HoldRelease { hold_id }),
            // Nothing was held.
            None => {}
        }
        let closed = json!({
            "status": self.step.status,
            "code": self.step.error.as_ref().map(|error| &error.code),
            "usage": self.cost.as_deref().map(|cost| &cost.usage),
            "cost": self.money(),
        });
        ops.push(call.event("step.closed", attempt, self.step.ended_at, closed));
        ops
    }

    /// The end of the attempt and of the run.
    pub(super) fn run_ops(&self, call: &Call, attempt: &Attempt, budgets: &[Budget]) -> Vec<Op> {
        let run_id = call.run_id;
        let to = self.run_status;
        let mut ops = self.attempt_ops(call, attempt, budgets);
        if self.gives_back
            && let Some((key, _)) = &call.plan.requests
        {
            ops.push(Op::CounterAdd { key: key.clone(), delta: -1, limit: None });
        }
        ops.extend(self.compared.iter().map(Arc::clone).map(Op::RunEventAppend));
        ops.push(Op::RunMove { run_id, to, end: Some(Arc::clone(&self.run)) });
        let code = self.run.error.as_ref().map(|error| &error.code);
        let finished = json!({ "status": to, "code": code, "attempts": attempt.number });
        ops.push(call.event("run.finished", attempt, self.run.ended_at, finished));
        ops.push(Op::EventEmit(Arc::clone(&self.finished)));
        ops.extend(self.audit.iter().map(Arc::clone).map(Op::AuditAppend));
        ops.extend(self.claim_end.clone());
        ops
    }

    fn settle_lines(&self, call: &Call, budgets: &[Budget]) -> Vec<SettleLine> {
        let payer = Payer::of(&call.ctx);
        let mut lines = match self.money() {
            Some(money) => {
                let bound = budget::binding(budgets, &payer);
                budget::settle_lines(&bound, &payer, money.currency, money.amount)
            }
            None => Vec::new(),
        };
        let key = call.ctx.api_key().filter(|key| key.daily_token_quota.is_some());
        lines.extend(
            key.map(|key| SettleLine {
                key: CounterKey::key_tokens(key.id, call.ctx.now),
                amount: signed(self.tokens),
            }),
        );
        lines.retain(|line| line.amount != 0);
        lines
    }
}

fn money(cost: &Cost) -> Option<Money> {
    Some(Money { currency: cost.currency?, amount: cost.amount? })
}

fn run_failure(interrupt: Interrupt) -> Failure {
    match interrupt {
        Interrupt::Left => word(EndReason::ClientDisconnected, "the client left before the answer was complete"),
        Interrupt::Canceled => word(EndReason::RunCanceled, "somebody canceled it before the answer was complete"),
        Interrupt::Aborted => word(EndReason::ProcessShutdown, "the process ended before the answer was complete"),
    }
}

fn word(code: EndReason, message: &str) -> Failure {
    Failure { code: code.to_string(), message: message.to_owned(), step_id: None }
}

fn outcome(divergence: Option<&Divergence>) -> ReplayOutcome {
    if divergence.is_some() { ReplayOutcome::Diverged } else { ReplayOutcome::Identical }
}

/// The run event that says what a repetition came to.
pub(super) fn compared(run_id: RunId, divergence: Option<&Divergence>, at: DateTime<Utc>) -> NewRunEvent {
    let payload = json!({ "outcome": outcome(divergence), "divergence": divergence });
    NewRunEvent { run_id, event_type: COMPARED, step_id: None, payload, occurred_at: at }
}

/// The outbox event that a run is over.
pub(super) fn finished_event(gateway: &Gateway, run_id: RunId, status: RunStatus, at: DateTime<Utc>) -> Event {
    Event::new(&*gateway.ports.ids, "run.finished", run_id, json!({ "run_id": run_id, "status": status }), at)
}
